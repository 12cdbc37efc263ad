"""Boxes of network states, and words of several symbols that lead from each box into boxes.

A word tree of a box is a set of words, each of which leads from the whole box into some box. Every long
enough string begins with exactly one of the words.

One step of a trained network may enlarge a region, although several steps shrink it. Therefore, a box is
followed along all words of its tree, until each image lies in a box. The affine forms of the images keep the
dependence on the first box; their errors become generators, so that they do not grow as intervals would.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from ratproof.certification.ordinary_networks.absorbing import AbsorbingBoxes, absorbing_boxes, room
from ratproof.certification.ordinary_networks.arithmetic import Array, Forms
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.checkers.check_regions import ERROR_STEPS

WIDEST, FINER = 0.1, 0.6
"""Least width of the first attempt's boxes, and the factor that reduces it for one automaton state."""
SHRUNK, SLOW = 0.5, 0.9
"""An image becomes a new box if it is narrower than this factor times the least width of boxes.

``SLOW`` is used for automaton states in which images do not shrink enough.
"""
LONGEST = 14
"""Length of the longest words of a tree."""
MOST_BOXES, MOST_WORDS, WIDEST_TREE = 30_000, 100_000, 4_000
"""Maximum number of boxes, of words in all trees, and of the words of one length in a tree."""
ROOM, MORE_ROOM = 1.002, 1.1
"""Factors by which a box is wider than the images in it: ``ROOM`` for all, both for the first image."""
NEAREST = 24
"""Number of nearest boxes that are compared with an image."""
TINY = 1e-6
"""Width of the box around the start, and the least margin of a decision."""
LARGEST_REACH = 1.0
"""An image cannot become a box if one of its entries differs from the image's center by more than this."""
AT_ONCE = 1 << 21
"""Number of entries in the generators of the images that are computed at a time."""
Tree = dict[tuple[int, ...], int]
"""A word tree, as the index of each word's target box."""


@dataclass(frozen=True)
class WordTrees:
    """Boxes, and a word tree for each box.

    Attributes:
        states: The automaton's state of each box, of shape ``(N,)``. Box 0 has the start state.
        centers, widths: Shape ``(N, D)``.
        trees: The tree of each box.
    """

    states: np.ndarray
    centers: Array
    widths: Array
    trees: list[Tree]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def leaves(self) -> int:
        """The number of words that lead to a box."""
        return sum(map(len, self.trees))


@dataclass
class _Unclosed(Exception):
    """Raised if a box has no tree.

    Attributes:
        box: The box.
        slow: Whether the images do not shrink.
        why: The reason.
    """

    box: int
    slow: bool
    why: str


def find_word_trees(
    network: OrdinaryNetwork, machine: Moore, until: float, progress: Callable[[str], None] = lambda _: None
) -> WordTrees | tuple[int, str]:
    """Search for boxes that have word trees, and adapt the width of the boxes after each failed attempt.

    Args:
        network: The network.
        machine: The minimal automaton, with the expected decision as the output of each state.
        until: The value of ``time.monotonic()`` at which to stop.
        progress: Called with a description of the current work.

    Returns:
        The boxes; or a length up to which all decisions are correct, and why there are no boxes.
    """
    scales, shrunk = np.full(machine.states, WIDEST), np.full(machine.states, SHRUNK)
    length = 0
    progress("searching for boxes of the absorbing states")
    try:
        final = absorbing_boxes(network, machine, until)
    except LimitReached as limit:
        return length, str(limit)
    while True:
        attempt = _Attempt(network, machine, final, scales, shrunk, until)
        progress(f"following words from boxes of width {scales.min():.2g}")
        try:
            attempt.run()
        except LimitReached as limit:
            return max(length, attempt.length()), str(limit)
        except _Unclosed as failure:
            length = max(length, attempt.length())
            cause = attempt.cause(failure.box)
            if not cause:  # the start is a point, so that its box cannot be smaller
                return length, failure.why
            state = attempt.states[cause]
            if failure.slow and shrunk[state] < SLOW:
                shrunk[state] = SLOW
            else:
                scales[state] *= FINER
        else:
            attempt = _with_fewer_words(attempt)
            count = len(attempt.trees)
            boxes = attempt.centers[:count], attempt.widths[:count]
            return WordTrees(attempt.states[:count], *boxes, attempt.trees)


def with_errors_as_generators(images: Forms) -> Forms:
    """Return affine forms with their errors as generators.

    The errors of each of the last ``ERROR_STEPS`` steps have generators of their own. If there are as many
    already, the oldest ones are added to the errors of this step.
    """
    size, generators, error = images.center.shape[1], images.generators, images.error
    if generators.shape[2] == (1 + ERROR_STEPS) * size:
        error = error + np.abs(generators[:, :, size : 2 * size]).sum(2)
        generators = np.concatenate([generators[:, :, :size], generators[:, :, 2 * size :]], 2)
    generators = np.concatenate([generators, error[:, :, None] * np.eye(size)], 2)
    return Forms(images.center, generators, np.zeros_like(error), images.low, images.high, True)


