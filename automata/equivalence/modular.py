"""Sparse representations modulo a prime of 61 bits, with compiled loops for random functionals.

Products are Montgomery's (1985): with R = 2**64, ``_product(x, y)`` is x y / R modulo the prime p.
Weights are stored as w R and vectors unscaled, so that a weight times a component needs one
product.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import flint
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from automata.compiled_loops import compiled
from automata.equivalence.integers import random_numbers
from automata.equivalence.rationals import RationalMatrix
from automata.equivalence.representation import Representation
from automata.sparse_matrix import Places

Residues = NDArray[np.uint64]
"""Residues from 0 to p - 1, shape ``(n,)``."""


_compiled: Callable[[Callable[..., Any]], Any] = compiled()


@intrinsic
def _high(context, left, right):  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    """Return the upper 64 bits of a product of 64-bit integers."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        wide = ir.IntType(128)
        x, y = (builder.zext(argument, wide) for argument in arguments)
        shifted = builder.lshr(builder.mul(x, y), ir.Constant(wide, 64))
        return builder.trunc(shifted, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@_compiled
def _product(x, y, prime, inverse):  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    """Return x y / R modulo the prime for x y < p R; ``inverse`` is the prime's inverse modulo R."""
    above = _high(x, y)
    below = _high(x * y * inverse, prime)
    return above - below if above >= below else above + prime - below


@_compiled
def _step(  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    starts, columns, symbols, weights, factors, vector, prime, inverse
):
    """Return the sum of factor_a M(a) v over all symbols a, divided by R (v is ``vector``)."""
    result = np.zeros(len(starts) - 1, dtype=np.uint64)
    for q in range(len(result)):
        total = np.uint64(0)
        for entry in range(starts[q], starts[q + 1]):
            factor = factors[symbols[entry]]
            if factor:
                term = _product(weights[entry], vector[columns[entry]], prime, inverse)
                total += _product(factor, term, prime, inverse)
                if total >= prime:
                    total -= prime
        result[q] = total
    return result


@_compiled
def _by_symbol(  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    starts, columns, symbols, weights, count, row, vector, prime, inverse
):
    """Return u M(a) v, divided by R, for each symbol a (u is ``row``, v is ``vector``)."""
    totals = np.zeros(count, dtype=np.uint64)
    for q in range(len(starts) - 1):
        if row[q]:
            for entry in range(starts[q], starts[q + 1]):
                term = _product(weights[entry], vector[columns[entry]], prime, inverse)
                total = totals[symbols[entry]] + _product(row[q], term, prime, inverse)
                totals[symbols[entry]] = total - prime if total >= prime else total
    return totals


@_compiled
def _row_step(  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    starts, columns, symbols, weights, symbol, row, prime, inverse
):
    """Return the product of the row and the symbol's matrix."""
    result = np.zeros(len(row), dtype=np.uint64)
    for q in range(len(row)):
        if row[q]:
            for entry in range(starts[q], starts[q + 1]):
                if symbols[entry] == symbol:
                    total = result[columns[entry]] + _product(weights[entry], row[q], prime, inverse)
                    result[columns[entry]] = total - prime if total >= prime else total
    return result


@_compiled
def _products(left, right, square, prime, inverse):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Return the elementwise product of residues; ``square`` is R**2 modulo the prime."""
    result = np.empty(len(left), dtype=np.uint64)
    for i in range(len(left)):
        result[i] = _product(_product(left[i], square, prime, inverse), right[i], prime, inverse)
    return result


@_compiled
def _inverses(values, square, prime, inverse):  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    """Return the inverse of each value, computed as its power p - 2, and 0 for 0."""
    result = np.empty(len(values), dtype=np.uint64)
    for i in range(len(values)):
        base = _product(values[i], square, prime, inverse)
        power, left = np.uint64(1), prime - np.uint64(2)
        while left:
            if left & np.uint64(1):
                power = _product(power, base, prime, inverse)
            base = _product(base, base, prime, inverse)
            left >>= np.uint64(1)
        result[i] = power if values[i] else np.uint64(0)
    return result


@_compiled
def _reconstruct(values, prime, most):  # type: ignore[no-untyped-def]  # pragma: no cover (compiled)
    """Return numerators and denominators of at most ``most`` (Wang 1981); see :meth:`Field.fractions`."""
    above, below = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    for i in range(len(values)):
        r, rest, t, last = np.int64(prime), np.int64(values[i]), np.int64(0), np.int64(1)
        while rest > most:
            quotient = r // rest
            r, rest = rest, r - quotient * rest
            t, last = last, t - quotient * last
        if abs(last) <= most:
            above[i] = rest if last > 0 else -rest
            below[i] = abs(last)
    return above, below


class Field:
    """The integers modulo an odd prime of at most 62 bits, and operations on arrays of them."""

    def __init__(self, prime: int) -> None:
        self.prime = prime
        self.square = np.uint64((1 << 128) % prime)
        self.modulus = np.uint64(prime), np.uint64(pow(prime, -1, 1 << 64))

    def random(self, count: int) -> Residues:
        """Return independent, uniform, unpredictable residues."""
        return random_numbers().integers(0, self.prime, count, dtype=np.uint64)

    def product(self, left: Residues, right: Residues) -> Residues:
        """Return the elementwise product."""
        result: Residues = _products(left, right, self.square, *self.modulus)
        return result

    def times(self, left: Residues, factor: int) -> Residues:
        """Return all values times a scalar."""
        return self.product(left, np.full(len(left), factor % self.prime, dtype=np.uint64))

    def inverse(self, values: Residues) -> Residues:
        """Return the inverse of each value, and 0 for 0."""
        result: Residues = _inverses(values, self.square, *self.modulus)
        return result

    def sum(self, left: Residues, right: Residues) -> Residues:
        """Return the elementwise sum."""
        total: Residues = left + right
        return np.where(total >= self.modulus[0], total - self.modulus[0], total)

    def total(self, values: Residues) -> int:
        """Return the sum of all values."""
        low, high = values & np.uint64(0xFFFFFFFF), values >> np.uint64(32)
        return (int(low.sum()) + (int(high.sum()) << 32)) % self.prime

    def dot(self, left: Residues, right: Residues) -> int:
        """Return the inner product."""
        return self.total(self.product(left, right))

    def fractions(self, values: Residues, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Reconstruct a fraction from each residue; return the numerators and the denominators.

        Both are at most ``most`` in absolute value. The denominator is 0 if there is no such fraction.
        """
        above, below = _reconstruct(values, self.modulus[0], np.int64(most))
        return above, below

    def residues(self, matrix: RationalMatrix, shift: int = 1) -> Residues:
        """Return the nonzero entries of a matrix times ``shift``, modulo the prime.

        Raises:
            ZeroDivisionError: If the prime divides the denominator of an entry.
        """
        prime = self.prime
        inverses: dict[int, int] = {}

        def residue(weight: flint.fmpq) -> int:
            above, below = int(weight.p), int(weight.q)
            if below not in inverses:
                if not below % prime:
                    raise ZeroDivisionError(f"{prime} divides a denominator")
                inverses[below] = pow(below, -1, prime) * shift % prime
            return above * inverses[below] % prime

        return np.fromiter(map(residue, matrix.weights), dtype=np.uint64, count=len(matrix))


class Modular:
    """A sparse linear representation modulo a prime."""

    def __init__(self, of: Representation, prime: int) -> None:
        self.field, self.states, self.symbols = Field(prime), of.states, len(of.steps)
        rows = _joined([step.rows for step in of.steps])
        names = np.repeat(np.arange(len(of.steps)), [len(step) for step in of.steps])
        weights = [self.field.residues(step, (1 << 64) % prime) for step in of.steps]
        order = np.argsort(rows, kind="stable")
        self._table = (
            np.searchsorted(rows[order], np.arange(of.states + 1)),
            _joined([step.columns for step in of.steps])[order],
            names[order],
            np.concatenate([np.zeros(0, dtype=np.uint64), *weights])[order],
        )
        self.initial, self.final = self._dense(of.initial), self._dense(of.final)

    def _dense(self, vector: RationalMatrix) -> Residues:
        result = np.zeros(self.states, dtype=np.uint64)
        result[vector.rows + vector.columns] = self.field.residues(vector)
        return result

    def step(self, vector: Residues, factors: Residues) -> Residues:
        """Return the sum of factor_a M(a) v over all symbols a, divided by R (v is ``vector``)."""
        result: Residues = _step(*self._table, factors, vector, *self.field.modulus)
        return result

    def values(self, row: Residues, vector: Residues) -> Residues:
        """Return u M(a) v, divided by R, for each symbol a (u is ``row``, v is ``vector``)."""
        result: Residues = _by_symbol(*self._table, self.symbols, row, vector, *self.field.modulus)
        return result

    def row_step(self, row: Residues, symbol: int) -> Residues:
        """Return the product of the row and the symbol's matrix."""
        result: Residues = _row_step(*self._table, symbol, row, *self.field.modulus)
        return result

    @cached_property
    def entries(self) -> int:
        """The number of transitions."""
        return len(self._table[1])


def _joined(parts: list[Places]) -> Places:
    return np.concatenate([np.zeros(0, dtype=np.intp), *parts])
