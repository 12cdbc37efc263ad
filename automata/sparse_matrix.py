"""Sparse matrices over a semiring: the transitions of one symbol, or of epsilon.

>>> from automata.semirings import REAL
>>> table = SparseMatrix.of_entries(3, [2, 0], [1, 0], np.array([5, 7], dtype=object))
>>> table.rows.tolist(), table.columns.tolist(), table.weights.tolist()  # by row, then column
([0, 2], [0, 1], [7, 5])
>>> table.dense(REAL).tolist()
[[7, 0, 0], [0, 0, 0], [0, 5, 0]]

Small matrices, and those with at least a quarter of nonzero entries, are computed as dense arrays. A small
matrix of exact numbers is multiplied by a vector entry by entry.
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
"""A sparse vector: the indices of its nonzero entries, in increasing order, and the entries."""
Entries = tuple[Places, Places, Weights]
"""Rows, columns and weights, sorted by row, then column."""
SMALL = 64
"""A matrix with at most this many rows counts as small."""


class SparseMatrix:
    """An immutable square matrix.

    Attributes:
        size: the number of rows, which is also the number of columns.
    """

    def __init__(self, size: int, entries: Entries | None, array: Weights | None, zero: Weight) -> None:
        """Store sparse entries or a dense array; the other one is computed on demand."""
        self.size, self.shape = size, (size, size)
        self._stored, self._array, self._zero = entries, array, zero

    @classmethod
    def of_entries(cls, size: int, rows: ArrayLike, columns: ArrayLike, weights: Weights) -> SparseMatrix:
        """Return a matrix from nonzero entries in any order, without duplicates."""
        i, j = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        if len(i) < 2:
            return cls._of_sorted(size, i, j, weights)
        order = np.lexsort((j, i))
        return cls._of_sorted(size, i[order], j[order], weights[order])

    @classmethod
    def of_pairs(cls, size: int, pairs: Iterable[tuple[int, int]]) -> SparseMatrix:
        """Return a boolean matrix from the row and column of each entry, in any order; ignore duplicates.

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
        """Return a matrix that stores an array of shape ``(n, n)``."""
        return cls(len(array), None, array, semiring.zero)

    @classmethod
    def empty(cls, size: int, numbers: DTypeLike) -> SparseMatrix:
        """Return a matrix without entries, of the given NumPy dtype."""
        none = np.zeros(0, dtype=np.intp)
        return cls._of_sorted(size, none, none.copy(), np.zeros(0, dtype=numbers))

    @property
    def _entries(self) -> Entries:
        if self._stored is None:
            assert self._array is not None
            # comparing objects is several times slower than testing their truth value
            rows, columns = np.nonzero(self._array != self._zero if self._zero else self._array)
            self._stored = rows, columns, self._array[rows, columns]
        return self._stored

    @property
    def rows(self) -> Places:
        """The row of each nonzero entry, sorted by row, then column; shape ``(entries,)``."""
        return self._entries[0]

    @property
    def columns(self) -> Places:
        """The column of each entry; shape ``(entries,)``."""
        return self._entries[1]

    @property
    def weights(self) -> Weights:
        """The entries, with the dtype of the automaton's weights; shape ``(entries,)``."""
        return self._entries[2]

    def __len__(self) -> int:
        """Return the number of nonzero entries."""
        return len(self.rows)

    @cached_property
    def row_offsets(self) -> Places:
        """The index of each row's first entry, and the end of the last row; shape ``(n + 1,)``."""
        return np.searchsorted(self.rows, np.arange(self.size + 1))

    def spans(self, rows: Places) -> tuple[Places, Places]:
        """Return the number of entries in each of the given rows, and the indices of all these entries."""
        if 8 * len(self) > self.size or "row_offsets" in self.__dict__:
            first, after = self.row_offsets[rows], self.row_offsets[rows + 1]
        else:  # with thousands of symbols, row offsets for each one would be far larger
            first, after = np.searchsorted(self.rows, rows), np.searchsorted(self.rows, rows, side="right")
        counts = after - first
        return counts, np.repeat(after - np.cumsum(counts), counts) + np.arange(counts.sum())

    def dense(self, semiring: Semiring) -> Weights:
        """Return the matrix as a read-only array, shape ``(n, n)``."""
        if self._array is None:
            array = np.full((self.size, self.size), semiring.zero, dtype=self.weights.dtype)
            array[self.rows, self.columns] = self.weights
            array.flags.writeable = False
            self._array = array
        return self._array

    @cached_property
    def is_dense(self) -> bool:
        """Whether computing with a dense array is faster."""
        return self.size <= SMALL or 4 * len(self) >= self.size**2

    @cached_property
    def transposed(self) -> SparseMatrix:
        """The transposed matrix."""
        if self._stored is None and self._array is not None:
            return SparseMatrix(self.size, None, self._array.T, self._zero)
        return SparseMatrix.of_entries(self.size, self.columns, self.rows, self.weights)

    def row(self, row: int) -> Vector:
        """Return the column indices and weights of one row."""
        _, entries = self.spans(np.array([row]))
        return self.columns[entries], self.weights[entries]

    def product(self, semiring: Semiring, omega: Weights) -> Weights:
        """Return the product of the row vector ``omega`` and this matrix, shape ``(n,)``."""
        if omega.dtype == object and self.size <= SMALL:
            return self._product_of_objects(semiring, omega)
        if self.is_dense:
            return np.asarray(semiring.sum(semiring.times(omega[:, None], self.dense(semiring)), axis=0))
        present = np.flatnonzero(omega != semiring.zero)
        result = np.full(self.size, semiring.zero, dtype=omega.dtype)
        states, weights = self.sparse_product(semiring, (present, omega[present]))
        result[states] = weights
        return result

    def _product_of_objects(self, semiring: Semiring, omega: Weights) -> Weights:
        """Return the product, computed one element at a time.

        Testing whether a fraction is zero is faster than multiplying by it. Other values, such as affine
        forms of the state, are never compared.
        """
        zero = semiring.exact(semiring.zero)
        add, multiply = semiring.plus, semiring.times
        sums = [zero] * self.size
        for weight, row in zip(omega.tolist(), self.by_row, strict=True):
            if type(weight) not in NUMBERS or weight != zero:
                for column, entry in row:
                    term = multiply(weight, entry)
                    sums[column] = term if sums[column] is zero else add(sums[column], term)
        result = np.empty(self.size, dtype=object)
        result[:] = sums
        return result

    @cached_property
    def by_row(self) -> list[list[tuple[int, Weight]]]:
        """The columns and weights of each row's entries."""
        rows: list[list[tuple[int, Weight]]] = [[] for _ in range(self.size)]
        for row, *entry in zip(*(array.tolist() for array in self._entries), strict=True):
            rows[row].append(tuple(entry))
        return rows

    def sparse_product(self, semiring: Semiring, vector: Vector) -> Vector:
        """Return the product of a sparse row vector and this matrix.

        The time is proportional to the number of entries in the rows where the vector is nonzero.
        """
        rows, weights = vector
        counts, entries = self.spans(rows)
        terms = semiring.times(np.repeat(weights, counts), self.weights[entries])
        return summed(semiring, self.columns[entries], np.asarray(terms))

    def renumbered(self, size: int, numbers: Places) -> SparseMatrix:
        """Renumber rows and columns by ``numbers``, shape ``(n,)``; -1 removes a row or column."""
        inside = (numbers[self.rows] >= 0) & (numbers[self.columns] >= 0)
        rows, columns = numbers[self.rows[inside]], numbers[self.columns[inside]]
        return SparseMatrix._of_sorted(size, rows, columns, self.weights[inside])

    def restricted(self, keep: Places) -> SparseMatrix:
        """Return the matrix of the rows and columns ``keep``, which must be in increasing order."""
        return self.renumbered(len(keep), numbers_of(self.size, keep))

    def without_columns(self, dropped: NDArray[np.bool_]) -> SparseMatrix:
        """Return the matrix with zeros in some columns.

        Args:
            dropped: for each column, whether its entries become zero, shape ``(n,)``.
        """
        keep = ~dropped[self.columns]
        return SparseMatrix._of_sorted(self.size, self.rows[keep], self.columns[keep], self.weights[keep])

    def block_diagonal(self, other: SparseMatrix) -> SparseMatrix:
        """Return the block-diagonal matrix of the two matrices."""
        n, size = self.size, self.size + other.size
        pairs = zip(self._entries[:2], other._entries[:2], strict=True)
        rows, columns = (np.concatenate([one, n + two]) for one, two in pairs)
        return SparseMatrix._of_sorted(size, rows, columns, np.concatenate([self.weights, other.weights]))

    def kronecker(self, semiring: Semiring, other: SparseMatrix) -> SparseMatrix:
        """Return the Kronecker product: the matrix on pairs of rows and pairs of columns."""
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
        """Return the matrix with a function applied to each nonzero entry, as arrays of the given dtype."""
        if not len(self):
            return SparseMatrix.empty(self.size, numbers)
        weights = np.asarray(function(self.weights), dtype=numbers)
        keep = np.flatnonzero(weights != semiring.zero)
        return SparseMatrix._of_sorted(self.size, self.rows[keep], self.columns[keep], weights[keep])

    def same(self, other: SparseMatrix) -> bool:
        """Return whether both matrices have the same entries."""
        if self is other:
            return True
        pairs = zip(self._entries, other._entries, strict=True)
        return self.shape == other.shape and all(np.array_equal(one, two) for one, two in pairs)

    def __reduce__(self) -> tuple[object, ...]:
        return SparseMatrix._of_sorted, (self.size, *self._entries)


def numbers_of(size: int, keep: Places) -> Places:
    """Return the index of each state in ``keep``, or -1 if it is not in ``keep``."""
    numbers = np.full(size, -1, dtype=np.intp)
    numbers[keep] = np.arange(len(keep))
    return numbers


def summed(semiring: Semiring, indices: Places, terms: Weights) -> Vector:
    """Sum the terms of each index into a sparse vector; indices may repeat, in any order."""
    if not len(indices):
        return indices, terms
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sums = semiring.add.reduceat(terms[order], first)
    keep = np.flatnonzero(sums != semiring.zero)
    return ordered[first][keep], sums[keep]