@dataclass
class _Attempt:
    """A search with fixed widths.

    Attributes:
        network, machine: The network and the automaton.
        final: Boxes of absorbing states, to which the images in these states must lead.
        scales: The least width of a box, for each automaton state.
        shrunk: For each automaton state, the factor times ``scales`` below which an image becomes a box.
        until: The value of ``time.monotonic()`` at which to stop.
        states, centers, widths: The boxes, as in :class:`WordTrees`; the arrays have room for more.
        parents: The box in whose tree each box was found as an image.
        depths: The number of symbols after which each box was found.
        trees: The tree of each box; empty if its words were not followed yet.
    """

    network: OrdinaryNetwork
    machine: Moore
    final: list[AbsorbingBoxes]
    scales: Array
    shrunk: Array
    until: float
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = self.network.size
        self.states = np.zeros(MOST_BOXES, int)
        self.centers, self.widths = np.zeros((MOST_BOXES, size)), np.zeros((MOST_BOXES, size))
        self._members: list[list[int]] = [[] for _ in range(self.machine.states)]
        self._table, self._labels = np.array(self.machine.table), np.array(self.machine.outputs)
        self._words = np.zeros(self.machine.states, int)
        self._final = {boxes.state for boxes in self.final}
        self._rows = max(1, AT_ONCE // (size * size * (1 + ERROR_STEPS)))

    def run(self) -> None:
        """Find the trees of all boxes, beginning with the box around the start.

        Raises:
            _Unclosed: If a box has no tree.
            LimitReached: If there are too many boxes, or the time is up.
        """
        self._add(self.machine.start, self.network.start, np.full(self.network.size, TINY), -1, 0)
        for cover in self.final:
            first = len(self.trees)
            for center, width, targets in zip(cover.centers, cover.widths, cover.edges, strict=True):
                box = self._add(cover.state, center, width, -1, 0)
                self.trees[box] = {
                    (symbol,): first + target for symbol, target in enumerate(targets.tolist())
                }
        waiting, followed = [(0, 0)], len(self.trees) - 1
        while waiting:
            boxes = np.array([heapq.heappop(waiting)[1] for _ in range(min(self._rows, len(waiting)))])
            self._follow(boxes)
            for box in range(followed + 1, len(self.trees)):
                heapq.heappush(waiting, (self.depths[box], box))
            followed = len(self.trees) - 1

    @property
    def words(self) -> int:
        """The number of words in all trees."""
        return int(self._words.sum())

    def length(self) -> int:
        """Return the length of a shortest string that leads to a box without a tree.

        All decisions after strings of at most this length are correct.
        """
        best, waiting = {0: 0}, [(0, 0)]
        while waiting:
            length, box = heapq.heappop(waiting)
            if not self.trees[box]:
                return length
            for word, target in self.trees[box].items():
                if length + len(word) < best.get(target, length + len(word) + 1):
                    best[target] = length + len(word)
                    heapq.heappush(waiting, (best[target], target))
        raise AssertionError("all boxes were followed")

    def cause(self, box: int) -> int:
        """Return the box or its nearest ancestor that a smaller entry of ``scales`` would make smaller.

        All boxes between them are wider than ``scales``, because the images that they contain are wide.
        """
        while self.widths[box].max() > MORE_ROOM * ROOM * self.scales[self.states[box]] and box:
            box = self.parents[box]
        return box

    def _add(self, state: int, center: Array, width: Array, parent: int, depth: int) -> int:
        box = len(self.trees)
        if box == MOST_BOXES:
            raise LimitReached(f"there would be more than {MOST_BOXES} boxes")
        self.states[box], self.centers[box], self.widths[box] = state, center, width
        self.parents.append(parent)
        self.depths.append(depth)
        self.trees.append({})
        self._members[state].append(box)
        return box

    def _follow(self, boxes: np.ndarray) -> None:
        """Find the trees of these boxes by following all words of the same length at a time."""
        leaves: dict[int, Tree] = {box: {} for box in boxes.tolist()}
        widths = self.widths[boxes]
        images = Forms.region(self.centers[boxes], widths[:, :, None] * np.eye(self.network.size), True)
        states, owners = self.states[boxes], boxes
        words: list[tuple[int, ...]] = [()] * len(boxes)
        self._require_decisions(images, states, np.where(boxes > 0, boxes, -1), 0)
        for length in range(1, LONGEST + 1):
            symbols = np.tile(np.arange(len(self.machine.alphabet)), len(states))
            rows = np.repeat(np.arange(len(states)), len(self.machine.alphabet))
            owners, words = owners[rows], [(*words[r], int(s)) for r, s in zip(rows, symbols, strict=True)]
            states = self._table[states[rows], symbols]
            images = self._step(images, rows, symbols)
            self._words += np.bincount(self.states[owners], minlength=len(self._words))
            if self.words > MOST_WORDS:
                box = self._members[int(self._words.argmax())][-1]
                raise _Unclosed(box, True, f"there would be more than {MOST_WORDS} words")
            self._require_decisions(images, states, owners, length)
            targets = self._targets(images, states, owners, length)
            for row in np.flatnonzero(targets >= 0):
                leaves[int(owners[row])][words[row]] = int(targets[row])
            rest = np.flatnonzero(targets < 0)
            if not len(rest):
                break
            counts = np.bincount(owners[rest]) * len(self.machine.alphabet)
            if counts.max() > WIDEST_TREE:
                raise _Unclosed(int(counts.argmax()), True, "differences of states do not shrink")
            images, states, owners = images.rows(rest), states[rest], owners[rest]
            words = [words[row] for row in rest]
        for box, tree in leaves.items():
            self.trees[box] = tree

    def _step(self, images: Forms, rows: np.ndarray, symbols: np.ndarray) -> Forms:
        parts = []
        for first in range(0, len(rows), self._rows):
            if time.monotonic() > self.until:
                raise LimitReached("the time limit was reached")
            some = slice(first, first + self._rows)
            parts.append(with_errors_as_generators(self.network.step(images.rows(rows[some]), symbols[some])))
        return parts[0].stacked(*parts[1:])

    def _require_decisions(self, images: Forms, states: np.ndarray, owners: np.ndarray, length: int) -> None:
        """Raise _Unclosed if an image may contain a state with a wrong decision.

        ``owners`` are the boxes from which the images were computed. Images with an owner of -1 are ignored.
        """
        low = self.network.margins(images, self._labels[states]).low
        wrong = np.flatnonzero((low <= TINY).any(1) & (owners >= 0))
        if len(wrong):
            why = f"decisions differ in an image of {length} symbols (automaton state {states[wrong[0]]})"
            raise _Unclosed(int(owners[wrong[0]]), False, why)

    def _targets(self, images: Forms, states: np.ndarray, owners: np.ndarray, length: int) -> np.ndarray:
        """Return a box for each image, or -1 if words must be longer; add boxes for images that are small."""
        targets, reach = np.full(len(states), -1), images.lengths
        for state in set(states.tolist()):
            rows = np.flatnonzero(states == state)
            targets[rows] = self._containing(state, images.center[rows], reach[rows])
            small = (reach[rows] <= self.shrunk[state] * self.scales[state]).all(1) & (
                state not in self._final
            )
            small |= length == LONGEST
            left = rows[small & (targets[rows] < 0)]
            while len(left):
                center, own = images.center[left[0]], reach[left[0]]
                if own.max() > LARGEST_REACH:
                    raise _Unclosed(int(owners[left[0]]), False, "an image is too large")
                width = np.maximum(own * MORE_ROOM, self.scales[state]) * ROOM
                parent = int(owners[left[0]])
                box = self._add(state, center, width, parent, self.depths[parent] + length)
                inside = ((np.abs(images.center[left] - center) + reach[left]) * ROOM <= width).all(1)
                targets[left[inside]] = box
                left = left[~inside]
        return targets

    def _containing(self, state: int, centers: Array, reach: Array) -> np.ndarray:
        """Return, for each image, a box of the automaton state that contains it, or -1."""
        members = np.array(self._members[state], int)
        if not len(members):
            return np.full(len(centers), -1)
        own = self.centers[members]
        squares = (own**2).sum(1) - 2 * centers @ own.T
        few = len(members) if state in self._final else min(NEAREST, len(members))
        near = members[np.argpartition(squares, few - 1, axis=1)[:, :few]]
        distance = np.abs(centers[:, None] - self.centers[near]) + reach[:, None]
        if state in self._final:  # these boxes are large, and only rounding needs room
            own, widths = self.centers[near], self.widths[near]
            distance += room(own - widths, own + widths)
        else:
            distance *= ROOM
        inside = (distance <= self.widths[near]).all(2)
        first = near[np.arange(len(centers)), inside.argmax(1)]
        return np.where(inside.any(1), first, -1)


def _with_fewer_words(attempt: _Attempt) -> _Attempt:
    """Return an attempt with boxes of half the width, again and again, as long as there are fewer words.

    The checker's time is proportional to the number of words.
    """
    while True:
        machine, scales = attempt.machine, attempt.scales / 2
        finer = _Attempt(attempt.network, machine, attempt.final, scales, attempt.shrunk, attempt.until)
        try:
            finer.run()
        except (LimitReached, _Unclosed):
            return attempt
        if finer.words >= attempt.words:
            return attempt
        attempt = finer
