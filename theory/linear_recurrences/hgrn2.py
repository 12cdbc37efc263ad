"""HGRN2: K + 2 states.

Qin et al. 2024: HGRN with its state expanded by an outer product, h_t = diag(f_t) h_{t-1} +
(1 - f_t) i_t^T, and the output o_t h_t: gated linear attention whose keys are 1 - f.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer, Reading
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_UNIT, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    MINUS,
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
    """A head's forget gates and output gates, and one number of its inputs."""
    return memory(MINUS, *vectors("f", "o", size=k), by_symbol("i"), first="h", size=k)


# The recurrence, as printed, for one column: f_j h_j + (1 - f_j) i.


def write(of: Any, part: str, j: Any) -> Any:
    """(1 - f_j) i."""
    return of.times(of.plus(of.one, of.times(of.at("minus"), of.at("f", j))), of.at("i"))


def step(of: Any, part: str, j: Any) -> Any:
    """f_j h_j + (1 - f_j) i."""
    return of.plus(of.times(of.at("f", j), of.at("h", j)), write(of, part, j))


LAYER = Layer(
    step=step,
    update=write,
    decay=lambda of, p, q, j: of.at("f", j),
    reading=Reading(
        printed=lambda of: of.sum(lambda j: of.times(of.at("o", j), of.at("h", j))),
        weight=lambda of, p, j: of.at("o", j),
    ),
    parts=("h",),
)
UNTIED = replace(LAYER, update=lambda of, part, j: of.at("i"))
CASES = sizes(weights)

CLAIM = Claim(
    name="hgrn2",
    title="HGRN2 is an automaton",
    statement=(
        "Each number of the output o_t h_t of a head of HGRN2, h_t = diag(f_t) h_{t-1} + (1 - f_t) i_t^T, is"
        " the Forward score of an automaton with K + 2 states, K the expansion."
    ),
    source=Source("qin2024hgrn2", "", "HGRN2"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_UNIT,
        NO_TOKENS,
        "The key is tied to the gate: it is 1 - f.",
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states: 1, the numbers of the column, and the output",
            theorem=theorem(
                "hgrn2",
                "hgrn2_output {h_0} {minus} {f} {o} {i} {word}",
                "hgrn2_automaton {h_0} {minus} {f} {o} {i}",
            ),
        ),
        refuted(
            "without-tied-keys",
            "an automaton that writes i where the layer writes (1 - f) i",
            LAYER.recurrence,
            UNTIED.automata,
            CASES,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": exactly(0, 0),
            "minus": Fraction(-1),
            "f": {"a": exactly(1, "1/2"), "b": exactly("1/2", "1/4")},
            "o": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "i": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("gla",),
    effort=EFFORT,
)
