"""The state vectors of chosen words, modulo as many primes as one asks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import flint

from automata.equivalence.integers import Cleared

Word = tuple[int, ...]
"""A word, as the places of its symbols."""
MOST_EXACT_BITS = 1 << 31
"""The most bits, 256 MB, of vectors that are computed once as integers; larger ones are computed modulo each
prime.
"""


def shortlex(word: Word) -> tuple[int, Word]:
    """What to compare words by."""
    return len(word), word


class Vectors:
    """The cleared vectors of words that are closed under taking prefixes; all sides of a word in one row.

    Args:
        automata: the sides.
        words: in shortlex order.
    """

    def __init__(self, automata: Cleared, words: Sequence[Word]) -> None:
        self.automata, self.words = automata, words
        longest = len(words[-1]) if words else 0
        self.row_bits = automata.vector_bits(longest)
        exact = self.row_bits * len(words) * automata.width <= MOST_EXACT_BITS
        self._exact = flint.fmpz_mat(len(words), automata.width, self._flat(None)) if exact else None

    def modulo(self, prime: int) -> flint.nmod_mat:
        """A matrix with a row for each word."""
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
