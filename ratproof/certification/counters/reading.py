"""An approximation of the depth by a linear map of the cell state, fitted on random living strings.

For the best single unit, the largest error over the proved boxes is also computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from automata.aliases import Floats
from automata.errors import InputError
from ratproof.certification.counters.boxes import Boxes
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.counters.points import CounterPoints

STRINGS = 64


@dataclass(frozen=True)
class CellReading:
    """A linear map from the cell state to the depth, fitted on half of a sample of random living strings.

    The errors are computed on the whole sample.

    Attributes:
        weights, offset: The map, weights c + offset, which approximates the depth.
        r_squared, largest_error: The errors of the map.
        depth_changes: The smallest and largest change of the map's value at ``(``, at ``)`` and at a letter.
        drift: The slope of the mean error as a function of the number of symbols.
        unit, scale, shift: The single unit whose map, scale c_unit + shift, has the smallest error.
        unit_error: The largest error of that unit's map.
        proved_error: The largest error of that unit's map on all strings of the soft theorem, or ``None`` if
            it is not proved.
        strings, length: The number and the length of the strings.
    """

    weights: Floats
    offset: float
    r_squared: float
    largest_error: float
    depth_changes: dict[str, tuple[float, float]]
    drift: float
    unit: int
    scale: float
    shift: float
    unit_error: float
    proved_error: Fraction | None
    strings: int
    length: int


def read(numbers: CounterNumbers, height: int, length: int) -> CellReading:
    """Fit a linear map from the cell state to the depth, on random living strings.

    The strings have a limited length and height.
    """
    random = np.random.default_rng(0)
    points, depth_changes = (
        CounterPoints(numbers),
        np.array([numbers.depth_change(t) for t in range(len(numbers.alphabet))]),
    )
    letters = np.flatnonzero(depth_changes == 0)
    share, rise = random.random(STRINGS), random.uniform(0.4, 0.7, STRINGS)
    h, c = (np.repeat(part, STRINGS, axis=0) for part in points.first())
    depth, cells, depths, read = np.zeros(STRINGS, dtype=np.int64), [c], [np.zeros(STRINGS)], []
    for _ in range(length):
        up = ((random.random(STRINGS) < rise) | (depth == 0)) & (depth < height)
        tokens = np.where(up, numbers.opening, numbers.closing)
        idle = (depth == 0) & (height == 0)
        if len(letters):
            idle |= random.random(STRINGS) < share
            tokens = np.where(idle, random.choice(letters, STRINGS), tokens)
        h, c = points.step(h, c, tokens)
        depth = depth + depth_changes[tokens]
        cells.append(c)
        depths.append(depth.astype(float))
        read.append(depth_changes[tokens])
    return _fitted(np.array(cells), np.array(depths), np.array(read).reshape(length, STRINGS))


def _fitted(cells: Floats, depths: Floats, read: Floats) -> CellReading:
    """Fit the linear map from cell states, of shape ``(T + 1, B, d)``, to depths, of shape ``(T + 1, B)``.

    ``read`` contains the depth changes of the symbols, of shape ``(T, B)``.
    """
    half = STRINGS // 2
    rows, wanted = cells[:, :half].reshape(-1, cells.shape[2]), depths[:, :half].reshape(-1)
    if not np.isfinite(cells).all():
        raise InputError(
            "the cell state must be finite in float64, got an overflow; the weights are too large"
        )
    ones = np.ones((len(rows), 1))
    fit = np.linalg.lstsq(np.concatenate([rows, ones], axis=1), wanted, rcond=1e-10)[0]
    estimate = cells @ fit[:-1] + fit[-1]
    errors, change = estimate - depths, np.diff(estimate, axis=0)
    alone = []
    for unit in range(cells.shape[2]):
        column = np.concatenate([rows[:, [unit]], ones], axis=1)
        scale, shift = np.linalg.lstsq(column, wanted, rcond=1e-10)[0]
        off = float(np.abs(scale * cells[:, :, unit] + shift - depths).max())
        alone.append((off, unit, float(scale), float(shift)))
    off, unit, scale, shift = min(alone)
    spread = float(((depths - depths.mean()) ** 2).sum())
    time = np.arange(len(cells)) - (len(cells) - 1) / 2
    return CellReading(
        fit[:-1],
        float(fit[-1]),
        1 - float((errors**2).sum()) / spread if spread else float("nan"),
        float(np.abs(errors).max()),
        {
            name: (float(change[read == depth_change].min()), float(change[read == depth_change].max()))
            for name, depth_change in (("(", 1), (")", -1), ("letter", 0))
            if (read == depth_change).any()
        },
        float((errors.mean(axis=1) * time).sum() / max((time**2).sum(), 1)),
        unit,
        scale,
        shift,
        off,
        None,
        STRINGS,
        len(read),
    )


def with_proof(reading: CellReading, boxes: Boxes) -> CellReading:
    """Return the reading with ``proved_error``, the exact largest error over the boxes of living strings."""
    scale, shift, most = Fraction(reading.scale), Fraction(reading.shift), Fraction(0)
    for node, (dead, height) in enumerate(boxes.explored.classes):
        for end in [] if dead else boxes.c[:, node, reading.unit].tolist():
            most = max(most, abs(scale * Fraction(end) + shift - height))
    return replace(reading, proved_error=most)
