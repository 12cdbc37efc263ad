"""The nodes of a counter, found in floats: states that strings lead to, one for each class and way of
behaving.

Two states of one class are the same node where no gate's pre-activation, and no centroid's logit, can tell
them
apart by more than a tolerance: after that their futures are alike.
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
"""In place of a node, where a string stands too high."""


@dataclass(frozen=True)
class Explored:
    """Nodes, and where symbols lead.

    Attributes:
        classes: of each node; node 0 is that of the empty string.
        groups: symbols that lead from every node to the same node.
        after: the node after each group of symbols, shape ``(nodes, groups)``, or :data:`OUT`.
        h, c: a state of each node, shape ``(nodes, d)``.
        words: the tokens that led to it.
        wrong: the tokens of the first string whose decision is wrong, in the order of exploration; ``None``
            without.
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
    """The nodes up to a height; ``None`` where they are more than ``most``."""
    points, symbols = CounterPoints(numbers, saturated), len(numbers.alphabet)
    turns = [numbers.turn(token) for token in range(symbols)]
    h, c = points.first()
    classes: list[Class] = [EMPTY]
    words: list[tuple[int, ...]] = [()]
    known: dict[Class, list[int]] = {EMPTY: [0]}
    first_look = _features(numbers, h, c)
    looks = np.zeros((most, first_look.shape[1]))
    looks[:1] = first_look
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
                to, place = after(classes[node], turns[token], height), (node - first) * symbols + token
                if to is None:
                    row.append(OUT)
                    continue
                among = known.setdefault(to, [])
                off = np.abs(looks[among] - seen[place]).max(axis=1) if among else np.array([np.inf])
                if off.min() < tolerance:
                    row.append(among[int(off.argmin())])
                    continue
                if len(classes) >= most:
                    return None
                looks[len(classes)] = seen[place]
                among.append(len(classes))
                row.append(len(classes))
                classes.append(to)
                words.append((*words[node], token))
                fresh.append(place)
            arrows.append(row)
        h, c = np.concatenate([h, to_h[fresh]]), np.concatenate([c, to_c[fresh]])
    right = np.array([balanced(one) for one in classes])
    bad = np.flatnonzero((points.logits(h, c) > 0) != right)
    groups, table = _grouped(np.array(arrows), turns)
    return Explored(classes, groups, table, h, c, words, words[bad[0]] if len(bad) else None)


def _features(numbers: CounterNumbers, h: Floats, c: Floats) -> Floats:
    """What tells states apart: what h adds in the gates, and the cell, were all output gates open."""
    squashed = np.tanh(c)
    if numbers.S is None or numbers.temperature is None:
        return np.concatenate([h @ numbers.U.T, squashed @ numbers.U.T], axis=1)
    logits = squashed @ numbers.S / numbers.tau
    return np.concatenate([h @ numbers.U.T, logits - logits.mean(axis=1, keepdims=True)], axis=1)


def _grouped(arrows: NDArray[np.int64], turns: list[int]) -> tuple[list[list[int]], NDArray[np.int64]]:
    """Symbols with the same column and the same turn, together."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for token, turn in enumerate(turns):
        groups.setdefault((turn, *arrows[:, token].tolist()), []).append(token)
    return list(groups.values()), arrows[:, [group[0] for group in groups.values()]]
