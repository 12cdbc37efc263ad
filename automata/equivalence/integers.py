"""Automata over the rationals as integer matrices: denominators are cleared once, so that one can count modulo a prime."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from automata.wfsa import WFSA

PRIME_BITS = 61
_random = random.SystemRandom()


@dataclass(frozen=True)
class Integral:
    """One automaton with integer weights and without epsilon.

    Attributes:
        start: lambda, a ``(1, n)`` integer matrix.
        steps: for each symbol its matrix, ``(n, n)``.
        end: rho, ``(n, 1)``.
    """

    start: Any
    steps: tuple[Any, ...]
    end: Any

    @property
    def states(self) -> int:
        """The number of states, n."""
        return int(self.end.nrows())

    @cached_property
    def norms(self) -> tuple[int, int, int]:
        """The sum of |lambda|, the largest row sum of any |tau|, and the largest |rho|.

        No score of a string of length t is larger than the first, times the second to the power t, times the third.
        """
        n = self.states
        rows = [list(map(abs, integers(step))) for step in self.steps] if n else []
        widest = max((sum(flat[i : i + n]) for flat in rows for i in range(0, n * n, n)), default=0)
        return sum(map(abs, integers(self.start))), widest, max(map(abs, integers(self.end)), default=0)


@dataclass(frozen=True)
class Cleared:
    """Automata that read the same symbols, their weights multiplied by what makes all of them integers.

    All are multiplied by the same numbers (one for each symbol, one for either end), so all their scores of a string are
    multiplied by the same positive integer, and a matrix that takes one automaton to another does so before and after.

    Attributes:
        sides: the automata.
        symbols: symbols that differ in what they do, each the first of its kind in the alphabet's order.
        index: for each symbol of the alphabet the place of the one in ``symbols`` that does what it does.
        ends: what the initial, and the final weights were multiplied by.
        scales: what the matrix of each symbol was multiplied by.
    """

    sides: tuple[Integral, ...]
    symbols: tuple[Any, ...]
    index: dict[Any, int]
    ends: tuple[int, int]
    scales: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number of states of all sides."""
        return sum(side.states for side in self.sides)

    def scores(self, word: Sequence[int]) -> tuple[Fraction, ...]:
        """The score that each side gives to a word of symbols' places, as it was before clearing."""
        scale = math.prod((self.scales[a] for a in word), start=self.ends[0] * self.ends[1])
        found = []
        for side in self.sides:
            row = side.start
            for a in word:
                row = row * side.steps[a]
            found.append(Fraction(int((row * side.end)[0, 0]), scale))
        return tuple(found)

    def bits(self, length: int) -> int:
        """Bits that hold the cleared score of every string of at most that length, on every side, and its sign."""
        norms = [side.norms for side in self.sides]
        return 1 + max(int(a * b**t * c).bit_length() for a, b, c in norms for t in (0, length))

    def vector_bits(self, length: int) -> int:
        """Bits that hold the sum of the entries' sizes in the cleared vector of any word of at most that length, all sides."""
        return int(sum(a * max(1, b) ** length for a, b, _ in (side.norms for side in self.sides))).bit_length()


def cleared(automata: Sequence[WFSA]) -> Cleared:
    """Clear the denominators of automata over one alphabet in one order: real or counting, exact, without epsilon."""
    kinds: dict[tuple[int, ...], int] = {}
    index = {s: kinds.setdefault(tuple(a.index[s] for a in automata), len(kinds)) for s in automata[0].index}
    first = {place: symbol for symbol, place in reversed(index.items())}
    tables = [[a.matrices[kind[i]] for kind in kinds] for i, a in enumerate(automata)]
    scales = [_common(same) for same in zip(*tables, strict=True)]
    start, end = _common([a.initial for a in automata]), _common([a.final for a in automata])
    sides = tuple(
        Integral(
            flint.fmpz_mat(1, a.states, _times(a.initial, start)),
            tuple(flint.fmpz_mat(a.states, a.states, _times(t, s)) for t, s in zip(mine, scales, strict=True)),
            flint.fmpz_mat(a.states, 1, _times(a.final, end)),
        )
        for a, mine in zip(automata, tables, strict=True)
    )
    return Cleared(sides, tuple(first[k] for k in range(len(kinds))), index, (start, end), tuple(scales))


def _common(arrays: Sequence[NDArray[Any]]) -> int:
    """The least common denominator of all weights."""
    return math.lcm(*{w.denominator for array in arrays for w in array.ravel().tolist()})


def _times(array: NDArray[Any], scale: int) -> list[int]:
    flat = array.ravel().tolist()
    return [w.numerator for w in flat] if scale == 1 else [w.numerator * (scale // w.denominator) for w in flat]


def integers(matrix: Any) -> list[int]:
    """The entries of a flint matrix, row by row, as Python's integers."""
    return [int(w) for w in matrix.entries()]


def fractions(matrix: Any, denominator: int) -> NDArray[Any]:
    """An integer matrix over a common denominator as an array of fractions."""
    made = np.empty(matrix.nrows() * matrix.ncols(), dtype=object)
    for i, w in enumerate(integers(matrix)):
        made[i] = Fraction(w, denominator)
    return made.reshape(matrix.nrows(), matrix.ncols())


def primes() -> Iterator[int]:
    """Random primes of 61 bits, each only once."""
    seen = set()
    while True:
        found = _random.getrandbits(PRIME_BITS) | (1 << (PRIME_BITS - 1)) | 1
        if found not in seen and flint.fmpz(found).is_prime():
            seen.add(found)
            yield found
