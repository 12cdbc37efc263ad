"""The search, in float arithmetic, for boxes around nodes that each symbol maps into each other.

:mod:`ratproof.certification.counters.proof` then verifies the boxes. A node
(:mod:`ratproof.certification.counters.exploration`) is a set of states that behave in the same way.

A box has an interval for each entry of h and c. The next cell state is ``c' = f c + m`` with m = i g, and f
and m are enclosed over the whole box.

The cell's bounds after at most n symbols are computed from the bounds after at most n - 1 symbols. A count
that drifts slightly at each symbol therefore only needs a box that is as wide as its total drift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.counters.exploration import OUT, Explored
from ratproof.certification.counters.heights import balanced
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.counters.points import EDGE, CounterPoints

ROUNDS = 60
SPEED = 40
"""Number of the last iterations from which the search extrapolates growth; the proof does not extrapolate."""
WIDER = 0.02
LEAST = 1e-7


@dataclass(frozen=True)
class Boxes:
    """Nodes with boxes.

    Attributes:
        explored: The nodes.
        h, c: The corners, lower and upper, shape ``(2, nodes, d)``; c may be infinite for saturated gates.
    """

    explored: Explored
    h: Floats
    c: Floats


@dataclass(frozen=True)
class BoxArrows:
    """All A transitions between nodes.

    Attributes:
        source, group, target: For each transition, the node that it leaves, the index of its group of
            symbols, and the node that it enters. Each array has shape ``(A,)``.
    """

    source: NDArray[np.int64]
    group: NDArray[np.int64]
    target: NDArray[np.int64]

    @staticmethod
    def of(explored: Explored) -> BoxArrows:
        source, group = np.nonzero(explored.after != OUT)
        return BoxArrows(source, group, explored.after[source, group])

    def widened(self, bounds: Floats, least: Floats, most: Floats) -> Floats:
        """Return each node's ``bounds``, widened to contain the interval of each transition into the node."""
        out = bounds.copy()
        np.minimum.at(out[0], self.target, least)
        np.maximum.at(out[1], self.target, most)
        return out


