"""Hankel matrices H[p, s] = f(ps), whose rank is the least number of states for f over a field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np

from automata.aliases import String, Symbol, Weights
from automata.errors import InputError, ShapeError
from automata.forward import forward
from automata.operations import remove_epsilon, reverse
from automata.sparse_matrix import Vector
from automata.sparse_runs import is_large, run
from automata.wfsa import WFSA, require_cells


@dataclass(frozen=True)
class Block:
    """A square block of the Hankel matrix of a function f on strings.

    If its determinant is nonzero, every automaton over a field that computes f has at least as many states as
    the block has rows.

    Attributes:
        prefixes, suffixes: the strings p of the rows and the strings s of the columns.
        values: f(ps), row by row.
        determinant: the exact determinant.
    """

    prefixes: tuple[Any, ...]
    suffixes: tuple[Any, ...]
    values: tuple[tuple[Fraction, ...], ...]
    determinant: Fraction

    def __len__(self) -> int:
        return len(self.prefixes)


def hankel(automaton: WFSA, prefixes: Sequence[String], suffixes: Sequence[String]) -> Weights:
    """Return the exact Hankel matrix of an automaton's scores, shape ``(prefixes, suffixes)``.

    The automaton may be over any semiring. Each entry is the product of a prefix's forward vector
    and a suffix's backward vector.

    >>> from automata.semirings import COUNTING
    >>> hankel(WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]]}), ["", "a", "aa"], ["", "a"])
    array([[0, 1],
           [1, 2],
           [2, 3]], dtype=object)

    Raises:
        LimitReached: If the matrix would have too many entries.
    """
    k, exact = (automaton.semiring, automaton if automaton.semiring.float_only else automaton.to_exact())
    require_cells(k, len(prefixes) * len(suffixes), exact.exact, "the Hankel matrix")
    values = k.zeros(len(prefixes), len(suffixes), exact=exact.exact)
    if is_large(exact):
        behind = [_before(exact, s) for s in suffixes]
        for i, p in enumerate(prefixes):
            *_, (states, weights) = run(exact, map(exact.table, p))
            for j, (others, other_weights) in enumerate(behind):
                _, one, two = np.intersect1d(states, others, assume_unique=True, return_indices=True)
                values[i, j] = k.sum(k.times(weights[one], other_weights[two]))
        return values
    plain = remove_epsilon(exact)
    mirror = reverse(plain)
    rows = [forward(plain, p)[-1] for p in prefixes]
    columns = [forward(mirror, s[::-1])[-1] for s in suffixes]
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            values[i, j] = k.sum(k.times(row, column))
    return values


def _before(automaton: WFSA, suffix: String) -> Vector:
    """Return the score of the suffix from each state, without epsilon transitions before its first symbol."""
    k, closure = automaton.semiring, automaton.epsilon_closure
    present = np.flatnonzero(automaton.final != k.zero)
    vector = present, automaton.final[present]
    for symbol in suffix[::-1]:
        before_symbol = vector if closure is None else closure.transposed.sparse_product(vector)
        vector = automaton.table(symbol).transposed.sparse_product(k, before_symbol)
    return vector


def block(automaton: WFSA, prefixes: Sequence[String], suffixes: Sequence[String]) -> Block:
    """Return a square Hankel block of an automaton over a field, with its determinant.

    >>> from automata.semirings import REAL
    >>> block(WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]]}), ["", "a"], ["", "a"]).determinant
    Fraction(-1, 1)
    """
    if not automaton.semiring.is_field:
        raise InputError(
            "a determinant needs a real or counting automaton, got one over the"
            f" {automaton.semiring.name} semiring"
        )
    if len(prefixes) != len(suffixes):
        raise ShapeError(
            f"a square block must have as many prefixes as suffixes, got {len(prefixes)} and {len(suffixes)}"
        )
    values = tuple(tuple(map(Fraction, row)) for row in hankel(automaton, prefixes, suffixes).tolist())
    return Block(tuple(prefixes), tuple(suffixes), values, _determinant(values))


def shortlex(alphabet: Sequence[Symbol], longest: int) -> list[Any]:
    """Return all strings of at most ``longest`` symbols in shortlex order.

    >>> shortlex("ab", 2)
    ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb']
    """
    join: Callable[[Iterable[Any]], String] = "".join if isinstance(alphabet, str) else tuple
    return [join(x) for length in range(longest + 1) for x in product(alphabet, repeat=length)]


def full_rank_block(f: Callable[[String], Fraction], strings: Sequence[Any]) -> Block:
    """Return a Hankel block of f whose rank is that of the full Hankel matrix on ``strings``.

    Its prefixes and suffixes are the first ones of ``strings`` whose rows and columns are independent.

    >>> squares = full_rank_block(lambda x: Fraction(len(x) ** 2), shortlex("a", 4))
    >>> len(squares), squares.determinant
    (3, Fraction(-8, 1))
    """
    table = [[Fraction(f(p + s)) for s in strings] for p in strings]
    rows = _independent(table)
    columns = (
        _independent([list(column) for column in zip(*(table[i] for i in rows), strict=True)]) if rows else []
    )
    values = tuple(tuple(table[i][j] for j in columns) for i in rows)
    return Block(
        tuple(strings[i] for i in rows), tuple(strings[j] for j in columns), values, _determinant(values)
    )


def _determinant(values: Sequence[Sequence[Fraction]]) -> Fraction:
    determinant = _matrix(values).det() if values else flint.fmpq(1)
    return Fraction(int(determinant.p), int(determinant.q))


def _independent(rows: Sequence[Sequence[Fraction]]) -> list[int]:
    """Return the indices of the first rows that form a basis of the row space."""
    echelon, rank = _matrix([list(column) for column in zip(*rows, strict=True)]).rref()
    return [next(j for j in range(echelon.ncols()) if echelon[i, j] != 0) for i in range(rank)]


def _matrix(rows: Sequence[Sequence[Fraction]]) -> flint.fmpq_mat:
    return flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in rows])
