"""Conversion of fraction arrays to python-flint's integer matrices with a common denominator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np

from automata.aliases import Weights


def common_denominator(arrays: Sequence[Weights]) -> int:
    """Return the least common denominator of all numbers."""
    return math.lcm(*{w.denominator for array in arrays for w in array.ravel().tolist()})


def cleared(array: Weights, denominator: int) -> flint.fmpz_mat:
    """Return the integer matrix ``array * denominator``; the denominator must be a common one."""
    flat = array.ravel().tolist()
    numbers = (
        [w.numerator for w in flat]
        if denominator == 1
        else [w.numerator * (denominator // w.denominator) for w in flat]
    )
    rows, columns = array.shape
    return flint.fmpz_mat(rows, columns, numbers)


def integers(matrix: flint.fmpz_mat) -> list[int]:
    """Return the entries of a flint matrix as Python integers, row by row."""
    return [int(w) for w in matrix.entries()]


def fractions(matrix: flint.fmpz_mat, denominator: int) -> Weights:
    """Return an integer matrix divided by a denominator, as an array of fractions."""
    array = np.empty(matrix.nrows() * matrix.ncols(), dtype=object)
    for i, w in enumerate(integers(matrix)):
        array[i] = Fraction(w, denominator)
    return array.reshape(matrix.nrows(), matrix.ncols())


def product(left: Weights, right: Weights) -> Weights:
    """Return the matrix product of two arrays of fractions, shapes ``(i, j)`` and ``(j, k)``.

    >>> row = np.array([[Fraction(1, 2), 3]], dtype=object)
    >>> product(row, np.array([[4], [Fraction(1, 3)]], dtype=object))
    array([[Fraction(3, 1)]], dtype=object)
    """
    d, e = common_denominator([left]), common_denominator([right])
    return fractions(cleared(left, d) * cleared(right, e), d * e)
