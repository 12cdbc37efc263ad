"""RWKV-6 (Finch): RWKV-5 with a decay that depends on the token.

Peng et al. 2024, section 4.2.2: S <- diag(w_t) S + k_t^T v_t, and the output r_t (S + diag(u) k_t^T v_t), of
the state before.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.rwkv_5 import READ_FIRST, READS_NEW
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import decayed, theorem
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    corrected,
    exactly,
    memory,
    refuted,
    sizes,
    vectors,
)
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights


def weights(k: int) -> Signature:
    """A head's bonus u, decays, receptances and keys, and one number of its values."""
    return memory(constant("u", (k,)), *vectors("w", "r", "k", size=k), by_symbol("v"), size=k)


# The recurrence, as printed, for one column: w_j s_j + k_j v, read before.

LAYER = replace(decayed(lambda of, j: of.at("w", j)), reading=READ_FIRST)
WITHOUT_BONUS = replace(LAYER, reading=replace(READ_FIRST, skip=lambda of: of.zero, first=False))
CASES = sizes(weights)

CLAIM = Claim(
    name="rwkv-6",
    title="RWKV-6 is an automaton",
    statement=(
        "Each number of the output r_t (S_{t-1} + diag(u) k_t^T v_t) of a head of RWKV-6, S_t = diag(w_t)"
        " S_{t-1} + k_t^T v_t, is the Forward score of an automaton with K + 2 states, K the length of keys."
    ),
    source=Source("peng2024eagle", "4.2.2", "Finch (RWKV-6)"),
    hypotheses=(
        TOKENS,
        "The shift that mixes a token with the one before it is left out.",
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states: 1, the numbers of the column, and the output",
            theorem=theorem(
                "rwkv_6",
                "rwkv_6_output {s_0} {u} {w} {r} {k} {v} {word}",
                "rwkv_6_automaton {s_0} {u} {w} {r} {k} {v}",
            ),
        ),
        refuted("without-read-first", READS_NEW, LAYER.recurrence, WITHOUT_BONUS.automata, CASES),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "u": exactly(2, 0),
            "w": {"a": exactly("1/2", 1), "b": exactly(1, 0)},
            "r": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("rwkv-5",),
    effort=EFFORT,
)
