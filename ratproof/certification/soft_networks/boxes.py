"""The search, in float arithmetic, for boxes that a network maps into each other.

A node is a set of points of the soft run (:mod:`ratproof.certification.soft_networks.soft_run`), with a box
of mixtures alpha that contains them. At first, there is one node for each state of the automaton. If the
boxes do not close, nodes are split by the distance of their points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.soft_networks.cells import RecurrentStep
from ratproof.certification.soft_networks.floats import FloatArithmetic, FloatBoxes, Points
from ratproof.certification.soft_networks.mixing import classifier_logit, next_mixture
from ratproof.certification.soft_networks.numbers import Numbers
from ratproof.certification.soft_networks.soft_run import GRAINS, MOST_POINTS, SoftRunNet, net, partition

NEARNESS = (1.0, 0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Maximum distances of neighbouring points of one node, from coarse to fine."""
MOST_NODES = 400
FEW_POINTS = 500
"""Maximum number of points of the soft run in a quick check."""
AT_ONCE = 1 << 20
"""The target size of an array of gradients in elements; a few dozen such arrays exist at a time."""
ROUNDS = 60
WIDER = 0.05
LEAST = 1e-9
"""Margin around an image, in addition to a share of its width, because rigorous enclosures are wider."""


@dataclass(frozen=True)
class Nodes:
    """An automaton whose states (nodes) have boxes.

    Attributes:
        label: The most probable centroid of each node.
        accepts: The classifier's decision at each node.
        after: The node after each symbol, shape ``(nodes, symbols)``; node 0 is the first.
        low, high: The corners of the boxes, shape ``(nodes, k)``.
    """

    label: NDArray[np.int64]
    accepts: NDArray[np.bool_]
    after: NDArray[np.int64]
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.label)


@dataclass(frozen=True)
class OpenBoxes:
    """The reason why no closed boxes were found.

    Attributes:
        why: An explanation, as a sentence.
        nodes: The last nodes that were tried, whose boxes are not closed.
    """

    why: str
    nodes: Nodes | None = None


def attempts(
    numbers: Numbers, stage: Callable[[str], None] = lambda what: None, most: int = MOST_POINTS
) -> Iterator[Nodes | OpenBoxes]:
    """Yield the result of closing the boxes of each partition, from coarse to fine.

    A result is nodes with closed boxes, or an :class:`OpenBoxes` with the reason why there are none.

    Args:
        numbers: The network.
        stage: Called with a description of each attempt.
        most: Maximum number of points of the soft run.
    """
    on = FloatArithmetic(numbers)
    for grain in GRAINS:
        stage(f"points of the soft run, {grain} apart")
        points = net(numbers, grain, most)
        if points is None:
            yield OpenBoxes(f"the soft run has more than {most} points that are {grain} apart")
            return
        for nodes in _partitions(points):
            yield nodes if isinstance(nodes, OpenBoxes) else close(on, nodes, stage=stage)


def count_closed_boxes(numbers: Numbers, tries: int = 1) -> int | None:
    """Return the number of boxes if the first attempt to close them succeeds, otherwise ``None``.

    Training uses this quick check in float arithmetic, which takes a tenth of a second for a nearly hard
    network. It also requires the soft run to agree with the transitions of the centroids.

    Args:
        numbers: The network.
        tries: Number of partitions of the soft run's points; the first has one box per state.
    """
    closed = (
        nodes for nodes in islice(attempts(numbers, most=FEW_POINTS), tries) if isinstance(nodes, Nodes)
    )
    nodes = next(closed, None)
    if nodes is None:
        return None
    points, every = Points(numbers), np.eye(numbers.k)
    table = np.stack(
        [points.step(every, symbol).argmax(axis=1) for symbol in range(len(numbers.alphabet))], axis=1
    )
    same = (table[nodes.label] == nodes.label[nodes.after]).all() and (
        (points.accepts(every) > 0)[nodes.label] == nodes.accepts
    ).all()
    return len(nodes) if same else None


