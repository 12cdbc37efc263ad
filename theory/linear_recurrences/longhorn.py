"""Longhorn as an automaton with K + 2 states.

Liu et al. 2024: the state of one value is s_t = (1 - delta_t k_t^2) s_{t-1} + delta_t k_t x_t
elementwise, with delta = beta / (1 + beta k^T k). This is the step of an online learner whose
matrix is replaced by its diagonal. The output is q_t^T s_t.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import (
    COLUMN,
    COLUMN_DIFFERENCES,
    FIRST_STATE,
    LINEAR_OUTPUT,
    NO_TOKENS,
    TOKENS,
)
from theory.weights import Weights, total


def delta(w: Weights, x: str) -> Any:
    """Return the step size delta = beta / (1 + beta k^T k), as printed; no drawn beta is negative."""
    return w.beta[x] / (1 + w.beta[x] * square(w, x))


def square(w: Weights, x: str) -> Any:
    """Return k^T k, the square of the key's norm."""
    return total(w.over, (number * number for number in w.k[x]))


def best_step(w: Weights, x: str) -> Any:
    """Return the step size c for which c k is the optimal update of the zero state.

    The key is k and the value is 1. This is delta, computed in another way than by the printed formula.
    The learner's loss |c k|^2 + beta (c k^T k - 1)^2 = a c^2 - 2 b c + beta is least at c = b / a.
    """
    k, beta = square(w, x), w.beta[x]
    a, b = k + beta * k * k, beta * k
    return b / a if a else beta


weights = records.Names(
    "s_0[K] minus | beta q[K] k[K] x delta", only={"beta": (0, 1, "1/2", 2, 3)}, derived={"delta": best_step}
)


def gate(t: Any, j: Any) -> Any:
    """Return 1 - delta k_j^2, the factor of component j of the previous state."""
    return t.one + t.minus * (t.delta * (t.k[j] * t.k[j]))


def update(t: Any, j: Any) -> Any:
    """Return delta k_j x, component j of the update."""
    return t.delta * (t.k[j] * t.x)


LAYER = AffineLayer(
    step=lambda t, j: gate(t, j) * t.s[j] + update(t, j),  # as printed, for one column
    update=update,
    decay=gate,
    reading=records.READ,
    printed={"delta": delta},
)
# The learner's own step, whose matrix 1 - delta k k^T is not diagonal.
WHOLE = replace(
    LAYER, decay=lambda t, j: t.one, terms=((lambda t, j: t.minus * (t.delta * t.k[j]), lambda t, i: t.k[i]),)
)
CASES = records.sizes(weights)
SMALL = records.narrow(weights, small=(2,), q=(1,), k=(1,), beta=(1,), x=(0,))

CLAIM = Claim(
    name="longhorn",
    title="Longhorn is an automaton",
    statement=(
        "Each component of the output S_t q_t of Longhorn, S_t = (1 - delta_t k_t^2) S_{t-1} + delta_t x_t"
        " k_t^T with delta = beta / (1 + beta k^T k), is the Forward score of an automaton with K + 2"
        " states."
    ),
    source=Source("liu2024longhorn", "", "Longhorn"),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is omitted.",
        "The matrix of the online learner's step is approximated by its diagonal, as in the paper.",
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        records.corrected(
            LAYER, CASES, records.COLUMN_STATES, records.theorem("longhorn", "s_0 minus q k delta x")
        ),
        records.refuted(
            "without-diagonal-step",
            "the automaton of the learner's full matrix 1 - delta k k^T, whereas the layer keeps its"
            " diagonal",
            LAYER,
            WHOLE,
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The convolution before the recurrence is left out.",
        "delta is any number for each token and value in the proof, in place of beta / (1 + beta k^T k).",
        (
            "The paper states that the update is the solution of an online problem; only its closed"
            " form, in which the matrix is replaced by its diagonal, is used."
        ),
    ),
    example=weights(2).example(),
    uses=("gla",),
    layers=("longhorn",),
    layers_are_cases=False,
    effort=records.EFFORT,
)
