"""RWKV-5 (Eagle): K + 2 states, with an output that reads the state before its update.

Peng et al. 2024, section 4.1.2: wkv_t = diag(u) k_t^T v_t + the state before, S <- diag(w) S + k_t^T v_t, and
the output r_t wkv_t; w and u are a head's own.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Reading
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import decayed, theorem, write
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
    """A head's decay w and bonus u, receptances and keys, and one number of its values."""
    return memory(
        constant("w", (k,)), constant("u", (k,)), *vectors("r", "k", size=k), by_symbol("v"), size=k
    )


# The recurrence, as printed, for one column: the output is the sum over i of r_i (s_i + u_i k_i v), of the
# state
# before; then w_j s_j + k_j v.


def bonus(of: Any, i: Any) -> Any:
    """u_i k_i v."""
    return of.times(of.at("u", i), write(of, i))


READ_FIRST = Reading(
    printed=lambda of: of.sum(lambda i: of.times(of.at("r", i), of.plus(of.at("s", i), bonus(of, i)))),
    weight=lambda of, p, i: of.at("r", i),
    skip=lambda of: of.sum(lambda i: of.times(of.at("r", i), bonus(of, i))),
    first=True,
)
LAYER = replace(decayed(lambda of, j: of.at("w", j)), reading=READ_FIRST)
WITHOUT_BONUS = replace(LAYER, reading=replace(READ_FIRST, skip=lambda of: of.zero, first=False))
READS_NEW = (
    "an automaton whose output reads the state after the token, as other layers do, where this one reads it"
    " before, and the token by its bonus"
)
CASES = sizes(weights)

CLAIM = Claim(
    name="rwkv-5",
    title="RWKV-5 is an automaton",
    statement=(
        "Each number of the output r_t (S_{t-1} + diag(u) k_t^T v_t) of a head of RWKV-5, S_t = diag(w)"
        " S_{t-1} + k_t^T v_t, is the Forward score of an automaton with K + 2 states, K the length of keys."
    ),
    source=Source("peng2024eagle", "4.1.2", "Eagle (RWKV-5)", ("8", "9")),
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
                "rwkv_5",
                "rwkv_5_output {s_0} {w} {u} {r} {k} {v} {word}",
                "rwkv_5_automaton {s_0} {w} {u} {r} {k} {v}",
            ),
        ),
        refuted("without-read-first", READS_NEW, LAYER.recurrence, WITHOUT_BONUS.automata, CASES),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "w": exactly("1/2", 1),
            "u": exactly(2, 0),
            "r": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("gla",),
    effort=EFFORT,
)