def _partitions(points: SoftRunNet) -> Iterator[Nodes | OpenBoxes]:
    """Yield nodes for each partition of the soft run's points, from coarse to fine.

    If the coarsest partition is too large, yield an :class:`OpenBoxes` with the reason instead.
    """
    tried = 0
    for near in NEARNESS:
        part = partition(points, near)
        if part.max() + 1 == tried:
            continue
        if part.max() >= MOST_NODES:
            if not tried:
                size = f"the {len(points.alpha)} points of the soft run represent {part.max() + 1} states"
                yield OpenBoxes(f"{size}, but at most {MOST_NODES} boxes are supported")
            return
        tried = int(part.max()) + 1
        first = np.array([int(np.flatnonzero(part == node)[0]) for node in range(tried)])
        yield Nodes(
            label=points.label[first],
            accepts=points.accepts[first],
            after=part[points.after[first]],
            low=np.stack([points.alpha[part == node].min(axis=0) for node in range(tried)]),
            high=np.stack([points.alpha[part == node].max(axis=0) for node in range(tried)]),
        )


def close(
    on: FloatArithmetic,
    nodes: Nodes,
    rounds: int = ROUNDS,
    stage: Callable[[str], None] = lambda what: None,
    least: float = LEAST,
) -> Nodes | OpenBoxes:
    """Widen the boxes until they close, or return an :class:`OpenBoxes` with the reason why they do not.

    Boxes are closed if each symbol maps each box into the next node's box, every image has the next node's
    label, and all decisions are correct.

    A box is wider than its images, on each side by at least ``least`` and a share of their width.
    """
    first = Points(on.numbers).first()[0]
    low, high = _around(nodes.low, nodes.high, least)
    low[0], high[0] = np.minimum(low[0], first), np.maximum(high[0], first)
    for done in range(rounds):
        stage(f"widening {len(nodes)} boxes, round {done + 1} of at most {rounds}")
        nodes = replace(nodes, low=low, high=high)
        images = box_images(on, nodes)
        if isinstance(images, str):
            return OpenBoxes(images, nodes)
        if (images[0] > low).all() and (images[1] < high).all() and _inside(first, low[0], high[0]):
            return nodes
        wide_low, wide_high = _around(*images, least)
        low, high = np.minimum(low, wide_low), np.maximum(high, wide_high)
    return OpenBoxes(f"the boxes still grow after {rounds} rounds", nodes)


def box_images(on: FloatArithmetic, nodes: Nodes) -> tuple[Floats, Floats] | str:
    """Return, for each node, the corners of the smallest box around the images that lead to it in one step.

    Return a description of the first uncertain label or decision if there is one.
    """
    numbers = on.numbers
    step, symbols = RecurrentStep(on), len(numbers.alphabet)
    low, high = np.full_like(nodes.low, np.inf), np.full_like(nodes.high, -np.inf)
    for some in _portions(len(nodes) * symbols, numbers):
        source, symbol = some // symbols, some % symbols
        target = nodes.after.reshape(-1)[some]
        label = nodes.label[target]
        pairs = FloatBoxes(nodes.low[source], nodes.high[source])
        image = next_mixture(on, step.u(pairs, symbol), label, pairs)
        others = np.arange(numbers.k) != label[:, None]
        open_pairs = np.flatnonzero(~(np.where(others, image.gaps.hi, -1) < 0).all(axis=1))
        if len(open_pairs):
            node, name = source[open_pairs[0]], numbers.alphabet[symbol[open_pairs[0]]]
            return f"after symbol {name!r} from node {node} the label is not certain"
        np.minimum.at(low, target, image.alpha.lo)
        np.maximum.at(high, target, image.alpha.hi)
    for some in _portions(len(nodes), numbers):
        each = FloatBoxes(nodes.low[some], nodes.high[some])
        logit = classifier_logit(on, step.u(each, np.full(len(some), numbers.end)), each)
        certain = np.where(nodes.accepts[some], logit.lo[:, 0] > 0, logit.hi[:, 0] < 0)
        if not certain.all():
            return f"the decision at node {some[int(np.argmin(certain))]} is not certain"
    return low, high


def _portions(number: int, numbers: Numbers) -> Iterator[NDArray[np.int64]]:
    """Yield ranges of indices that are small enough to process at once.

    This limits an array of gradients, with one matrix per box, to about AT_ONCE elements.
    """
    size = max(1, AT_ONCE // (numbers.k * max(numbers.k, len(numbers.S))))
    for first in range(0, number, size):
        yield np.arange(first, min(first + size, number))


def _around(low: Floats, high: Floats, least: float) -> tuple[Floats, Floats]:
    """Return the boxes, widened slightly on all sides."""
    margin = WIDER * (high - low) + least
    return low - margin, high + margin


def _inside(point: Floats, low: Floats, high: Floats) -> bool:
    return bool(((low < point) & (point < high)).all())
