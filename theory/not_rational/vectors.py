"""Vector operations over any arithmetic, for the steps of cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Vector = Sequence[Any]
State = tuple[Vector, ...]
Weights = Mapping[str, Any]
ZERO = Fraction(0)


def affine(w: Weights, gate: str, x: int, h: Vector) -> Vector:
    """Return W_gate x + b_gate + U_gate h, the value of a gate before its nonlinearity."""
    return plus(column(w[f"W_{gate}"], x), w[f"b_{gate}"], read(w[f"U_{gate}"], h))


def column(matrix: Sequence[Vector], x: int) -> Vector:
    """Return W x for the one-hot vector of a letter."""
    return [row[x] for row in matrix]


def read(matrix: Sequence[Vector], vector: Vector) -> Vector:
    """Return the product of the matrix and the vector."""
    return [dot(row, vector) for row in matrix]


def dot(one: Vector, other: Vector) -> Any:
    """Return the inner product of two vectors."""
    return sum(times(one, other))


def plus(*vectors: Vector) -> Vector:
    """Return the sum of the vectors."""
    return [sum(parts) for parts in zip(*vectors, strict=True)]


def times(one: Vector, other: Vector) -> Vector:
    """Return the elementwise product of two vectors."""
    return [u * v for u, v in zip(one, other, strict=True)]


def scaled(factor: Any, vector: Vector) -> Vector:
    """Return the product of the factor and the vector."""
    return [factor * z for z in vector]


def mix(f: Vector, c: Vector, u: Vector) -> Vector:
    """Return the elementwise mixture f c + (1 - f) u."""
    return plus(times(f, c), [(1 - p) * q for p, q in zip(f, u, strict=True)])


def each(function: Callable[[Any], Any], vector: Vector) -> Vector:
    """Apply the function to each component."""
    return [function(z) for z in vector]


def outer(one: Vector, other: Vector) -> Vector:
    """Return the outer product of two vectors as one list, row by row."""
    return [u * v for u in one for v in other]


def rows(matrix: Vector, width: int) -> list[Vector]:
    """Split a matrix, stored as one flat list row by row, into rows of length ``width``."""
    return [matrix[start : start + width] for start in range(0, len(matrix), width)]


def columns(matrix: Vector, width: int) -> list[Vector]:
    """Split a matrix, stored as one flat list row by row, into its ``width`` columns."""
    return [matrix[start::width] for start in range(width)]
