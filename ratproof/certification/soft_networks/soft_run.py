"""The points of the soft run: a finite net of the mixtures alpha that a network reaches.

They are computed in float arithmetic, with the next point after each symbol.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.soft_networks.floats import Points
from ratproof.certification.soft_networks.numbers import Numbers

MOST_POINTS = 3000
GRAINS = (1e-2, 1e-3, 1e-4, 1e-5)
"""Distances within which a new point is identified with a known one, from coarse to fine."""


@dataclass(frozen=True)
class SoftRunNet:
    """A finite set of reached mixtures; mixtures closer than a distance, the grain, share a point.

    Attributes:
        alpha: Shape ``(P, k)``; point 0 is before the first symbol.
        after: The point after each symbol, shape ``(P, symbols)``.
        label: The most probable centroid of each point.
        accepts: The classifier's decision at each point.
    """

    alpha: Floats
    after: NDArray[np.int64]
    label: NDArray[np.int64]
    accepts: NDArray[np.bool_]


def net(numbers: Numbers, grain: float, most: int = MOST_POINTS) -> SoftRunNet | None:
    """Return a net of the soft run's points, or ``None`` if it has more than ``most`` points."""
    points, symbols = Points(numbers), len(numbers.alphabet)
    buffer = np.empty((most, numbers.k))
    buffer[0], size = points.first()[0], 1
    after = np.zeros((0, symbols), dtype=np.int64)
    while len(after) < size:
        fresh = buffer[len(after) : size]
        rows = np.empty((len(fresh), symbols), dtype=np.int64)
        for symbol in range(symbols):
            for row, image in enumerate(points.step(fresh, symbol)):
                away = np.abs(buffer[:size] - image).max(axis=1)
                nearest = int(away.argmin())
                if away[nearest] > grain:
                    if size == most:
                        return None
                    nearest, buffer[size], size = size, image, size + 1
                rows[row, symbol] = nearest
        after = np.concatenate([after, rows])
    alpha = buffer[:size].copy()
    return SoftRunNet(alpha, after, alpha.argmax(axis=1), points.accepts(alpha) > 0)


def partition(points: SoftRunNet, near: float) -> NDArray[np.int64]:
    """Return the part of each point, in the coarsest partition that all symbols respect.

    Each part has a single label and decision. Points are in different parts if every chain between them has a
    gap of more than ``near``.
    """
    part = _numbered(np.column_stack([points.label, points.accepts]))
    if near < 1:
        part = _numbered(np.column_stack([part, _linked(points.alpha, near)]))
    while True:
        finer = _numbered(np.column_stack([part, part[points.after]]))
        if finer.max() == part.max():
            return finer
        part = finer


def _numbered(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an index for each row: equal rows share an index, in order of first occurrence."""
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[number.reshape(-1)])


def _linked(alpha: Floats, near: float) -> NDArray[np.int64]:
    """Group points into connected components of points with a distance of at most ``near``."""
    part = np.full(len(alpha), -1, dtype=np.int64)
    for index in range(len(alpha)):
        if part[index] >= 0:
            continue
        part[index], queue = index, [index]
        while queue:
            joined = np.flatnonzero((part < 0) & (np.abs(alpha - alpha[queue.pop()]).max(axis=1) <= near))
            part[joined] = index
            queue += joined.tolist()
    return part
