"""Automata over the rationals as integer matrices: denominators are cleared once, so that one can count
modulo a prime.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint
import numpy as np

from automata.aliases import Symbol
from automata.equivalence.symbols import kinds
from automata.fraction_matrices import cleared as clear
from automata.fraction_matrices import common_denominator, integers
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

    start: flint.fmpz_mat
    steps: tuple[flint.fmpz_mat, ...]
    end: flint.fmpz_mat

    @property
    def states(self) -> int:
        """The number of states, n."""
        return int(self.end.nrows())

    @cached_property
    def largest(self) -> int:
        """The largest |tau|."""
        every = [step.entries() or [0] for step in self.steps]
        return max((int(max(max(entries), -min(entries))) for entries in every), default=0)

    @cached_property
    def sizes(self) -> tuple[flint.fmpz_mat, tuple[flint.fmpz_mat, ...], flint.fmpz_mat]:
        """|lambda|, the matrices |tau|, and |rho|."""

        def size(matrix: flint.fmpz_mat) -> flint.fmpz_mat:
            return flint.fmpz_mat(matrix.nrows(), matrix.ncols(), [abs(w) for w in integers(matrix)])

        return size(self.start), tuple(map(size, self.steps)), size(self.end)


@dataclass(frozen=True)
class Cleared:
    """Automata that read the same symbols, their weights multiplied by what makes all of them integers.

    All are multiplied by the same numbers (one for each symbol, one for either end), so all their scores of a
    string are multiplied by the same positive integer, and a matrix that takes one automaton to another does
    so before and after.

    Attributes:
        sides: the automata.
        symbols: symbols that differ in what they do, each the first of its kind in the alphabet's order.
        index: for each symbol of the alphabet the place of the one in ``symbols`` that does what it does.
        ends: what the initial, and the final weights were multiplied by.
        scales: what the matrix of each symbol was multiplied by.
    """

    sides: tuple[Integral, ...]
    symbols: tuple[Symbol, ...]
    index: dict[Symbol, int]
    ends: tuple[int, int]
    scales: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number of states of all sides."""
        return sum(side.states for side in self.sides)

    def scores(self, word: Sequence[int]) -> tuple[Fraction, ...]:
        """The score that each side gives to a word of symbols' places, as it was before clearing."""
        scale = math.prod((self.scales[a] for a in word), start=self.ends[0] * self.ends[1])
        values = []
        for side in self.sides:
            row = side.start
            for a in word:
                row = row * side.steps[a]
            values.append(Fraction(int((row * side.end)[0, 0]), scale))
        return tuple(values)

    def bits(self, length: int) -> int:
        """Bits that hold the difference of the cleared scores of any string of at most that length: a bound
        over all of them.

        Backwards from |rho|: for each state the largest that any symbol, and then the rest of some string,
        can make of it.
        """
        most = 0
        for side in self.sides:
            start, steps, ahead = side.sizes
            for rest in range(length + 1):
                most = max([most, *integers(start * ahead)])
                if rest < length:
                    following = zip(*(integers(step * ahead) for step in steps), strict=True)
                    ahead = flint.fmpz_mat(side.states, 1, [max(values) for values in following])
        return most.bit_length() + 1

    def vector_bits(self, length: int) -> int:
        """Bits that hold the sum of the entries' sizes in the cleared vector of any word of at most that
        length, all sides.
        """
        total = 0
        for side in self.sides:
            start, widest = sum(map(abs, integers(side.start))), side.states * side.largest
            total += start * max(1, widest) ** length
        return total.bit_length()


def cleared(automata: Sequence[WFSA]) -> Cleared:
    """Clear the denominators of automata over one alphabet in one order: real or counting, exact, without
    epsilon.
    """
    places, first, index = kinds(automata)
    tables = [[a.matrices[kind[i]] for kind in places] for i, a in enumerate(automata)]
    scales = [common_denominator(same) for same in zip(*tables, strict=True)]
    start, end = (
        common_denominator([a.initial for a in automata]),
        common_denominator([a.final for a in automata]),
    )
    sides = tuple(
        Integral(
            clear(a.initial[None, :], start),
            tuple(clear(table, scale) for table, scale in zip(mine, scales, strict=True)),
            clear(a.final[:, None], end),
        )
        for a, mine in zip(automata, tables, strict=True)
    )
    return Cleared(sides, tuple(first), index, (start, end), tuple(scales))


def primes() -> Iterator[int]:
    """Random primes of 61 bits, each only once."""
    seen = set()
    while True:
        candidate = _random.getrandbits(PRIME_BITS) | (1 << (PRIME_BITS - 1)) | 1
        if candidate not in seen and flint.fmpz(candidate).is_prime():
            seen.add(candidate)
            yield candidate


def random_numbers() -> np.random.Generator:
    """A generator that nobody can foresee."""
    return np.random.default_rng(_random.getrandbits(128))
