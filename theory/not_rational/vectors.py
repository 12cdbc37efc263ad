"""Vectors of a cell's numbers, over any arithmetic: what the steps are written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Vector = Sequence[Any]
State = tuple[Vector, ...]
Weights = Mapping[str, Any]
ZERO = Fraction(0)


def affine(w: Weights, gate: str, x: int, h: Vector) -> Vector:
    """W_gate x + b_gate + U_gate h."""
    return plus(column(w[f"W_{gate}"], x), w[f"b_{gate}"], read(w[f"U_{gate}"], h))


def column(matrix: Sequence[Vector], x: int) -> Vector:
    """W x, for the one-hot vector of a letter."""
    return [row[x] for row in matrix]


def read(matrix: Sequence[Vector], vector: Vector) -> Vector:
    """The matrix times the vector."""
    return [dot(row, vector) for row in matrix]


def dot(one: Vector, other: Vector) -> Any:
    """The sum of the products."""
    return sum(times(one, other))


def plus(*vectors: Vector) -> Vector:
    """The sum."""
    return [sum(parts) for parts in zip(*vectors, strict=True)]


def times(one: Vector, other: Vector) -> Vector:
    """The product, unit by unit."""
    return [u * v for u, v in zip(one, other, strict=True)]


def scaled(factor: Any, vector: Vector) -> Vector:
    """Each number times the factor."""
    return [factor * z for z in vector]


def mix(f: Vector, c: Vector, u: Vector) -> Vector:
    """f c + (1 - f) u."""
    return plus(times(f, c), [(1 - p) * q for p, q in zip(f, u, strict=True)])


def each(function: Callable[[Any], Any], vector: Vector) -> Vector:
    """The function of each number."""
    return [function(z) for z in vector]


def outer(one: Vector, other: Vector) -> Vector:
    """The matrix one other^T, row after row in one list."""
    return [u * v for u in one for v in other]


def rows(matrix: Vector, width: int) -> list[Vector]:
    """The rows of a matrix that is one list."""
    return [matrix[start : start + width] for start in range(0, len(matrix), width)]


def columns(matrix: Vector, width: int) -> list[Vector]:
    """Its columns."""
    return [matrix[start::width] for start in range(width)]
