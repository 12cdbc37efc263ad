"""Reading a network that steps linearly and shows a function of its scores clamped to at most 1 as an
automaton.

Where no weight is negative and all are whole, a score counts: clamped it is 1 where it is positive, and that
depends on which of the network's numbers are positive. There are finitely many such sets, and a symbol takes
one to the next.

>>> def step(h, x):
...     return (h[0], h[0] + h[1]) if x == "a" else h  # the second number counts a
>>> (unit,) = read_clamped((1, 0), step, lambda h: (h[1],), lambda bits: (1 - bits[0],), "ab")
>>> from automata.forward import prefix_scores
>>> [str(w) for w in prefix_scores(unit, "bbaa")], unit.states  # 1 before the first a
(['1', '1', '1', '0', '0'], 2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from automata.aliases import Symbol, Weight, Weights
from automata.errors import InputError
from automata.recurrences.affine import ReadOut, State, Step, read_affine
from automata.semirings import REAL
from automata.text.number_text import shorten
from automata.wfsa import WFSA

MOST_SUPPORTS = 2000


class NotCounting(InputError):
    """A weight is negative or no whole number, so that clamped scores are not 0 or 1."""


def read_clamped(
    start: State,
    step: Step,
    scores: ReadOut,
    shown: Callable[[tuple[int, ...]], Sequence[Weight]],
    alphabet: Iterable[Symbol],
) -> list[WFSA]:
    """The exact automata, one for each value that is shown: deterministic, with what is shown for final
    weights.

    Args:
        start: the first numbers.
        step: from the numbers and a symbol the next ones; affine.
        scores: from the numbers R scores; affine.
        shown: from min(1, score) of all R, which are 0 or 1, the values.
        alphabet: the symbols.

    Raises:
        NotAffine: a step, or the scores, are not affine.
        NotCounting: a weight of them is negative, or not whole.
        InputError: there are more than 2,000 sets of numbers that may be positive.
    """
    counts = read_affine(start, step, scores, alphabet)
    one = counts[0]
    for weights in (one.initial, one.matrices, *(unit.final for unit in counts)):
        for weight in weights.flat:
            if weight < 0 or weight.denominator != 1:
                raise NotCounting(f"a weight is {shorten(weight)}, where 0, 1, 2, ... are right")

    def support(vector: Weights) -> frozenset[int]:
        return frozenset(np.flatnonzero(vector != 0).tolist())

    after = {x: [support(row) for row in one.matrix(x)] for x in one.alphabet}
    first = support(one.initial)
    places, waiting = {first: 0}, [first]
    arrows: list[tuple[int, int, Symbol, Weight]] = []
    while waiting:
        here = waiting.pop()
        for x, rows in after.items():
            there = frozenset[int]().union(*(rows[q] for q in here))
            if there not in places:
                if len(places) == MOST_SUPPORTS:
                    raise InputError(f"there are more than {MOST_SUPPORTS:,} sets of numbers to be positive")
                places[there] = len(places)
                waiting.append(there)
            arrows.append((places[here], places[there], x, 1))
    ends = [support(unit.final) for unit in counts]
    values = {q: shown(tuple(int(bool(s & end)) for end in ends)) for s, q in places.items()}
    return [
        WFSA.from_edges(
            REAL, len(places), one.alphabet, [(0, 1)], [(q, v[unit]) for q, v in values.items()], arrows
        )
        for unit in range(len(values[0]))
    ]
