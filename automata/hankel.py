"""Hankel matrices: H[p, s] = f(ps). Their rank is the least number of states that any automaton over a field needs for f."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import flint

from automata.strings import String


@dataclass(frozen=True)
class Block:
    """A square Hankel block whose determinant is not zero: no automaton over a field with fewer states computes f.

    Attributes:
        prefixes, suffixes: the strings of its rows and columns.
        values: f(ps), row by row.
        determinant: exact.
    """

    prefixes: tuple[Any, ...]
    suffixes: tuple[Any, ...]
    values: tuple[tuple[Fraction, ...], ...]
    determinant: Fraction

    def __len__(self) -> int:
        return len(self.prefixes)


def shortlex(alphabet: Sequence[Any], longest: int) -> list[Any]:
    """All strings of at most ``longest`` symbols, shortest first, then in the alphabet's order.

    >>> shortlex("ab", 2)
    ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb']
    """
    join = "".join if isinstance(alphabet, str) else tuple
    return [join(x) for length in range(longest + 1) for x in product(alphabet, repeat=length)]


def full_rank_block(f: Callable[[String], Fraction], strings: Sequence[Any]) -> Block:
    """The first block of full rank among these prefixes and suffixes, as large as their Hankel matrix's rank.

    >>> squares = full_rank_block(lambda x: Fraction(len(x) ** 2), shortlex("a", 4))
    >>> len(squares), squares.determinant
    (3, Fraction(-8, 1))
    """
    table = [[Fraction(f(p + s)) for s in strings] for p in strings]
    rows = _independent(table)
    columns = _independent([list(column) for column in zip(*(table[i] for i in rows), strict=True)]) if rows else []
    values = tuple(tuple(table[i][j] for j in columns) for i in rows)
    determinant = _matrix(values).det() if rows else flint.fmpq(1)
    return Block(
        tuple(strings[i] for i in rows), tuple(strings[j] for j in columns), values,
        Fraction(int(determinant.p), int(determinant.q)),
    )  # fmt: skip


def _independent(rows: Sequence[Sequence[Fraction]]) -> list[int]:
    """The places of the first rows that span all: the pivot columns of the transpose's echelon form."""
    echelon, rank = _matrix([list(column) for column in zip(*rows, strict=True)]).rref()
    return [next(j for j in range(echelon.ncols()) if echelon[i, j] != 0) for i in range(rank)]


def _matrix(rows: Sequence[Sequence[Fraction]]) -> Any:
    return flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in rows])
