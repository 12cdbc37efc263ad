"""A matrix over a semiring, as its entries other than zero: one symbol's transitions, or the silent ones.

>>> from automata.semirings import REAL
>>> table = SparseMatrix.of_entries(3, [2, 0], [1, 0], np.array([5, 7], dtype=object))
>>> table.rows.tolist(), table.columns.tolist(), table.weights.tolist()  # by row, then column
([0, 2], [0, 1], [7, 5])
>>> table.dense(REAL).tolist()
[[7, 0, 0], [0, 0, 0], [0, 5, 0]]

Small matrices, and those of which a quarter or more is other than zero, are computed with as arrays; a small
one of exact numbers, entry by entry, where it is multiplied by a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from automata.aliases import Weight, Weights
from automata.semirings import NUMBERS, Semiring

Places = NDArray[np.intp]
Vector = tuple[Places, Weights]
"""A sparse vector: the places of its entries other than zero, increasing, and the entries."""
Entries = tuple[Places, Places, Weights]
"""Rows, columns and weights, by row, then column."""
SMALL = 64
"""A matrix of no more rows is small, whatever is in it."""


class SparseMatrix:
    """A square matrix of n rows; immutable.

    Attributes:
        size: n.
    """

    def __init__(self, size: int, entries: Entries | None, array: Weights | None, zero: Weight) -> None:
        """Either is made from the other when it is asked for."""
        self.size, self.shape = size, (size, size)
        self._stored, self._array, self._zero = entries, array, zero

    @classmethod
    def of_entries(cls, size: int, rows: ArrayLike, columns: ArrayLike, weights: Weights) -> SparseMatrix:
        """A table from entries in any order, none zero, and each place once."""
        i, j = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        if len(i) < 2:
            return cls._of_sorted(size, i, j, weights)
        order = np.lexsort((j, i))
        return cls._of_sorted(size, i[order], j[order], weights[order])

    @classmethod
    def of_pairs(cls, size: int, pairs: Iterable[tuple[int, int]]) -> SparseMatrix:
        """A boolean table from the row and column of each entry, in any order; a pair may be there again.

        >>> table = SparseMatrix.of_pairs(3, [(2, 0), (0, 1), (2, 0)])
        >>> table.rows.tolist(), table.columns.tolist(), table.weights.tolist()
        ([0, 2], [1, 0], [True, True])
        """
        entries = np.array(sorted(set(pairs)), dtype=np.intp).reshape(-1, 2)
        return cls._of_sorted(size, entries[:, 0], entries[:, 1], np.ones(len(entries), dtype=bool))

    @classmethod
    def _of_sorted(cls, size: int, rows: Places, columns: Places, weights: Weights) -> SparseMatrix:
        for array in (rows, columns, weights):
            array.flags.writeable = False
        return cls(size, (rows, columns, weights), None, None)

    @classmethod
    def of_array(cls, semiring: Semiring, array: Weights) -> SparseMatrix:
        """A table from an array of shape ``(n, n)``, which it keeps."""
        return cls(len(array), None, array, semiring.zero)

    @classmethod
    def empty(cls, size: int, numbers: DTypeLike) -> SparseMatrix:
        """A table without entries, of that NumPy dtype."""
        none = np.zeros(0, dtype=np.intp)
        return cls._of_sorted(size, none, none.copy(), np.zeros(0, dtype=numbers))

    @property
    def _entries(self) -> Entries:
        if self._stored is None:
            assert self._array is not None
            # a comparison of objects is several times slower than asking whether they are zero
            rows, columns = np.nonzero(self._array != self._zero if self._zero else self._array)
            self._stored = rows, columns, self._array[rows, columns]
        return self._stored

    @property
    def rows(self) -> Places:
        """The row of each entry other than zero, by row, then column; shape ``(entries,)``."""
        return self._entries[0]

    @property
    def columns(self) -> Places:
        """The column of each entry; shape ``(entries,)``."""
        return self._entries[1]

    @property
    def weights(self) -> Weights:
        """The entries, in the automaton's numbers; shape ``(entries,)``."""
        return self._entries[2]

    def __len__(self) -> int:
        """The number of entries."""
        return len(self.rows)

    @cached_property
    def row_offsets(self) -> Places:
        """Where each row's entries begin, and the last one's end; shape ``(n + 1,)``."""
        return np.searchsorted(self.rows, np.arange(self.size + 1))

    def spans(self, rows: Places) -> tuple[Places, Places]:
        """Return how many entries each of those rows has, and the places of all of these entries."""
        if 8 * len(self) > self.size or "row_offsets" in self.__dict__:
            first, after = self.row_offsets[rows], self.row_offsets[rows + 1]
        else:  # one of thousands of symbols: an array of all rows for each would be far larger
            first, after = np.searchsorted(self.rows, rows), np.searchsorted(self.rows, rows, side="right")
        counts = after - first
        return counts, np.repeat(after - np.cumsum(counts), counts) + np.arange(counts.sum())

    def dense(self, semiring: Semiring) -> Weights:
        """The matrix as an array, shape ``(n, n)``, read-only."""
        if self._array is None:
            made = np.full((self.size, self.size), semiring.zero, dtype=self.weights.dtype)
            made[self.rows, self.columns] = self.weights
            made.flags.writeable = False
            self._array = made
        return self._array

    @cached_property
    def is_dense(self) -> bool:
        """Is an array the faster way to compute with it?"""
        return self.size <= SMALL or 4 * len(self) >= self.size**2

    @cached_property
    def transposed(self) -> SparseMatrix:
        """Columns for rows."""
        if self._stored is None and self._array is not None:
            return SparseMatrix(self.size, None, self._array.T, self._zero)
        return SparseMatrix.of_entries(self.size, self.columns, self.rows, self.weights)

    def row(self, row: int) -> Vector:
        """The places and weights of one row."""
        _, entries = self.spans(np.array([row]))
        return self.columns[entries], self.weights[entries]

    def product(self, semiring: Semiring, omega: Weights) -> Weights:
        """For each column q the sum over rows p of omega(p) tau(p, q), shape ``(n,)``."""
        if omega.dtype == object and self.size <= SMALL:
            return self._product_of_objects(semiring, omega)
        if self.is_dense:
            return np.asarray(semiring.sum(semiring.times(omega[:, None], self.dense(semiring)), axis=0))
        present = np.flatnonzero(omega != semiring.zero)
        result = np.full(self.size, semiring.zero, dtype=omega.dtype)
        places, weights = self.sparse_product(semiring, (present, omega[present]))
        result[places] = weights
        return result

    def _product_of_objects(self, semiring: Semiring, omega: Weights) -> Weights:
        """The same, one number after the other: a product of fractions takes longer than to see that one of
        them is zero. What is no number (an affine form of the state) is compared with nothing.
        """
        zero = semiring.exact(semiring.zero)
        add, multiply = semiring.plus, semiring.times
        sums = [zero] * self.size
        for weight, row in zip(omega.tolist(), self._by_row, strict=True):
            if type(weight) not in NUMBERS or weight != zero:
                for column, entry in row:
                    term = multiply(weight, entry)
                    sums[column] = term if sums[column] is zero else add(sums[column], term)
        result = np.empty(self.size, dtype=object)
        result[:] = sums
        return result

    @cached_property
    def _by_row(self) -> list[list[tuple[int, Weight]]]:
        """Of each row the columns and weights of its entries."""
        rows: list[list[tuple[int, Weight]]] = [[] for _ in range(self.size)]
        for row, *entry in zip(*(array.tolist() for array in self._entries), strict=True):
            rows[row].append(tuple(entry))
        return rows

    def sparse_product(self, semiring: Semiring, vector: Vector) -> Vector:
        """The same for a sparse vector: takes time for the entries of its rows alone."""
        places, weights = vector
        counts, entries = self.spans(places)
        terms = semiring.times(np.repeat(weights, counts), self.weights[entries])
        return summed(semiring, self.columns[entries], np.asarray(terms))

    def renumbered(self, size: int, place: Places) -> SparseMatrix:
        """The rows and columns that have a place, -1 for none: shape ``(n,)``, and increasing."""
        inside = (place[self.rows] >= 0) & (place[self.columns] >= 0)
        rows, columns = place[self.rows[inside]], place[self.columns[inside]]
        return SparseMatrix._of_sorted(size, rows, columns, self.weights[inside])

    def restricted(self, keep: Places) -> SparseMatrix:
        """The rows and columns ``keep``, which increase, renumbered from 0."""
        return self.renumbered(len(keep), numbers_of(self.size, keep))

    def without_columns(self, dropped: NDArray[np.bool_]) -> SparseMatrix:
        """The table with nothing in those columns, which are true in an array of shape ``(n,)``."""
        keep = ~dropped[self.columns]
        return SparseMatrix._of_sorted(self.size, self.rows[keep], self.columns[keep], self.weights[keep])

    def beside(self, other: SparseMatrix) -> SparseMatrix:
        """Both as blocks of one matrix, the other one behind."""
        n, size = self.size, self.size + other.size
        pairs = zip(self._entries[:2], other._entries[:2], strict=True)
        rows, columns = (np.concatenate([one, n + two]) for one, two in pairs)
        return SparseMatrix._of_sorted(size, rows, columns, np.concatenate([self.weights, other.weights]))

    def kronecker(self, semiring: Semiring, other: SparseMatrix) -> SparseMatrix:
        """The matrix of pairs of rows and pairs of columns: one's weight times the other's."""
        m = other.size
        rows, columns = (
            (one[:, None] * m + two[None, :]).reshape(-1)
            for one, two in zip(self._entries[:2], other._entries[:2], strict=True)
        )
        weights = np.asarray(semiring.times(self.weights[:, None], other.weights[None, :])).reshape(-1)
        keep = np.flatnonzero(weights != semiring.zero)
        return SparseMatrix.of_entries(self.size * m, rows[keep], columns[keep], weights[keep])

    def mapped(
        self, semiring: Semiring, function: Callable[[Weights], Weights], numbers: DTypeLike
    ) -> SparseMatrix:
        """The table with a function of each entry, and zero where that is zero, in arrays of that dtype."""
        if not len(self):
            return SparseMatrix.empty(self.size, numbers)
        weights = np.asarray(function(self.weights), dtype=numbers)
        keep = np.flatnonzero(weights != semiring.zero)
        return SparseMatrix._of_sorted(self.size, self.rows[keep], self.columns[keep], weights[keep])

    def same(self, other: SparseMatrix) -> bool:
        """The same entries?"""
        if self is other:
            return True
        pairs = zip(self._entries, other._entries, strict=True)
        return self.shape == other.shape and all(np.array_equal(one, two) for one, two in pairs)

    def __reduce__(self) -> tuple[object, ...]:
        return SparseMatrix._of_sorted, (self.size, *self._entries)


def numbers_of(size: int, keep: Places) -> Places:
    """For each of so many states its number among those that are kept; -1 for the others."""
    place = np.full(size, -1, dtype=np.intp)
    place[keep] = np.arange(len(keep))
    return place


def summed(semiring: Semiring, places: Places, terms: Weights) -> Vector:
    """The terms that stand at each place, summed, as a sparse vector; places may repeat, in any order."""
    if not len(places):
        return places, terms
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sums = semiring.add.reduceat(terms[order], first)
    keep = np.flatnonzero(sums != semiring.zero)
    return ordered[first][keep], sums[keep]
