"""Construction of a basis over the rationals from words whose vectors span all vectors modulo a prime.

The basis is checked exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import isqrt

import flint
import numpy as np

from automata.equivalence.echelon import columns, staircase
from automata.equivalence.integers import PRIME_BITS, Cleared, IntegerVectors, Word
from automata.fraction_matrices import fractions, integers
from automata.semirings import REAL
from automata.wfsa import WFSA

MOST_BITS = 1 << 35
"""Size limit of a basis, in bits (4 GB)."""
_SLACK = 12
"""A candidate basis is checked if its integers are at least this many bits shorter than the modulus."""


@dataclass(frozen=True)
class Basis:
    """A basis N / d of the span of the state vectors of all words, in reduced echelon form.

    A vector concatenates the states of all compared automata. The basis is checked exactly. Its rows are the
    states of an automaton C with the same scores as each compared automaton. The columns that belong to a
    compared automaton form the matrix that maps C to this automaton.

    Attributes:
        pivots: the columns that form the identity, numbered over all automata.
        sides: N for each compared automaton, ``(rank, n)`` integers.
        denominator: d.
        steps: the integer matrix of each symbol in C, ``(rank, rank)``, with the denominator d.
        full_side: the index of the first automaton whose states are this basis, or ``None``.
    """

    pivots: list[int]
    sides: tuple[flint.fmpz_mat, ...]
    denominator: int
    steps: tuple[flint.fmpz_mat, ...]
    full_side: int | None

    def automaton(self, automata: Cleared) -> WFSA:
        """Return the automaton whose states are the rows of the basis."""
        side, rows, d = automata.sides[0], self.sides[0], self.denominator
        k = len(self.pivots)
        start = [w for s in automata.sides for w in s.start.entries()]
        initial = fractions(flint.fmpz_mat(1, k, [start[j] for j in self.pivots]), automata.ends[0])
        tables = [fractions(step, d * scale) for step, scale in zip(self.steps, automata.scales, strict=True)]
        matrices = np.stack(tables) if tables else np.empty((0, k, k), dtype=object)
        final = fractions(rows * side.end, d * automata.ends[1])
        blank = WFSA(REAL, [], [], {})
        return blank.replace(initial=initial[0], final=final[:, 0], matrices=matrices, index=automata.index)


def lift(
    automata: Cleared,
    words: Sequence[Word],
    primes: Iterator[int],
    progress: Callable[[int], None] | None = None,
) -> Basis | None:
    """Return a basis over the rationals of the span of the state vectors of all words.

    Return ``None`` if the vectors of ``words`` do not span this space, or if the basis would exceed
    :data:`MOST_BITS`.

    Args:
        automata: the automata to compare.
        words: the words that an exploration selected.
        primes: an iterator over unused primes.
        progress: a callback that receives the bit length of the modulus.
    """
    rows = IntegerVectors(automata, words)
    guesses = [_Guess(rows, pivots) for pivots in _pivot_choices(automata, rows.modulo(next(primes)))]
    # By Cramer's rule, numerators and denominators are determinants, bounded by the product of row lengths.
    enough = min(MOST_BITS // max(1, automata.width**2), 2 * len(words) * rows.row_bits + _SLACK + 8)
    needed = 1
    while guesses:
        if progress is not None:
            progress(PRIME_BITS * needed)
        for guess in guesses:
            while guess.count < needed:
                guess.solve_modulo(next(primes))
            candidate = guess.basis()
            if candidate is not None:
                return candidate
        if all(guess.modulus.bit_length() > enough for guess in guesses):
            return None
        needed *= 2
    return None


def _bounds(automata: Cleared) -> list[range]:
    """Return the range of columns of each automaton in the concatenated vectors."""
    ends = list(accumulate((side.states for side in automata.sides), initial=0))
    return [range(begin, end) for begin, end in pairwise(ends)]


def _pivot_choices(automata: Cleared, rows: flint.nmod_mat) -> list[list[int]]:
    """Return sets of columns that can become the identity matrix of the basis, the most promising first.

    The determinants in the basis are smaller if fewer pivots are outside one automaton's columns.
    """
    choices: dict[tuple[int, ...], tuple[int, int]] = {}
    bounds = _bounds(automata)
    for first in sorted(bounds, key=len):
        order = [*first, *(j for other in bounds if other is not first for j in other)]
        echelon, rank = columns(rows, order).rref()
        pivots = tuple(sorted(order[j] for j in staircase(echelon, rank)))
        if rank == rows.nrows():
            choices.setdefault(pivots, (sum(j not in first for j in pivots), len(first)))
            # if two sides have the same size, the maps between them may need integers of different sizes
            if pivots == tuple(first) and len({len(side) for side in bounds}) == len(bounds):
                break
    return [list(pivots) for pivots, _ in sorted(choices.items(), key=lambda item: item[1])]


class _Guess:
    """A candidate basis for one choice of pivot columns.

    Its other columns are known modulo a growing product of primes.
    """

    def __init__(self, rows: IntegerVectors, pivots: list[int]) -> None:
        self.automata, self.rows, self.pivots = rows.automata, rows, pivots
        pivot_columns = set(pivots)
        self.others = [j for j in range(self.automata.width) if j not in pivot_columns]
        self.values = [0] * (len(pivots) * len(self.others))
        self.modulus, self.count = 1, 0

    def solve_modulo(self, prime: int) -> None:
        """Solve for the other columns modulo another prime; skip the prime if the pivots are singular."""
        self.count += 1
        rows = self.rows.modulo(prime)
        flat = rows.entries()
        try:
            solved = columns(rows, self.pivots, flat).solve(columns(rows, self.others, flat))
        except ZeroDivisionError:
            return
        m, inverse = self.modulus, pow(self.modulus, -1, prime)
        self.values = [
            v + m * ((w - v) * inverse % prime) for v, w in zip(self.values, integers(solved), strict=True)
        ]
        self.modulus *= prime

    def basis(self) -> Basis | None:
        """Return the basis if the columns known so far form one, otherwise ``None``."""
        fractions = reconstruct(self.values, self.modulus)
        if fractions is None:
            return None
        numerators, d = fractions
        k, others = len(self.pivots), len(self.others)
        full: list[list[int]] = [[0] * self.automata.width for _ in range(k)]
        for i, row in enumerate(full):
            row[self.pivots[i]] = d
            for j, w in zip(self.others, numerators[i * others : (i + 1) * others], strict=True):
                row[j] = w
        bounds = _bounds(self.automata)
        sides = tuple(
            flint.fmpz_mat(k, len(b), [w for row in full for w in row[b.start : b.stop]]) for b in bounds
        )
        full_side = next((i for i, b in enumerate(bounds) if list(b) == self.pivots), None)
        return _checked(self.automata, self.pivots, sides, d, full_side)


def reconstruct(values: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Return small integers N and d with N = d * values modulo the modulus; ``None`` if there are none."""
    d, most = 1, isqrt(modulus // 2)
    for value in values:  # inlined, because there can be hundreds of thousands of values
        numerator = value * d % modulus
        if most < numerator < modulus - most:
            d *= _denominator(numerator, modulus, most)
            if d > most:
                return None
    half = modulus // 2
    numerators = [w - modulus if w > half else w for w in (value * d % modulus for value in values)]
    largest = max(max(numerators, default=0), -min(numerators, default=0))
    if largest.bit_length() + d.bit_length() + _SLACK > modulus.bit_length():
        return None
    return numerators, d


def _denominator(value: int, modulus: int, most: int) -> int:
    """Return the denominator of the fraction that is ``value`` modulo the modulus (Wang 1981)."""
    r0, r1, t0, t1 = modulus, value, 0, 1
    while r1 > most:
        q = r0 // r1
        r0, r1, t0, t1 = r1, r0 - q * r1, t1, t0 - q * t1
    return abs(t1)


def _checked(
    automata: Cleared, pivots: list[int], sides: tuple[flint.fmpz_mat, ...], d: int, full_side: int | None
) -> Basis | None:
    """Return the basis if it contains the start vector and is closed under every symbol, exactly."""
    start = [w for side in automata.sides for w in side.start.entries()]
    first = flint.fmpz_mat(1, len(pivots), [start[j] for j in pivots])
    if any(first * rows != d * side.start for rows, side in zip(sides, automata.sides, strict=True)):
        return None
    steps = []
    for a in range(len(automata.symbols)):
        if full_side is None:
            images = [rows * side.steps[a] for rows, side in zip(sides, automata.sides, strict=True)]
            step = _chosen(images, pivots)
        else:
            step = d * automata.sides[full_side].steps[a]
            images = [
                rows * side.steps[a] if i != full_side else step
                for i, (rows, side) in enumerate(zip(sides, automata.sides, strict=True))
            ]
        if any(
            step * rows != d * image
            for i, (rows, image) in enumerate(zip(sides, images, strict=True))
            if i != full_side
        ):
            return None
        steps.append(step)
    return Basis(pivots, sides, d, tuple(steps), full_side)


def _chosen(images: list[flint.fmpz_mat], pivots: list[int]) -> flint.fmpz_mat:
    """Return the pivot rows and pivot columns of the concatenated matrices ``images``, a square matrix."""
    columns = [column for image in images for column in zip(*image.table(), strict=True)] if pivots else []
    return flint.fmpz_mat(
        len(pivots), len(pivots), [columns[j][i] for i in range(len(pivots)) for j in pivots]
    )
