"""Longhorn: K + 2 states.

Liu et al. 2024: one value's state is s_t = (1 - delta_t k_t^2) s_{t-1} + delta_t k_t x_t, number
by number, with delta = beta / (1 + beta k^T k), the step of an online learner whose matrix is taken as
diagonal; the output is q_t^T s_t.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import READ, theorem
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
from theory.weights import Weights, total


def delta(w: Weights, x: str) -> Any:
    """beta / (1 + beta k^T k), as printed; beta is drawn not negative."""
    return w.beta[x] / (1 + w.beta[x] * square(w, x))


def square(w: Weights, x: str) -> Any:
    """k^T k."""
    return total(w.over, (number * number for number in w.k[x]))


def best_step(w: Weights, x: str) -> Any:
    """The number c for which c k is best to add to the state 0 where the key k should read 1: the learner's
    |c k|^2 + beta (c k^T k - 1)^2 = a c^2 - 2 b c + beta is least at b / a.
    """
    k, beta = square(w, x), w.beta[x]
    a, b = k + beta * k * k, beta * k
    return b / a if a else beta


def weights(k: int) -> Signature:
    """A head's beta, queries and keys, one number of its inputs, and delta, which follows."""
    beta = by_symbol("beta", only=(0, 1, "1/2", 2, 3))
    step_size = by_symbol("delta", derived=best_step)
    return memory(MINUS, beta, *vectors("q", "k", size=k), by_symbol("x"), step_size, size=k)


# The recurrence, as printed, for one column: (1 - delta k_j^2) s_j + delta k_j x.


def gate(of: Any, j: Any) -> Any:
    """1 - delta k_j^2."""
    return of.plus(
        of.one, of.times(of.at("minus"), of.times(of.at("delta"), of.times(of.at("k", j), of.at("k", j))))
    )


def update(of: Any, part: str, j: Any) -> Any:
    """delta k_j x."""
    return of.times(of.at("delta"), of.times(of.at("k", j), of.at("x")))


LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(gate(of, j), of.at("s", j)), update(of, part, j)),
    update=update,
    decay=lambda of, p, q, j: gate(of, j),
    reading=READ,
    printed={"delta": delta},
)

# The learner's own step, whose matrix is 1 - delta k k^T: not diagonal.

WHOLE = replace(
    LAYER,
    decay=lambda of, p, q, j: of.one,
    terms=(
        (
            lambda of, j: of.times(of.at("minus"), of.times(of.at("delta"), of.at("k", j))),
            lambda of, i: of.at("k", i),
        ),
    ),
)
CASES = sizes(weights)
SMALL = narrow(weights, small=(2,), q=(1,), k=(1,), beta=(1,), x=(0,))

CLAIM = Claim(
    name="longhorn",
    title="Longhorn is an automaton",
    statement=(
        "Each number of the output S_t q_t of Longhorn, S_t = (1 - delta_t k_t^2) S_{t-1} + delta_t x_t"
        " k_t^T with delta = beta / (1 + beta k^T k), is the Forward score of an automaton with K + 2"
        " states."
    ),
    source=Source("liu2024longhorn", "", "Longhorn"),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is left out.",
        "The matrix of the online learner's step is taken as diagonal, as the paper does.",
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
                "longhorn",
                "longhorn_output {s_0} {minus} {q} {k} {delta} {x} {word}",
                "longhorn_automaton {s_0} {minus} {q} {k} {delta} {x}",
            ),
        ),
        refuted(
            "without-diagonal-step",
            "the automaton of the learner's whole matrix 1 - delta k k^T, where the layer keeps its diagonal",
            LAYER.recurrence,
            WHOLE.automata,
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
            "x": {"a": Fraction(2), "b": Fraction(-1)},
            "delta": {"a": Fraction(1, 2), "b": Fraction(1, 4)},
        },
        ("K", 2),
    ),
    uses=("gla",),
    effort=EFFORT,
)
