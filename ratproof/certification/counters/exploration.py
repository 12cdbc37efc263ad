"""Search for the reachable states of a counter in float arithmetic, with similar states merged into nodes.

Two states belong to the same node if their strings have the same class
(:mod:`ratproof.certification.counters.heights`) and they behave in the same way: no gate's preactivation and
no centroid's logit differs by more than a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.counters.heights import EMPTY, Class, after, balanced
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.counters.points import CounterPoints

MOST_NODES = 1500
OUT = -1
"""The index that replaces a node if the string exceeds the maximum height."""


@dataclass(frozen=True)
class Explored:
    """Nodes, and the transitions between them.

    Attributes:
        classes: The class of each node; node 0 belongs to the empty string.
        groups: Groups of symbols that lead from every node to the same node.
        after: The node after each group of symbols, shape ``(nodes, groups)``, or :data:`OUT`.
        h, c: One state of each node, shape ``(nodes, d)``.
        words: The tokens of a string that leads to each node.
        wrong: The tokens of the first string with a wrong decision, in the order of exploration, or ``None``.
    """

    classes: list[Class]
    groups: list[list[int]]
    after: NDArray[np.int64]
    h: Floats
    c: Floats
    words: list[tuple[int, ...]]
    wrong: tuple[int, ...] | None


def explore(
    numbers: CounterNumbers, height: int, tolerance: float, saturated: bool = False, most: int = MOST_NODES
) -> Explored | None:
    """Return the nodes that strings up to a height reach, or ``None`` if there are more than ``most``.

    Two states are merged if their features differ by less than ``tolerance``.
    """
    points, symbols = CounterPoints(numbers, saturated), len(numbers.alphabet)
    depth_changes = [numbers.depth_change(token) for token in range(symbols)]
    h, c = points.first()
    classes: list[Class] = [EMPTY]
    words: list[tuple[int, ...]] = [()]
    known: dict[Class, list[int]] = {EMPTY: [0]}
    first_features = _features(numbers, h, c)
    features = np.zeros((most, first_features.shape[1]))
    features[:1] = first_features
    arrows: list[list[int]] = []
    while len(arrows) < len(classes):
        first, last = len(arrows), len(classes)
        tokens = np.tile(np.arange(symbols), last - first)
        to_h, to_c = points.step(
            np.repeat(h[first:last], symbols, axis=0), np.repeat(c[first:last], symbols, axis=0), tokens
        )
        seen = _features(numbers, to_h, to_c)
        fresh: list[int] = []
        for node in range(first, last):
            row = []
            for token in range(symbols):
                to, row_index = (
                    after(classes[node], depth_changes[token], height),
                    (node - first) * symbols + token,
                )
                if to is None:
                    row.append(OUT)
                    continue
                among = known.setdefault(to, [])
                off = np.abs(features[among] - seen[row_index]).max(axis=1) if among else np.array([np.inf])
                if off.min() < tolerance:
                    row.append(among[int(off.argmin())])
                    continue
                if len(classes) >= most:
                    return None
                features[len(classes)] = seen[row_index]
                among.append(len(classes))
                row.append(len(classes))
                classes.append(to)
                words.append((*words[node], token))
                fresh.append(row_index)
            arrows.append(row)
        h, c = np.concatenate([h, to_h[fresh]]), np.concatenate([c, to_c[fresh]])
    right = np.array([balanced(one) for one in classes])
    bad = np.flatnonzero((points.logits(h, c) > 0) != right)
    groups, table = _grouped(np.array(arrows), depth_changes)
    return Explored(classes, groups, table, h, c, words, words[bad[0]] if len(bad) else None)


def _features(numbers: CounterNumbers, h: Floats, c: Floats) -> Floats:
    """Return the vectors that are compared to decide whether two states are merged.

    The first part of a vector is U h. The second part depends on c, as if all output gates were 1: it is
    U tanh(c) or, with centroids, the centred logits of tanh(c).
    """
    squashed = np.tanh(c)
    if numbers.S is None or numbers.temperature is None:
        return np.concatenate([h @ numbers.U.T, squashed @ numbers.U.T], axis=1)
    logits = squashed @ numbers.S / numbers.tau
    return np.concatenate([h @ numbers.U.T, logits - logits.mean(axis=1, keepdims=True)], axis=1)


def _grouped(
    arrows: NDArray[np.int64], depth_changes: list[int]
) -> tuple[list[list[int]], NDArray[np.int64]]:
    """Group symbols that change the depth equally and lead from every node to the same node."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for token, depth_change in enumerate(depth_changes):
        groups.setdefault((depth_change, *arrows[:, token].tolist()), []).append(token)
    return list(groups.values()), arrows[:, [group[0] for group in groups.values()]]
