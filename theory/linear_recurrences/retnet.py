"""RetNet's retention: K + 2 states.

Sun et al. 2023, section 2.1, the recurrent representation: S_n = gamma S_{n-1} + K_n^T V_n, and the output
Q_n S_n.
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
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights


def weights(k: int) -> Signature:
    """A head's decay, queries and keys, and one number of its values."""
    return memory(constant("gamma"), *vectors("q", "k", size=k), by_symbol("v"), size=k)


# The recurrence, as printed, for one column: gamma s_j + k_j v.

LAYER = decayed(lambda of, j: of.at("gamma"))
CASES = sizes(weights)

CLAIM = Claim(
    name="retnet",
    title="retention is an automaton",
    statement=(
        "Each number of the output Q_n S_n of a head of RetNet, S_n = gamma S_{n-1} + K_n^T V_n, is the"
        " Forward score of an automaton with K + 2 states, K the length of keys."
    ),
    source=Source("sun2023retentive", "2.1", "Retention, recurrent", ("6",)),
    hypotheses=(
        TOKENS,
        (
            "RetNet also turns queries and keys by an angle that grows with their position; these are not"
            " turned."
        ),
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
                "retnet",
                "retnet_output {s_0} {gamma} {q} {k} {v} {word}",
                "retnet_automaton {s_0} {gamma} {q} {k} {v}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "gamma": Fraction(31, 32),
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("linear-attention",),
    effort=EFFORT,
)
