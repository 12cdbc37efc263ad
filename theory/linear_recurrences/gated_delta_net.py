"""Gated DeltaNet: K + 2 states.

Yang et al. 2025, section 3.1: S_t = S_{t-1} (alpha_t (1 - beta_t k_t k_t^T)) + beta_t v_t k_t^T, and the
output S_t q_t. Kimi's delta attention has an alpha for each number of a key.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.delta_net import erase
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
    """A head's alpha and beta, queries and keys, and one number of its values."""
    return memory(
        MINUS, by_symbol("alpha"), by_symbol("beta"), *vectors("q", "k", size=k), by_symbol("v"), size=k
    )


# The recurrence, as printed, for one column: alpha (s_j - beta k_j (k^T s)) + beta k_j v.


def step(of: Any, part: str, j: Any) -> Any:
    """The state is erased, and decays; then it is written."""
    there = of.sum(lambda i: of.times(of.at("k", i), of.at("s", i)))
    erased = of.plus(of.at("s", j), of.times(erase(of, j), there))
    return of.plus(of.times(of.at("alpha"), erased), of.times(of.at("beta"), write(of, j)))


LAYER = Layer(
    step=step,
    update=lambda of, part, j: of.times(of.at("beta"), write(of, j)),
    decay=lambda of, p, q, j: of.at("alpha"),
    terms=((lambda of, j: of.times(of.at("alpha"), erase(of, j)), lambda of, i: of.at("k", i)),),
    reading=READ,
)
UNGATED = replace(LAYER, terms=((erase, lambda of, i: of.at("k", i)),))
CASES = sizes(weights)
SMALL = narrow(weights, q=(1,), k=(1, 0), beta=(1, 0))

CLAIM = Claim(
    name="gated-delta-net",
    title="gated DeltaNet is an automaton",
    statement=(
        "Each number of the output S_t q_t of a head of gated DeltaNet, S_t = alpha_t S_{t-1} (1 - beta_t"
        " k_t k_t^T) + beta_t v_t k_t^T, is the Forward score of an automaton with K + 2 states, K the"
        " length of keys."
    ),
    source=Source("yang2025gateddelta", "3.1", "Gated delta rule"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        "What is erased is read from the state that has decayed: alpha is a factor of the whole matrix.",
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix has alpha (1 - beta k k^T) among the numbers",
            theorem=theorem(
                "gated_delta_net",
                "gated_delta_net_output {s_0} {minus} {alpha} {beta} {q} {k} {v} {word}",
                "gated_delta_net_automaton {s_0} {minus} {alpha} {beta} {q} {k} {v}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES),
        refuted(
            "without-decay-first",
            "an automaton that erases what is read from the state before its decay: alpha - beta k k^T",
            LAYER.recurrence,
            UNGATED.automata,
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
            "alpha": {"a": Fraction(1, 2), "b": Fraction(1)},
            "beta": {"a": Fraction(1), "b": Fraction(1, 2)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("delta-net",),
    effort=EFFORT,
)
