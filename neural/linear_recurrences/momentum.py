"""The affine step of delta rules with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neural.linear_recurrence_cell import AffineStep, erasing


def momentum_step(
    mu: Any,
    keep: Any,
    amount: Any,
    left: Sequence[Any],
    right: Sequence[Any],
    write: Sequence[Any],
    q: Sequence[Any],
) -> AffineStep:
    """Return the step m <- mu m + left right^T s + write, then s <- keep s + amount m, and the output q^T s.

    In the state, the memory s comes before the momentum m.
    """
    n = len(q)
    moves = erasing([keep for _ in q], [-amount * x for x in left], right)
    for j in range(n):
        moves |= {(i, n + j): left[j] * right[i] for i in range(n)}
        moves |= {(n + j, j): amount * mu, (n + j, n + j): mu}
    return AffineStep([*(amount * x for x in write), *write], moves, q)