class CounterImages:
    """The images of boxes as float intervals without directed rounding.

    Args:
        numbers: The network.
        saturated: Whether the gates are saturated.
        groups: Groups of symbols; a group is enclosed as if it were one symbol.
    """

    def __init__(self, numbers: CounterNumbers, saturated: bool, groups: list[list[int]]) -> None:
        self.n, self.saturated = numbers, saturated
        reads = CounterPoints(numbers).reads
        self.reads = np.array([[reads[g].min(axis=0), reads[g].max(axis=0)] for g in groups]).swapaxes(0, 1)
        self.end = reads[[numbers.end]]

    def gates(self, h: Floats, c: Floats, reads: Floats) -> tuple[Floats, Floats, Floats]:
        """Return f and m of the next cell state c' = f c + m, and o, the output gate's preactivation.

        f is the forget gate and m = i g. o does not include the peephole. They are intervals over B boxes,
        each of shape ``(2, B, d)``.
        """
        n = self.n
        middle, radius = 0.5 * (h[0] + h[1]), 0.5 * (h[1] - h[0])
        inside, off = middle @ n.U.T, radius @ np.abs(n.U).T
        pre = np.stack([reads[0] + inside - off, reads[1] + inside + off])
        i, f, g, o = np.split(pre, 4, axis=2)
        f = self._sigmoid(f + times(n.P[1], c))
        i = self._sigmoid(i + times(n.P[0], c))
        return f, times(i, self._tanh(g)), o

    def output(self, o: Floats, c: Floats) -> Floats:
        """Return the recurrent component's output u: the output gate times tanh(c).

        ``o`` is the gate's preactivation without the peephole, and c is the new cell state.
        """
        return times(self._sigmoid(o + times(self.n.P[2], c)), np.tanh(c))

    def mix(self, u: Floats) -> Floats:
        """Return the next h from the recurrent component's output u: u itself, or a mixture of centroids."""
        n = self.n
        if n.S is None or n.temperature is None:
            return u
        label = (u.mean(axis=0) @ n.S).argmax(axis=1)
        differences = n.S.T[None] - n.S.T[label][:, None]  # (B, k, d)
        ends = np.stack([differences * u[0][:, None], differences * u[1][:, None]])
        gaps = np.stack([ends.min(axis=0).sum(axis=2), ends.max(axis=0).sum(axis=2)]) / n.tau
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = np.exp(gaps)
            others = 1 - np.eye(low.shape[1])
            alpha = np.stack(
                [
                    np.nan_to_num(low / (low + high @ others)),
                    np.nan_to_num(high / (high + low @ others), nan=1),
                ]
            )
        parts = np.stack([alpha[0][..., None] * differences, alpha[1][..., None] * differences])
        moved = np.stack([parts.min(axis=0).sum(axis=1), parts.max(axis=0).sum(axis=1)])
        return np.asarray(n.S.T[label] + moved)

    def logits(self, h: Floats, c: Floats) -> Floats:
        """Return the bounds of the classifier's logits after the end token, shape ``(2, B)``."""
        f, m, o = self.gates(h, c, np.stack([self.end, self.end]))
        u = self.output(o, times(f, c) + m)
        ends = u * self.n.w
        return np.asarray(np.stack([ends.min(axis=0).sum(axis=1), ends.max(axis=0).sum(axis=1)]) + self.n.v)

    def _sigmoid(self, x: Floats) -> Floats:
        return self._gate(x, lambda v: 0.5 * (1 + np.tanh(0.5 * v)), 0.0)

    def _tanh(self, x: Floats) -> Floats:
        return self._gate(x, np.tanh, -1.0)

    def _gate(self, x: Floats, soft, least: float) -> Floats:  # type: ignore[no-untyped-def]
        if not self.saturated:
            return np.asarray(soft(x))
        low = np.where(x[0] > EDGE, 1.0, np.where(x[0] < -EDGE, least, soft(x[0])))
        high = np.where(x[1] > EDGE, 1.0, np.where(x[1] < -EDGE, least, soft(x[1])))
        return np.stack([low, high])


