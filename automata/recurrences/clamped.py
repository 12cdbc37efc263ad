"""Extraction of automata from linear recurrences that output a function of clamped scores.

If all weights are nonnegative integers, a score is a count. Clamped to at most 1, it is 1 if it is positive.
That depends only on which components of the state are positive. There are finitely many such sets, and each
symbol maps one set to the next.


>>> def step(h, x):
...     return (h[0], h[0] + h[1]) if x == "a" else h  # the second component counts a
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
    """Raised if a weight is not a nonnegative integer. Clamped scores would then not be 0 or 1."""


def read_clamped(
    start: State,
    step: Step,
    scores: ReadOut,
    shown: Callable[[tuple[int, ...]], Sequence[Weight]],
    alphabet: Iterable[Symbol],
) -> list[WFSA]:
    """Return the exact deterministic automata, one for each output, with the outputs as final weights.

    Args:
        start: the first state.
        step: an affine function from a state and a symbol to the next state.
        scores: an affine function from a state to R scores.
        shown: a function from the R values min(1, score), which are 0 or 1, to the outputs.
        alphabet: the symbols.

    Raises:
        NotAffine: If a step, or ``scores``, is not affine.
        NotCounting: If one of their weights is not a nonnegative integer.
        InputError: If there are more than 2,000 sets of positive components.
    """
    counts = read_affine(start, step, scores, alphabet)
    one = counts[0]
    for weights in (one.initial, one.matrices, *(unit.final for unit in counts)):
        for weight in weights.flat:
            if weight < 0 or weight.denominator != 1:
                raise NotCounting(f"weights must be 0, 1, 2, ..., got {shorten(weight)}")

    def support(vector: Weights) -> frozenset[int]:
        return frozenset(np.flatnonzero(vector != 0).tolist())

    after = {x: [support(row) for row in one.matrix(x)] for x in one.alphabet}
    first = support(one.initial)
    numbers, waiting = {first: 0}, [first]
    arrows: list[tuple[int, int, Symbol, Weight]] = []
    while waiting:
        here = waiting.pop()
        for x, rows in after.items():
            there = frozenset[int]().union(*(rows[q] for q in here))
            if there not in numbers:
                if len(numbers) == MOST_SUPPORTS:
                    raise InputError(
                        f"the number of sets of positive components must be at most {MOST_SUPPORTS:,}"
                    )
                numbers[there] = len(numbers)
                waiting.append(there)
            arrows.append((numbers[here], numbers[there], x, 1))
    ends = [support(unit.final) for unit in counts]
    values = {q: shown(tuple(int(bool(s & end)) for end in ends)) for s, q in numbers.items()}
    return [
        WFSA.from_edges(
            REAL, len(numbers), one.alphabet, [(0, 1)], [(q, v[unit]) for q, v in values.items()], arrows
        )
        for unit in range(len(values[0]))
    ]
