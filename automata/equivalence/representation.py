"""A linear representation over the rationals, sparse: the row lambda, a matrix M(a) for each symbol, the column
rho; it scores a string w as lambda M(w) rho.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from automata.equivalence.rationals import Places, Sparse, beside
from automata.equivalence.symbols import kinds
from automata.table import Table
from automata.wfsa import WFSA


@dataclass(frozen=True)
class Representation:
    """A linear representation with n states.

    Attributes:
        initial: lambda, shape ``(1, n)``.
        steps: for each kind of symbol its matrix, shape ``(n, n)``.
        final: rho, shape ``(n, 1)``.
    """

    initial: Sparse
    steps: tuple[Sparse, ...]
    final: Sparse

    @property
    def states(self) -> int:
        """The number of states, n."""
        return self.final.shape[0]

    @property
    def transitions(self) -> int:
        """The number of transitions whose weight is not zero."""
        return sum(map(len, self.steps))

    @property
    def is_zero(self) -> bool:
        """Is the score of every string visibly zero: is there no initial weight, or no final one?"""
        return not len(self.initial) or not len(self.final)

    @property
    def mirrored(self) -> Representation:
        """The representation of the mirrored strings' scores."""
        steps = tuple(step.transposed for step in self.steps)
        return Representation(self.final.transposed, steps, self.initial.transposed)

    def restricted(self, states: range) -> Representation:
        """The states of a block that no transition leaves or enters."""
        keep = np.arange(states.start, states.stop)

        def both(matrix: Sparse) -> Sparse:
            return matrix.chosen(keep).transposed.chosen(keep).transposed

        return Representation(
            self.initial.transposed.chosen(keep).transposed,
            tuple(map(both, self.steps)),
            self.final.chosen(keep),
        )

    def vectors(self, word: Sequence[int]) -> Iterator[tuple[dict[int, int], int]]:
        """The row lambda M(u) for each prefix u of a word, as integers by state, over a common denominator."""
        row, scale = _cleared(self.initial.row(0))
        yield row, scale
        for place in word:
            step, images = self.steps[place], []
            for q, v in row.items():
                images += [(r, v, w) for r, w in step.row(q).items()]
            common = math.lcm(*{int(w.q) for _, _, w in images})
            row = {}
            for r, v, w in images:
                row[r] = row.get(r, 0) + v * int(w.p) * (common // int(w.q))
            shared = math.gcd(common, *row.values()) if common > 1 else 1
            row = {r: v // shared for r, v in row.items() if v}
            scale *= common // shared
            yield row, scale

    def scores(self, word: Sequence[int]) -> list[Fraction]:
        """The score of each prefix of a word, exactly."""
        ends, below = _cleared(self.final.transposed.row(0))
        return [
            Fraction(sum(v * ends.get(q, 0) for q, v in row.items()), scale * below)
            for row, scale in self.vectors(word)
        ]


def _cleared(row: dict[int, object]) -> tuple[dict[int, int], int]:
    pairs = {q: (int(w.p), int(w.q)) for q, w in row.items()}  # type: ignore[attr-defined]
    common = math.lcm(*{d for _, d in pairs.values()})
    return {q: n * (common // d) for q, (n, d) in pairs.items()}, common


@dataclass(frozen=True)
class Difference:
    """A, and B with its initial weights negated, side by side: the difference of their scores.

    Attributes:
        joint: the representation, A's states first.
        silent: the epsilon transitions of both, or ``None``.
        symbols: the first symbol of each kind.
        index: for each symbol its kind.
        split: the number of A's states.
    """

    joint: Representation
    silent: Sparse | None
    symbols: list[object]
    index: dict[object, int]
    split: int


def difference(a: WFSA, b: WFSA) -> Difference:
    """The difference of two exact automata over the rationals, with one alphabet in one order."""
    places, first, index = kinds([a, b])
    steps = tuple(beside(_matrix(a.tables[i]), _matrix(b.tables[j])) for i, j in places)
    starts, ends = ([side.initial for side in (a, b)], [side.final for side in (a, b)])
    starts[1] = -starts[1]
    n = a.states + b.states

    def vector(parts: list[object], shape: tuple[int, int]) -> Sparse:
        weights = np.concatenate(parts)  # type: ignore[arg-type]
        here = np.flatnonzero(weights != 0)
        return Sparse.of_entries(
            shape, *((np.zeros_like(here), here) if shape[0] == 1 and n else (here, np.zeros_like(here))),
            weights[here],
        )

    silent = None
    if a.silent is not None or b.silent is not None:
        parts = [
            _matrix(side.silent if side.silent is not None else Table.empty(side.states, object))
            for side in (a, b)
        ]
        silent = beside(*parts)
    joint = Representation(vector([*starts], (1, n)), steps, vector([*ends], (n, 1)))
    return Difference(joint, silent, first, index, a.states)


def _matrix(table: Table) -> Sparse:
    shape = (table.size, table.size)
    return Sparse.of_entries(shape, table.rows, table.columns, table.weights)


def kept(where: Places, size: int) -> Sparse:
    """The selection of some states, which increase, as a matrix, shape ``(size, kept)``."""
    return Sparse.selection((size, len(where)), where)
