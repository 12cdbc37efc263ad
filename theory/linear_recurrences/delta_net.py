"""DeltaNet: K + 2 states.

Schlag et al. 2021, section 4.2: the delta rule W_t = W_{t-1} + beta_t (v_t - W_{t-1} phi(k_t)) phi(k_t)^T,
and the output W_t phi(q_t). With S = W^T, one column of S is what writes and reads one number of the values.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import READ, READS_OLD, UPDATE_FIRST, theorem, write
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    MINUS,
    corrected,
    exactly,
    memory,
    narrow,
    refuted,
    sizes,
    vectors,
)
from theory.signature import Signature, by_symbol
from theory.weights import Weights


def weights(k: int) -> Signature:
    """A head's beta, queries and keys (after phi), and one number of its values."""
    return memory(MINUS, by_symbol("beta"), *vectors("q", "k", size=k), by_symbol("v"), size=k)


# The recurrence, as printed, for one column: s_j + beta k_j (v - s^T k).


def step(of: Any, part: str, j: Any) -> Any:
    """What is written is corrected by what is there."""
    there = of.sum(lambda i: of.times(of.at("k", i), of.at("s", i)))
    error = of.plus(of.at("v"), of.times(of.at("minus"), there))
    return of.plus(of.at("s", j), of.times(of.at("beta"), of.times(of.at("k", j), error)))


# What of it is which factor: 1 - (beta k) k^T, and beta k v.


def erase(of: Any, j: Any) -> Any:
    """- beta k_j."""
    return of.times(of.at("minus"), of.times(of.at("beta"), of.at("k", j)))


LAYER = Layer(
    step=step,
    update=lambda of, part, j: of.times(of.at("beta"), write(of, j)),
    decay=lambda of, p, q, j: of.one,
    terms=((erase, lambda of, i: of.at("k", i)),),
    reading=READ,
)
CASES = sizes(weights)
SMALL = narrow(weights, q=(1,), k=(1, 0), beta=(1, 0))

CLAIM = Claim(
    name="delta-net",
    title="DeltaNet is an automaton",
    statement=(
        "Each number of the output S_t^T q_t of a head of DeltaNet, S_t = S_{t-1} + beta_t k_t (v_t -"
        " S_{t-1}^T k_t)^T, is the Forward score of an automaton with K + 2 states, K the length of keys."
    ),
    source=Source("schlag2021linear", "4.2", "Delta rule"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        "Keys need not have length 1, nor betas be between 0 and 1.",
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix has 1 - beta k k^T among the numbers",
            theorem=theorem(
                "delta_net",
                "delta_net_output {s_0} {minus} {beta} {q} {k} {v} {word}",
                "delta_net_automaton {s_0} {minus} {beta} {q} {k} {v}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES, SMALL),
        refuted(
            "without-correction",
            "the automaton of linear attention, which writes beta k v and erases nothing",
            LAYER.recurrence,
            replace(LAYER, terms=()).automata,
            CASES,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "minus": Fraction(-1),
            "beta": {"a": Fraction(1), "b": Fraction(1, 2)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("linear-attention",),
    effort=EFFORT,
)
