"""A cell with memory, whose alpha depends on more than h and the symbol.

The cell computes c = c + V h + W_x and u = hardtanh(U h + c). It shows that Theorem 3.1 (Wang & Niepert 2019)
needs the hypothesis that the network is memoryless.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.reading import Recurrence
from theory.state_regularized.shared.networks import (
    Place,
    Vector,
    at,
    at_each,
    clipped,
    pushed,
    similarities,
    softmax,
)
from theory.weights import Weights


def zero(w: Weights) -> Vector:
    """Return the cell state before the first symbol."""
    return (Fraction(0),) * len(w.S[0])


def with_memory(w: Weights, h: Vector, c: Vector, x: str) -> tuple[Vector, Vector]:
    """Return alpha, the distribution over the centroids, and the next state c of the cell with memory."""
    cell = tuple(
        now + sum(v * n for v, n in zip(row, h, strict=True)) + b
        for now, row, b in zip(c, w.V, w.W[x], strict=True)
    )
    u = tuple(
        clipped(sum(v * n for v, n in zip(row, h, strict=True)) + now)
        for row, now in zip(w.U, cell, strict=True)
    )
    return softmax(w, similarities(w, u)), cell


with_cell_state = Recurrence(
    start=lambda w: at(w, Place(w.S[0], 1, zero(w))),
    step=lambda w, law, x: pushed(w, law, x, with_memory),
    out=at_each,
)


def at_zero(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """Return the result of :func:`with_memory` for the cell state 0; ``c`` is ignored."""
    return with_memory(w, h, zero(w), x)
