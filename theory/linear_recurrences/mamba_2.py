"""Mamba-2: N + 2 states, without its convolution.

Dao and Gu 2024, sections 2.1 (equation 2) and 2.4: h_t = a_t h_{t-1} + B_t x_t with a number a_t for all of
the state, and the output C_t^T h_t; D x_t is added to it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer, Reading
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import READS_OLD, UPDATE_FIRST, theorem
from theory.linear_recurrences.shared.variants import EFFORT, corrected, exactly, refuted, sizes, vectors
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights


def weights(n: int) -> Signature:
    """A channel's D, a, the vectors B and C, and one number x; a step's size is a factor of a and of B."""
    entries = (constant("D"), by_symbol("a"), *vectors("B", "C", size=n), by_symbol("x"))
    return Signature((constant("h_0", (n,)), *entries), size=("N", n), most_small=150)


# The recurrence, as printed, for one channel: a h_j + B_j x, and the output C^T h + D x.


def update(of: Any, part: str, j: Any) -> Any:
    """B_j x."""
    return of.times(of.at("B", j), of.at("x"))


def skip(of: Any) -> Any:
    """D x."""
    return of.times(of.at("D"), of.at("x"))


READING = Reading(
    printed=lambda of: of.plus(of.sum(lambda i: of.times(of.at("C", i), of.at("h", i))), skip(of)),
    weight=lambda of, p, i: of.at("C", i),
    skip=skip,
)
LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(of.at("a"), of.at("h", j)), update(of, part, j)),
    update=update,
    decay=lambda of, p, q, j: of.at("a"),
    reading=READING,
    parts=("h",),
)
CASES = sizes(weights)

CLAIM = Claim(
    name="mamba-2",
    title="Mamba-2 is an automaton",
    statement=(
        "A channel's output C_t^T h_t + D x_t of Mamba-2, h_t = a_t h_{t-1} + B_t x_t, is the Forward score"
        " of an automaton with N + 2 states, N the size of the state."
    ),
    source=Source("dao2024transformers", "2.4", "State-space duality", ("2",)),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is left out: with it the states are those of mamba.",
        FIRST_UNIT,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with N + 2 states: 1, the numbers of the state, and the output",
            theorem=theorem(
                "mamba_2",
                "mamba_2_output {h_0} {D} {a} {B} {C} {x} {word}",
                "mamba_2_automaton {h_0} {D} {a} {B} {C} {x}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": exactly(0, 0),
            "D": Fraction(1),
            "a": {"a": Fraction(1, 2), "b": Fraction(1)},
            "B": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "C": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "x": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("N", 2),
    ),
    uses=("gla",),
    effort=EFFORT,
)
