"""Exact sparse matrices over the rationals: python-flint's fractions in NumPy arrays.

>>> one = RationalMatrix.summed((2, 2), [0, 1], [1, 0], [2, 3])
>>> (one @ one).entries()
[(0, 0, Fraction(6, 1)), (1, 1, Fraction(6, 1))]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

import flint
import numpy as np
from numpy.typing import ArrayLike, NDArray

from automata.aliases import Weight, Weights
from automata.sparse_matrix import Places, SparseMatrix

Truths = NDArray[np.bool_]


def rational(weight: Weight) -> flint.fmpq:
    """Convert an integer or a fraction to python-flint's type."""
    if isinstance(weight, flint.fmpq):
        return weight
    return flint.fmpq(int(weight.numerator), int(weight.denominator))


def fraction(weight: flint.fmpq) -> Fraction:
    """Convert one of python-flint's fractions to Python's type."""
    return Fraction(int(weight.p), int(weight.q))


def rationals(weights: Iterable[Weight]) -> Weights:
    """Return an array of python-flint's fractions, shape ``(entries,)``."""
    entries = [rational(weight) for weight in weights]
    array: Weights = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


class RationalMatrix(SparseMatrix):
    """An immutable sparse rectangular matrix.

    Attributes:
        shape: the numbers of rows and columns.
        rows, columns: the indices of each entry, sorted by row, then column; shape ``(entries,)``.
        weights: the nonzero entries as python-flint's fractions; shape ``(entries,)``.
    """

    def __init__(self, shape: tuple[int, int], rows: Places, columns: Places, weights: Weights) -> None:
        super().__init__(shape[0], (rows, columns, weights), None, None)
        self.shape = shape

    @classmethod
    def summed(
        cls, shape: tuple[int, int], rows: ArrayLike, columns: ArrayLike, weights: Iterable[Weight]
    ) -> RationalMatrix:
        """Return a matrix from entries in any order; duplicate entries are summed."""
        return cls._summed(
            shape, np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp), rationals(weights)
        )

    @classmethod
    def _summed(
        cls, shape: tuple[int, int], rows: Places, columns: Places, weights: Weights
    ) -> RationalMatrix:
        if not len(rows):
            return cls(shape, rows, columns, weights)
        keys = rows * shape[1] + columns
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        new = keys[1:] != keys[:-1]
        if not new.all():
            first = np.flatnonzero(np.concatenate([[True], new]))
            keys, weights = keys[first], np.add.reduceat(weights, first)
        keep = np.flatnonzero(weights != 0)
        keys = keys[keep]
        return cls(shape, keys // shape[1], keys % shape[1], weights[keep])

    @classmethod
    def identity(cls, size: int) -> RationalMatrix:
        """Return the identity matrix."""
        return cls.selection((size, size), np.arange(size))

    @classmethod
    def selection(cls, shape: tuple[int, int], rows: Places) -> RationalMatrix:
        """Return the matrix that is 1 at (rows[j], j) for each column j and 0 elsewhere.

        The values of ``rows`` must increase.
        """
        return cls(shape, rows, np.arange(shape[1]), rationals([1]).repeat(shape[1]))

    @cached_property
    def transposed(self) -> RationalMatrix:
        """The transposed matrix."""
        order = np.lexsort((self.rows, self.columns))
        shape = (self.shape[1], self.shape[0])
        return RationalMatrix(shape, self.columns[order], self.rows[order], self.weights[order])

    def __matmul__(self, other: RationalMatrix) -> RationalMatrix:
        """Return the matrix product, in time proportional to the number of products of nonzero entries."""
        shape = (self.shape[0], other.shape[1])
        if len(other) < len(self):
            by_column = self.transposed
            counts, entries = by_column.spans(other.rows)
            terms: Weights = by_column.weights[entries] * np.repeat(other.weights, counts)
            return RationalMatrix._summed(
                shape, by_column.columns[entries], np.repeat(other.columns, counts), terms
            )
        counts, entries = other.spans(self.columns)
        terms = np.repeat(self.weights, counts) * other.weights[entries]
        return RationalMatrix._summed(shape, np.repeat(self.rows, counts), other.columns[entries], terms)

    def __add__(self, other: RationalMatrix) -> RationalMatrix:
        """Return the sum of two matrices of the same shape."""
        parts = zip(
            (self.rows, self.columns, self.weights), (other.rows, other.columns, other.weights), strict=True
        )
        return RationalMatrix._summed(self.shape, *(np.concatenate(pair) for pair in parts))

    def chosen(self, rows: Places) -> RationalMatrix:
        """Return the matrix of the chosen rows; ``rows`` must be in increasing order."""
        shape = (len(rows), self.shape[1])
        new_rows = np.searchsorted(rows, self.rows)
        inside = np.flatnonzero(np.append(rows, -1)[new_rows] == self.rows)
        return RationalMatrix(shape, new_rows[inside], self.columns[inside], self.weights[inside])

    def row_by_column(self, row: int) -> dict[int, Weight]:
        """Return the entries of one row, keyed by column."""
        columns, weights = self.row(row)
        return dict(zip(columns.tolist(), weights.tolist(), strict=True))

    def entries(self) -> list[tuple[int, int, Fraction]]:
        """Return the row, column and weight of each entry."""
        return list(zip(self.rows.tolist(), self.columns.tolist(), map(fraction, self.weights), strict=True))

    def __reduce__(self) -> tuple[object, ...]:
        return RationalMatrix, (self.shape, *self._entries)


def block_diagonal(left: RationalMatrix, right: RationalMatrix) -> RationalMatrix:
    """Return the block-diagonal matrix of two matrices."""
    (m, n), (i, j) = left.shape, right.shape
    return RationalMatrix(
        (m + i, n + j),
        np.concatenate([left.rows, right.rows + m]),
        np.concatenate([left.columns, right.columns + n]),
        np.concatenate([left.weights, right.weights]),
    )


def of_rows(shape: tuple[int, int], rows: Sequence[tuple[int, dict[int, Weight]]]) -> RationalMatrix:
    """Return the matrix with the given nonzero rows: pairs of a row index and the row's entries by column."""
    indices = np.repeat([i for i, _ in rows], [len(row) for _, row in rows]).astype(np.intp)
    return RationalMatrix.summed(
        shape, indices, [j for _, row in rows for j in row], [w for _, row in rows for w in row.values()]
    )
