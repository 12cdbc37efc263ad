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
    """Return the affine map of a token's step, which updates the momentum m and then the memory s.

    The step is m <- mu m + left right^T s + write, and then s <- keep s + amount m with the new m. The output
    is q^T s. In the state, s comes before m.
    """
    n = len(q)
    moves = erasing([keep for _ in q], [-amount * x for x in left], right)
    for j in range(n):
        moves |= {(i, n + j): left[j] * right[i] for i in range(n)}
        moves |= {(n + j, j): amount * mu, (n + j, n + j): mu}
    return AffineStep([*(amount * x for x in write), *write], moves, q)
