"""Sparse linear representations, which give a string w the score lambda M(w) rho."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from automata.aliases import Symbol, Weight, Weights
from automata.equivalence.arrows import kinds
from automata.equivalence.rationals import RationalMatrix, block_diagonal, fraction
from automata.semirings import Semiring
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA


@dataclass(frozen=True)
class Representation:
    """A linear representation with n states.

    Attributes:
        initial: lambda, shape ``(1, n)``.
        steps: the matrices M, one for each group of symbols that share a matrix, shape ``(n, n)``.
        final: rho, shape ``(n, 1)``.
    """

    initial: RationalMatrix
    steps: tuple[RationalMatrix, ...]
    final: RationalMatrix

    @property
    def states(self) -> int:
        """The number of states, n."""
        return self.final.shape[0]

    @property
    def transitions(self) -> int:
        """The number of transitions with nonzero weight."""
        return sum(map(len, self.steps))

    @property
    def is_zero(self) -> bool:
        """Whether there is no initial or no final weight, so that every score is zero."""
        return not len(self.initial) or not len(self.final)

    @property
    def mirrored(self) -> Representation:
        """The representation that gives each string the score of the reversed string."""
        steps = tuple(step.transposed for step in self.steps)
        return Representation(self.final.transposed, steps, self.initial.transposed)

    @cached_property
    def _by_state(self) -> tuple[list[int], list[int], list[int], list[Weight]]:
        """Row offsets, and the symbol, target and weight of each transition, sorted by state."""
        sizes = [len(step) for step in self.steps]
        rows, columns = (
            np.concatenate([np.zeros(0, dtype=np.intp), *parts])
            for parts in ([step.rows for step in self.steps], [step.columns for step in self.steps])
        )
        weights = np.concatenate([np.zeros(0, dtype=object), *(step.weights for step in self.steps)])
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(self.states + 1))
        symbols = np.repeat(np.arange(len(sizes)), sizes)
        return starts.tolist(), symbols[order].tolist(), columns[order].tolist(), weights[order].tolist()

    def images(self, row: Mapping[int, Weight]) -> dict[int, dict[int, Weight]]:
        """Return the product of a row with the matrix of each symbol, keyed by symbol.

        Symbols without transitions from the states of the row are omitted, because their product is zero.
        """
        starts, symbols, columns, weights = self._by_state
        images: dict[int, dict[int, Weight]] = {}
        for q, v in row.items():
            for entry in range(starts[q], starts[q + 1]):
                image = images.setdefault(symbols[entry], {})
                r, term = columns[entry], weights[entry] * v
                image[r] = image[r] + term if r in image else term
        return images

    def rows_by(
        self, entries: Sequence[tuple[int, Weight] | None], ends: Mapping[int, Weight]
    ) -> list[dict[tuple[int, int], Weight]]:
        """Return the rows of the matrix that concatenates rho and M(a) X for all symbols a, by state.

        Each row is a dictionary. The key of an entry of M(a) X is the pair of a and the column, and the key
        of an entry of rho is ``(-1, -1)``.

        Args:
            entries: for each row of X, the column and the weight of its only nonzero entry, or ``None`` if
                there is none.
            ends: the nonzero entries of rho, keyed by state.
        """
        starts, symbols, columns, weights = self._by_state
        rows: list[dict[tuple[int, int], Weight]] = []
        for q in range(self.states):
            row: dict[tuple[int, int], Weight] = {(-1, -1): ends[q]} if q in ends else {}
            for position in range(starts[q], starts[q + 1]):
                entry = entries[columns[position]]
                if entry is not None:
                    key, term = (symbols[position], entry[0]), weights[position] * entry[1]
                    row[key] = row[key] + term if key in row else term
            rows.append(row)
        return rows

    def restricted(self, states: range) -> Representation:
        """Return the representation with only these states.

        No transition may connect them to other states.
        """
        keep = np.arange(states.start, states.stop)

        def both(matrix: RationalMatrix) -> RationalMatrix:
            return matrix.chosen(keep).transposed.chosen(keep).transposed

        return Representation(
            self.initial.transposed.chosen(keep).transposed,
            tuple(map(both, self.steps)),
            self.final.chosen(keep),
        )

    def automaton(self, semiring: Semiring, symbols: Iterable[Symbol], index: Sequence[int] = ()) -> WFSA:
        """Return the automaton over the real or counting semiring.

        Args:
            semiring: the semiring.
            symbols: the alphabet.
            index: for each symbol, the index of its matrix in ``steps``. By default, each symbol has its own
                matrix.
        """
        n, alphabet = self.states, list(symbols)

        def exact(matrix: RationalMatrix) -> Weights:
            weights: Weights = np.empty(len(matrix), dtype=object)
            weights[:] = [semiring.exact(fraction(w)) for w in matrix.weights]
            return weights

        initial, final = (semiring.zeros(n, exact=True) for _ in range(2))
        initial[self.initial.columns], final[self.final.rows] = exact(self.initial), exact(self.final)
        tables = [SparseMatrix.of_entries(n, step.rows, step.columns, exact(step)) for step in self.steps]
        matrix_of = dict(zip(alphabet, index or range(len(alphabet)), strict=True))
        blank = WFSA(semiring, [], [], {})
        return blank.replace(initial=initial, final=final, tables=tables, index=matrix_of)

    def vectors(self, word: Sequence[int]) -> Iterator[tuple[dict[int, int], int]]:
        """Yield the row lambda M(u) for each prefix u of a word, shortest first.

        A row is a dictionary from state to integer, and the common denominator of these integers.
        """
        row, scale = _cleared(self.initial.row_by_column(0))
        yield row, scale
        for symbol in word:
            step, images = self.steps[symbol], []
            for q, v in row.items():
                images += [(r, v, w) for r, w in step.row_by_column(q).items()]
            common = math.lcm(*{int(w.q) for _, _, w in images})
            row = {}
            for r, v, w in images:
                row[r] = row.get(r, 0) + v * int(w.p) * (common // int(w.q))
            shared = math.gcd(common, *row.values()) if common > 1 else 1
            row = {r: v // shared for r, v in row.items() if v}
            scale *= common // shared
            yield row, scale

    def scores(self, word: Sequence[int]) -> list[Fraction]:
        """Return the exact score of each prefix of a word."""
        ends, below = _cleared(self.final.transposed.row_by_column(0))
        return [
            Fraction(sum(v * ends.get(q, 0) for q, v in row.items()), scale * below)
            for row, scale in self.vectors(word)
        ]


def _cleared(row: dict[int, Weight]) -> tuple[dict[int, int], int]:
    pairs = {q: (int(w.p), int(w.q)) for q, w in row.items()}
    common = math.lcm(*{d for _, d in pairs.values()})
    return {q: n * (common // d) for q, (n, d) in pairs.items()}, common


@dataclass(frozen=True)
class VectorDifference:
    """The difference of two automata: the direct sum of A and of B with negated initial weights.

    Attributes:
        joint: the representation, with A's states first.
        epsilon: the epsilon transitions of the direct sum, or ``None``.
        symbols: the first symbol of each group of symbols that share a matrix.
        index: for each symbol, the index of its group in ``symbols``.
        split: the number of A's states.
    """

    joint: Representation
    epsilon: RationalMatrix | None
    symbols: list[Symbol]
    index: dict[Symbol, int]
    split: int


def difference(a: WFSA, b: WFSA) -> VectorDifference:
    """Return the difference of two exact rational automata with the same alphabet, in the same order."""
    indices, first, index = kinds([a, b])
    steps = tuple(block_diagonal(_matrix(a.tables[i]), _matrix(b.tables[j])) for i, j in indices)
    initial = _row(np.concatenate([a.initial, -b.initial]))
    final = _row(np.concatenate([a.final, b.final])).transposed
    epsilon = block_diagonal(_matrix(a.epsilon_table), _matrix(b.epsilon_table))
    joint = Representation(initial, steps, final)
    return VectorDifference(joint, epsilon if len(epsilon) else None, first, index, a.num_states)


def _row(weights: Weights) -> RationalMatrix:
    columns = np.flatnonzero(weights != 0)
    return RationalMatrix.summed((1, len(weights)), np.zeros_like(columns), columns, weights[columns])


def _matrix(table: SparseMatrix) -> RationalMatrix:
    shape = (table.size, table.size)
    return RationalMatrix.summed(shape, table.rows, table.columns, table.weights)
