"""Sparse matrices over the rationals, multiplied and compared exactly: python-flint's fractions in NumPy
arrays.

>>> one = Sparse.of_entries((2, 2), [0, 1], [1, 0], [2, 3])
>>> (one @ one).entries()
[(0, 0, Fraction(6, 1)), (1, 1, Fraction(6, 1))]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.typing import ArrayLike, NDArray

from automata.aliases import Weight, Weights

Places = NDArray[np.intp]
Truths = NDArray[np.bool_]


def rational(weight: Weight) -> Any:
    """An integer or a fraction as one of python-flint's."""
    if isinstance(weight, flint.fmpq):
        return weight
    return flint.fmpq(int(weight.numerator), int(weight.denominator))


def fraction(weight: Any) -> Fraction:
    """One of python-flint's fractions as Python's."""
    return Fraction(int(weight.p), int(weight.q))


def rationals(weights: Iterable[Weight]) -> Weights:
    """An array of python-flint's fractions, shape ``(entries,)``."""
    made = [rational(weight) for weight in weights]
    array: Weights = np.empty(len(made), dtype=object)
    array[:] = made
    return array


class Sparse:
    """A matrix as its entries other than zero; immutable.

    Attributes:
        shape: its rows and its columns.
        rows, columns: of each entry, by row, then column; shape ``(entries,)``.
        weights: the entries, python-flint's fractions; shape ``(entries,)``.
    """

    def __init__(self, shape: tuple[int, int], rows: Places, columns: Places, weights: Weights) -> None:
        self.shape, self.rows, self.columns, self.weights = shape, rows, columns, weights

    @classmethod
    def of_entries(
        cls, shape: tuple[int, int], rows: ArrayLike, columns: ArrayLike, weights: Iterable[Weight]
    ) -> Sparse:
        """A matrix from entries in any order; those of one place are added."""
        return cls._summed(
            shape, np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp), rationals(weights)
        )

    @classmethod
    def _summed(cls, shape: tuple[int, int], rows: Places, columns: Places, weights: Weights) -> Sparse:
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
    def identity(cls, size: int) -> Sparse:
        """The identity matrix."""
        return cls.selection((size, size), np.arange(size))

    @classmethod
    def selection(cls, shape: tuple[int, int], rows: Places) -> Sparse:
        """The matrix that is 1 at (rows[j], j) for each column j; ``rows`` increases."""
        return cls(shape, rows, np.arange(shape[1]), rationals([1]).repeat(shape[1]))

    def __len__(self) -> int:
        """The number of entries."""
        return len(self.rows)

    @cached_property
    def row_offsets(self) -> Places:
        """The first entry of each row, and the end of the last one; shape ``(rows + 1,)``."""
        return np.searchsorted(self.rows, np.arange(self.shape[0] + 1))

    @cached_property
    def transposed(self) -> Sparse:
        """Columns for rows."""
        order = np.lexsort((self.rows, self.columns))
        shape = (self.shape[1], self.shape[0])
        return Sparse(shape, self.columns[order], self.rows[order], self.weights[order])

    def spans(self, rows: Places) -> tuple[Places, Places]:
        """How many entries each of some rows has, and the places of all of these."""
        if 8 * len(self) > self.shape[0] or "row_offsets" in self.__dict__:
            first, after = self.row_offsets[rows], self.row_offsets[rows + 1]
        else:  # of thousands of symbols, each with few entries, arrays of all rows would fill the memory
            first, after = (np.searchsorted(self.rows, rows, side) for side in ("left", "right"))
        counts = after - first
        return counts, np.repeat(after - np.cumsum(counts), counts) + np.arange(counts.sum())

    def __matmul__(self, other: Sparse) -> Sparse:
        """The matrix product; takes time for the products of entries that meet."""
        shape = (self.shape[0], other.shape[1])
        if len(other) < len(self):
            by_column = self.transposed
            counts, entries = by_column.spans(other.rows)
            terms: Weights = by_column.weights[entries] * np.repeat(other.weights, counts)
            return Sparse._summed(shape, by_column.columns[entries], np.repeat(other.columns, counts), terms)
        counts, entries = other.spans(self.columns)
        terms = np.repeat(self.weights, counts) * other.weights[entries]
        return Sparse._summed(shape, np.repeat(self.rows, counts), other.columns[entries], terms)

    def __add__(self, other: Sparse) -> Sparse:
        """The sum of two matrices of one shape."""
        parts = zip(
            (self.rows, self.columns, self.weights), (other.rows, other.columns, other.weights), strict=True
        )
        return Sparse._summed(self.shape, *(np.concatenate(pair) for pair in parts))

    def same(self, other: Sparse) -> bool:
        """The same matrix?"""
        return (
            self.shape == other.shape
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.columns, other.columns)
            and bool((self.weights == other.weights).all())
        )

    def chosen(self, rows: Places) -> Sparse:
        """Some of the rows, which increase, renumbered from 0."""
        shape = (len(rows), self.shape[1])
        places = np.searchsorted(rows, self.rows)
        inside = np.flatnonzero(np.append(rows, -1)[places] == self.rows)
        return Sparse(shape, places[inside], self.columns[inside], self.weights[inside])

    def row(self, row: int) -> dict[int, Any]:
        """The entries of one row, by column."""
        _, places = self.spans(np.array([row]))
        return dict(zip(self.columns[places].tolist(), self.weights[places].tolist(), strict=True))

    def entries(self) -> list[tuple[int, int, Fraction]]:
        """Row, column and weight of each entry."""
        return list(zip(self.rows.tolist(), self.columns.tolist(), map(fraction, self.weights), strict=True))


def beside(left: Sparse, right: Sparse) -> Sparse:
    """The block-diagonal matrix of two."""
    (m, n), (i, j) = left.shape, right.shape
    return Sparse(
        (m + i, n + j),
        np.concatenate([left.rows, right.rows + m]),
        np.concatenate([left.columns, right.columns + n]),
        np.concatenate([left.weights, right.weights]),
    )


def of_rows(shape: tuple[int, int], rows: Sequence[tuple[int, dict[int, Any]]]) -> Sparse:
    """A matrix from some of its rows, each as its entries by column."""
    places = np.repeat([i for i, _ in rows], [len(row) for _, row in rows]).astype(np.intp)
    return Sparse.of_entries(
        shape, places, [j for _, row in rows for j in row], [w for _, row in rows for w in row.values()]
    )
