"""Gated linear attention: K + 2 states.

Yang et al. 2024, section 4.1 (equation 3): S_t = diag(alpha_t) S_{t-1} + k_t^T v_t, and the output q_t S_t.
"""

from __future__ import annotations

from fractions import Fraction

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import READS_OLD, UPDATE_FIRST, decayed, theorem
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    corrected,
    exactly,
    memory,
    refuted,
    sizes,
    vectors,
)
from theory.signature import Signature, by_symbol
from theory.weights import Weights


def weights(k: int) -> Signature:
    """A head's gates, queries and keys, and one number of its values."""
    return memory(*vectors("alpha", "q", "k", size=k), by_symbol("v"), size=k)


# The recurrence, as printed, for one column: alpha_j s_j + k_j v. And with the gate on the new key, too.

LAYER = decayed(lambda of, j: of.at("alpha", j))
CASES = sizes(weights)

CLAIM = Claim(
    name="gla",
    title="gated linear attention is an automaton",
    statement=(
        "Each number of the output q_t S_t of a head of gated linear attention, S_t = diag(alpha_t) S_{t-1}"
        " + k_t^T v_t, is the Forward score of an automaton with K + 2 states, K the length of keys."
    ),
    source=Source("yang2024gated", "4.1", "Gated linear attention", ("3",)),
    hypotheses=(TOKENS, COLUMN, FIRST_STATE, NO_TOKENS, LINEAR_OUTPUT),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states: 1, the numbers of the column, and the output",
            theorem=theorem(
                "gla",
                "gla_output {s_0} {alpha} {q} {k} {v} {word}",
                "gla_automaton {s_0} {alpha} {q} {k} {v}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "alpha": {"a": exactly(1, "1/2"), "b": exactly("1/2", 1)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("linear-attention",),
    effort=EFFORT,
)
