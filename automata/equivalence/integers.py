"""Rational automata as integer matrices with cleared denominators, for work modulo primes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import flint
import numpy as np

from automata.aliases import Symbol
from automata.equivalence.arrows import kinds
from automata.fraction_matrices import cleared as clear
from automata.fraction_matrices import common_denominator, integers
from automata.wfsa import WFSA

PRIME_BITS = 61
_random = random.SystemRandom()


@dataclass(frozen=True)
class Integral:
    """An automaton with integer weights and without epsilon transitions.

    Attributes:
        start: lambda, a ``(1, n)`` integer matrix.
        steps: the matrix of each symbol, ``(n, n)``.
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
        """The largest absolute value of a transition weight."""
        every = [step.entries() or [0] for step in self.steps]
        return max((int(max(max(entries), -min(entries))) for entries in every), default=0)

    @cached_property
    def sizes(self) -> tuple[flint.fmpz_mat, tuple[flint.fmpz_mat, ...], flint.fmpz_mat]:
        """The entrywise absolute values of lambda, the symbol matrices and rho."""

        def size(matrix: flint.fmpz_mat) -> flint.fmpz_mat:
            return flint.fmpz_mat(matrix.nrows(), matrix.ncols(), [abs(w) for w in integers(matrix)])

        return size(self.start), tuple(map(size, self.steps)), size(self.end)


@dataclass(frozen=True)
class Cleared:
    """Automata over the same symbols with integer weights.

    All automata are multiplied by the same integers: one for each symbol, one for the initial and one for the
    final weights. All scores of a string are therefore multiplied by the same positive integer. A matrix that
    maps one automaton to another is not affected.

    Attributes:
        sides: the automata.
        symbols: the first symbol of each group of symbols with equal matrices, in alphabet order.
        index: for each symbol of the alphabet, the index of its group in ``symbols``.
        ends: the multipliers of the initial and of the final weights.
        scales: the multiplier of each symbol's matrix.
    """

    sides: tuple[Integral, ...]
    symbols: tuple[Symbol, ...]
    index: dict[Symbol, int]
    ends: tuple[int, int]
    scales: tuple[int, ...]

    @property
    def width(self) -> int:
        """The total number of states of all automata."""
        return sum(side.states for side in self.sides)

    def scores(self, word: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the score of a word in each automaton before the denominators were cleared.

        The word is a sequence of symbol indices.
        """
        scale = math.prod((self.scales[a] for a in word), start=self.ends[0] * self.ends[1])
        values = []
        for side in self.sides:
            row = side.start
            for a in word:
                row = row * side.steps[a]
            values.append(Fraction(int((row * side.end)[0, 0]), scale))
        return tuple(values)

    def bits(self, length: int) -> int:
        """Return how many bits the difference of two integer scores needs, for strings up to this length.

        The bound comes from a backward pass that starts with abs(rho). For each state, it takes the largest
        value over all symbols.
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
        """Return the bit length of a bound on the 1-norm of a word's vector, for words up to this length."""
        total = 0
        for side in self.sides:
            start, widest = sum(map(abs, integers(side.start))), side.states * side.largest
            total += start * max(1, widest) ** length
        return total.bit_length()


def cleared(automata: Sequence[WFSA]) -> Cleared:
    """Clear the denominators of exact epsilon-free real or counting automata over the same alphabet."""
    indices, first, index = kinds(automata)
    tables = [[a.matrices[kind[i]] for kind in indices] for i, a in enumerate(automata)]
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
    """Yield distinct random primes of 61 bits."""
    seen = set()
    while True:
        candidate = _random.getrandbits(PRIME_BITS) | (1 << (PRIME_BITS - 1)) | 1
        if candidate not in seen and flint.fmpz(candidate).is_prime():
            seen.add(candidate)
            yield candidate


def random_numbers() -> np.random.Generator:
    """Return a random generator with an unpredictable seed."""
    return np.random.default_rng(_random.getrandbits(128))


Word = tuple[int, ...]
"""A word as a tuple of symbol indices."""
MOST_EXACT_BITS = 1 << 31
"""Size limit, in bits (256 MB), for vectors that are computed once as integers.

Larger vectors are computed modulo each prime.
"""


def shortlex(word: Word) -> tuple[int, Word]:
    """Return the sort key for shortlex order."""
    return len(word), word


class IntegerVectors:
    """A matrix with a row for each word: the word's integer state vectors in all automata, concatenated.

    The words are in shortlex order, and every prefix of a word is also a word.
    """

    def __init__(self, automata: Cleared, words: Sequence[Word]) -> None:
        self.automata, self.words = automata, words
        longest = len(words[-1]) if words else 0
        self.row_bits = automata.vector_bits(longest)
        exact = self.row_bits * len(words) * automata.width <= MOST_EXACT_BITS
        self._exact = flint.fmpz_mat(len(words), automata.width, self._flat(None)) if exact else None

    def modulo(self, prime: int) -> flint.nmod_mat:
        """Return the vectors modulo a prime, one row for each word."""
        if self._exact is not None:
            return flint.nmod_mat(self._exact, prime)
        return flint.nmod_mat(len(self.words), self.automata.width, self._flat(prime), prime)

    def _flat(self, prime: int | None) -> list[int | flint.nmod]:
        def matrix(rows: int, columns: int, flat: list[int | flint.nmod]) -> flint.fmpz_mat | flint.nmod_mat:
            return (
                flint.fmpz_mat(rows, columns, flat)
                if prime is None
                else flint.nmod_mat(rows, columns, flat, prime)
            )

        def same(integral: flint.fmpz_mat) -> flint.fmpz_mat | flint.nmod_mat:
            return integral if prime is None else flint.nmod_mat(integral, prime)

        steps = [[same(step) for step in side.steps] for side in self.automata.sides]
        rows: dict[Word, list[list[int | flint.nmod]]] = {}
        for length, level in groupby(self.words, key=len):
            if length == 0:
                rows[()] = [same(side.start).entries() for side in self.automata.sides]
                continue
            for a, children in groupby(sorted(level, key=lambda word: word[-1]), key=lambda word: word[-1]):
                mine = list(children)
                for i, side in enumerate(self.automata.sides):
                    n = side.states
                    before = matrix(len(mine), n, [w for word in mine for w in rows[word[:-1]][i]])
                    after = (before * steps[i][a]).entries()
                    for k, word in enumerate(mine):
                        rows.setdefault(word, []).append(after[k * n : (k + 1) * n])
        return [w for word in self.words for part in rows[word] for w in part]
