"""Breadth-first search, modulo a prime, for words whose state vectors span the vectors of all words.

Words are tried in shortlex order. A word is selected if its vector is independent of the vectors of earlier
words. If the vector of w depends on those of smaller words, so does that of wa, so only the children of
selected words are tried. The shortlex-least word that distinguishes two automata is always among the selected
words.

References:
    Schützenberger 1961; Tzeng 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import flint

from automata.equivalence.echelon import Echelon, staircase
from automata.equivalence.integers import Cleared, IntegerVectors, Word, shortlex

MOST_ENTRIES = 1 << 18
"""Maximum number of entries in one block of candidates."""
MANY = 32
"""Minimum number of words in a block for testing their children together first."""


@dataclass(frozen=True)
class Exploration:
    """The result of an exploration modulo a prime.

    Attributes:
        prime: the modulus.
        words: the selected words in shortlex order, closed under prefixes. Their vectors are also independent
            over the rationals.
        difference: the shortlex-least word whose scores differ modulo the prime. Its scores differ, but the
            scores of a smaller word may differ by a multiple of the prime.
        left_out: whether a block of words was skipped because a random linear combination of their vectors is
            in the span of the selected vectors. With probability 1/prime, it is in the span although a vector
            of the block is not. A smaller word may then differ.
    """

    prime: int
    words: list[Word]
    difference: Word | None
    left_out: bool = False


def explore(
    automata: Cleared,
    prime: int,
    before: Word | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Exploration:
    """Select words until their vectors span those of all words, or until a word has different scores.

    Args:
        automata: one automaton, or two automata to compare.
        prime: the modulus.
        before: try only words smaller than this one.
        progress: a callback that receives the number of selected words and the length of the latest ones.
    """
    width = automata.width
    echelon = Echelon(width, prime)
    ends = _difference(automata, prime)
    words: list[Word] = []
    root = [w for side in automata.sides for w in flint.nmod_mat(side.start, prime).entries()]
    batches: Iterator[tuple[list[Word], list[flint.nmod]]] = iter([([()], root)])
    stepping = _Stepping(automata, prime)
    while True:
        level: list[tuple[Word, list[flint.nmod]]] = []
        for names, flat in batches:
            if before is not None and shortlex(names[-1]) >= shortlex(before):
                names = [w for w in names if shortlex(w) < shortlex(before)]
                flat = flat[: len(names) * width]
            level += [(names[i], flat[i * width : (i + 1) * width]) for i in echelon.extend(flat)]
            if ends is not None:
                rows = flint.nmod_mat(len(names), width, flat, prime)
                differs = next((i for i, value in enumerate((rows * ends).entries()) if value != 0), None)
                if differs is not None:
                    words += [w for w, _ in level if shortlex(w) <= shortlex(names[differs])]
                    return Exploration(prime, words, names[differs], stepping.left_out)
            if echelon.rank == width:
                break
        words += [word for word, _ in level]
        if not level or echelon.rank == width:
            return Exploration(prime, words, None, stepping.left_out)
        if progress is not None:
            progress(len(words), len(level[0][0]))
        # Callers check the result exactly if words were left out, but not if ``before`` is set.
        batches = stepping.children(level, echelon.spans if before is None else lambda row: False)


class Agreement:
    """A test of whether all words before a given word have equal scores modulo further primes.

    It passes for a prime if all scores agree and the selected words are also independent modulo this prime.
    """

    def __init__(self, automata: Cleared, words: Sequence[Word], before: Word) -> None:
        self.automata = automata
        independent = [word for word in words if shortlex(word) < shortlex(before)]
        symbols = range(len(automata.symbols))
        children = {()} | {(*word, a) for word in independent for a in symbols}
        tried = sorted((word for word in children if shortlex(word) < shortlex(before)), key=shortlex)
        index = {word: i for i, word in enumerate(tried)}
        self.independent = [index[word] for word in independent]
        self.candidates = IntegerVectors(automata, tried)

    def holds(self, prime: int) -> bool:
        """Return whether the test passes for this prime."""
        rows = self.candidates.modulo(prime)
        if any(value != 0 for value in (rows * _difference(self.automata, prime)).entries()):
            return False
        echelon, rank = rows.transpose().rref()
        return staircase(echelon, rank) == self.independent


def _difference(automata: Cleared, prime: int) -> flint.nmod_mat | None:
    """Return the column whose product with a word's vector is the difference of the two automata's scores.

    Return ``None`` for one automaton.
    """
    if len(automata.sides) != 2:
        return None
    a, b = (flint.nmod_mat(side.end, prime) for side in automata.sides)
    return flint.nmod_mat(automata.width, 1, a.entries() + (-b).entries(), prime)


class _Stepping:
    """A helper that multiplies many row vectors by the matrices of all symbols at once."""

    def __init__(self, automata: Cleared, prime: int) -> None:
        self.automata, self.prime, self.left_out = automata, prime, False
        self.steps = [[flint.nmod_mat(step, prime) for step in side.steps] for side in automata.sides]

    def children(
        self, level: list[tuple[Word, list[flint.nmod]]], spans: Callable[[list[flint.nmod]], bool]
    ) -> Iterator[tuple[list[Word], list[flint.nmod]]]:
        """Yield blocks of children of the words in ``level``, with their concatenated vectors.

        A child is a word with one more symbol. The children are in shortlex order. Skip a block if ``spans``
        returns true for a random linear combination of the vectors of its children.
        """
        symbols, width = len(self.automata.symbols), self.automata.width
        # number of parents in a block; each parent has all its children in one block if they fit
        many = max(1, MOST_ENTRIES // max(1, symbols * width))
        group = max(1, MOST_ENTRIES // max(1, width) if many == 1 else symbols)
        for i in range(0, len(level), many):
            parents = level[i : i + many]
            if len(parents) >= MANY and spans(self.sum_of_children(parents)):
                self.left_out = True
                continue
            for first in range(0, symbols, group):
                letters = range(first, min(first + group, symbols))
                yield [(*word, a) for word, _ in parents for a in letters], self._step(parents, letters)

    def sum_of_children(self, level: list[tuple[Word, list[flint.nmod]]]) -> list[flint.nmod]:
        """Return a random linear combination of the vectors of all children of the words in ``level``.

        If the vector of a child is outside a space, so is the combination, with high probability.
        """
        random, symbols = Random(self.prime), len(self.automata.symbols)
        factors = [random.randrange(self.prime) for _ in range(symbols * len(level))]
        total: list[flint.nmod] = []
        begin = 0
        for side, steps in zip(self.automata.sides, self.steps, strict=True):
            n = side.states
            rows = self._rows(level, begin, n)
            sums = (flint.nmod_mat(symbols, len(level), factors, self.prime) * rows).entries()
            image = flint.nmod_mat(1, n, [0] * n, self.prime)
            for a, step in enumerate(steps):
                image += flint.nmod_mat(1, n, sums[a * n : (a + 1) * n], self.prime) * step
            total += image.entries()
            begin += n
        return total

    def _rows(self, parents: list[tuple[Word, list[flint.nmod]]], begin: int, n: int) -> flint.nmod_mat:
        """Return columns ``begin`` to ``begin + n`` of the parents' vectors, one row for each parent."""
        flat = [w for _, row in parents for w in row[begin : begin + n]]
        return flint.nmod_mat(len(parents), n, flat, self.prime)

    def _step(self, parents: list[tuple[Word, list[flint.nmod]]], letters: range) -> list[flint.nmod]:
        parts, begin = [], 0
        for side, steps in zip(self.automata.sides, self.steps, strict=True):
            n = side.states
            rows = self._rows(parents, begin, n)
            parts.append((n, [(rows * steps[a]).entries() for a in letters]))
            begin += n
        joint: list[flint.nmod] = []
        for i in range(len(parents)):
            for k in range(len(letters)):
                for n, images in parts:
                    joint += images[k][i * n : (i + 1) * n]
        return joint
