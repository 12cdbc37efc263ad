"""Search for the shortlex-least string with a nonzero score, modulo a random prime.

Let beta_0 = rho and beta_i = sum over symbols a of y_{i,a} M(a) beta_{i-1}, with independent random
multipliers y. Then lambda beta_i is a polynomial in y whose coefficients are the scores of the strings of
length i. If its value is nonzero, some score of that length is nonzero. If it is zero for all i < n, all
scores are most likely zero. The string is found from the left: each symbol is the least one for which a
nonzero score remains possible.

References:
    Kiefer, Murawski, Ouaknine, Wachter and Worrell 2011.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from automata.equivalence.integers import Word
from automata.equivalence.modular import Modular, Residues
from automata.equivalence.rationals import RationalMatrix
from automata.equivalence.representation import Representation

PRIMES = 54
"""Log2 of a lower bound on the number of primes of 61 bits."""
_NUMBERS_KEPT = 1 << 24
"""Maximum number of components of the vectors beta in memory (128 MB); other vectors are recomputed."""


@dataclass
class Search:
    """A search for the shortest strings with a nonzero score.

    Attributes:
        representation: the representation modulo a prime.
        length: a lower bound on the length of these strings. Every shorter string has score zero modulo the
            prime, with high probability.
    """

    representation: Modular
    length: int = 0
    _factors: list[Residues] = field(default_factory=list, repr=False)
    _kept: dict[int, Residues] = field(default_factory=dict, repr=False)
    _every: int = 1
    _vector: Residues = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._vector = self.representation.final

    def finds(self, most: int, progress: Callable[[int], None] | None = None) -> bool:
        """Return whether a string of ``length`` to ``most`` symbols has a nonzero score.

        On success, ``length`` is the length of the shortest one.
        """
        while self.length <= most:
            if self.representation.field.dot(self.representation.initial, self._vector):
                return True
            self._keep()
            self._factors.append(self.representation.field.random(self.representation.symbols))
            self._vector = self.representation.step(self._vector, self._factors[-1])
            self.length += 1
            if progress is not None and self.length % 256 == 0:
                progress(self.length)
        return False

    def _keep(self) -> None:
        if self.length % self._every == 0:
            self._kept[self.length] = self._vector
        if len(self._kept) * self.representation.states > _NUMBERS_KEPT and len(self._kept) > 8:
            self._every *= 2
            self._kept = {i: v for i, v in self._kept.items() if i % self._every == 0}

    def word(self) -> Word:
        """Return the lexicographically least string of ``length`` symbols with a nonzero score.

        The string is a tuple of symbol indices.
        """
        row, symbols = self.representation.initial, []
        for vector in self._back():
            values = self.representation.values(row, vector)
            symbols.append(int(np.flatnonzero(values)[0]))
            row = self.representation.row_step(row, symbols[-1])
        return tuple(symbols)

    def _back(self) -> Iterable[Residues]:
        """Yield the vectors beta_i for decreasing i, starting at ``length - 1``."""
        last = self.length
        for begin in sorted((i for i in self._kept if i < self.length), reverse=True):
            vectors = [self._kept[begin]]
            for i in range(begin, last - 1):
                vectors.append(self.representation.step(vectors[-1], self._factors[i]))
            yield from reversed(vectors)
            last = begin


def doubt(of: Representation, length: int) -> float:
    """Return log2 of a bound on the probability that the search misses the least string with a nonzero score.

    The search uses one random prime of 61 bits and covers strings of at most ``length`` symbols. It fails
    if the multipliers are a zero of a nonzero polynomial lambda beta_i, which has degree i <= ``length``. It
    also fails if the prime divides the numerator of the score.
    """
    matrices = (of.initial, *of.steps, of.final)
    below = {int(w.q) for matrix in matrices for w in matrix.weights}
    common = sum(d.bit_length() for d in below if d > 1)
    bits = sum(_bits(matrix, common) for matrix in (of.initial, of.final))
    bits += length * max((_bits(step, common) for step in of.steps), default=0)
    return math.log2((length + 1) * (length + 2) / 2 / 2**60 + (bits / 60 + 1) / 2**PRIMES)


def _bits(matrix: RationalMatrix, common: int) -> int:
    """Return a bound on the bit length of the sums of absolute values in each row of an integer matrix.

    The integer matrix is ``matrix``, multiplied by a common denominator of at most ``common`` bits.
    """
    largest = max((abs(int(w.p)).bit_length() - int(w.q).bit_length() + 1 for w in matrix.weights), default=0)
    return max(largest, 0) + common + max(matrix.shape).bit_length()