def times(one: Floats, other: Floats) -> Floats:
    """Return products of intervals ``(2, ...)``, or of numbers and intervals; zero times infinity is zero."""
    with np.errstate(invalid="ignore"):
        if one.ndim == other.ndim:
            products = np.stack([one[0] * other[0], one[0] * other[1], one[1] * other[0], one[1] * other[1]])
        else:
            products = np.stack([one * other[0], one * other[1]])
    products = np.nan_to_num(products, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return np.stack([products.min(axis=0), products.max(axis=0)])


def close(numbers: CounterNumbers, explored: Explored, length: int | None) -> Boxes | str:
    """Search for boxes that contain all states after at most ``length`` symbols.

    If ``length`` is ``None``, the gates are saturated and the length is unlimited. Return the reason if the
    search fails.
    """
    saturated = length is None
    arrows, images = BoxArrows.of(explored), CounterImages(numbers, saturated, explored.groups)
    h, c = np.stack([explored.h] * 2), np.stack([explored.c] * 2)
    start = (h[:, :1].copy(), c[:, :1].copy())
    h, c = loosened(h), loosened(c)
    reads = images.reads[:, arrows.group]
    wanted = np.array([balanced(one) for one in explored.classes])
    for _ in range(ROUNDS):
        logits = images.logits(h, c)
        unsure = np.flatnonzero(np.where(wanted, logits[0] <= 0, logits[1] >= 0))
        if len(unsure):
            return _uncertain_decision(numbers, explored, int(unsure[0]))
        f, m, o = images.gates(h[:, arrows.source], c[:, arrows.source], reads)
        new_c = grow(arrows, f, m, only_first(start[1], len(explored.classes)), length)
        image = times(f, c[:, arrows.source]) + m
        bound = c[:, arrows.target]
        image = np.stack([np.maximum(image[0], bound[0]), np.minimum(image[1], bound[1])])
        image = np.stack([np.minimum(image[0], image[1]), np.maximum(image[0], image[1])])
        first_h = only_first(start[0], len(explored.classes))
        new_h = arrows.widened(first_h, *images.mix(images.output(o, image)))
        if inside(loosened(new_h), h) and inside(loosened(new_c), c):
            return Boxes(explored, h, c)
        h, c = grown(h, new_h), grown(c, new_c)
    return "the boxes of states do not close: they grow with every round of the search"


def only_first(start: Floats, nodes: int) -> Floats:
    """Return the interval of node 0 and empty intervals, from infinity to minus infinity, of other nodes."""
    bounds = np.stack([np.full((nodes, start.shape[2]), np.inf), np.full((nodes, start.shape[2]), -np.inf)])
    bounds[:, :1] = start
    return bounds


def grow(arrows: BoxArrows, f: Floats, m: Floats, bounds: Floats, length: int | None) -> Floats:
    """Return the bounds of c at each node after at most ``length`` symbols, from those before the first.

    If the bounds still grow after some iterations, the growth is extrapolated linearly, or to infinity if
    ``length`` is ``None``.
    """
    most = 2 * bounds.shape[1] + 2 * SPEED
    rounds, history = most if length is None else min(length, most), bounds
    for n in range(rounds):
        if n == rounds - SPEED:
            history = bounds
        following = _once(arrows, f, m, bounds)
        if (following == bounds).all():
            return bounds
        bounds = following
    if length is not None and rounds == length:
        return bounds
    far = np.inf if length is None else (length - rounds) / SPEED
    with np.errstate(invalid="ignore"):
        speed = np.nan_to_num(bounds - history, nan=0.0, posinf=0.0, neginf=0.0)
        speed[np.abs(speed) < 1e-13] = 0
        return np.asarray(bounds + np.nan_to_num(speed * far, nan=0.0, posinf=np.inf, neginf=-np.inf))


def _once(arrows: BoxArrows, f: Floats, m: Floats, bounds: Floats) -> Floats:
    low, high = bounds[0][arrows.source], bounds[1][arrows.source]
    with np.errstate(invalid="ignore"):
        least = np.where(low >= 0, f[0], f[1]) * low + m[0]
        most = np.where(high >= 0, f[1], f[0]) * high + m[1]
    never = low > high  # no string has reached this node yet
    least = np.where(never, np.inf, np.where(np.isnan(least), m[0], least))
    most = np.where(never, -np.inf, np.where(np.isnan(most), m[1], most))
    return arrows.widened(bounds, least, most)


def inside(one: Floats, other: Floats) -> bool:
    """Return whether every interval of the first array is inside the interval of the second."""
    return bool((one[0] >= other[0]).all() and (one[1] <= other[1]).all())


def grown(box: Floats, image: Floats) -> Floats:
    """Return a box that contains ``box`` and ``image``, enlarged by a fraction of ``image - box``."""
    with np.errstate(invalid="ignore"):
        step = np.nan_to_num(WIDER * (image - box), nan=0.0, posinf=0.0, neginf=0.0)
    ends = image + np.stack([np.minimum(step[0], 0), np.maximum(step[1], 0)])
    ends = loosened(loosened(ends))
    return np.stack([np.minimum(box[0], ends[0]), np.maximum(box[1], ends[1])])


def loosened(one: Floats) -> Floats:
    """Widen intervals slightly, because rigorous enclosures may be wider than float intervals."""
    return one + LEAST / 4 * _sizes(one)


def _sizes(one: Floats) -> Floats:
    sizes = np.maximum(1, np.where(np.isfinite(one), np.abs(one), 1))
    return np.stack([-sizes[0], sizes[1]])


def _uncertain_decision(numbers: CounterNumbers, explored: Explored, node: int) -> str:
    dead, height = explored.classes[node]
    what = f"{'dead' if dead else 'living'} strings at height {height}"
    word = " ".join(str(numbers.alphabet[t]) for t in explored.words[node])
    return f"the decision on {what} is not certain, in the box around the state after {word!r}"
