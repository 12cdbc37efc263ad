"""Decision over a field for large automata, using only sparse matrices.

A, and B with its initial weights negated, form one representation; the automata are equal if all
its scores are zero. First, short strings are searched modulo a random prime
(:mod:`automata.equivalence.shortest`), because most differences appear early. Then the
representation is reduced by lumping (:mod:`automata.equivalence.lumps`) and by closed relations
(:mod:`automata.equivalence.relations`), from the right and from the left. If nothing remains, the
automata are equal, and the links prove it. Otherwise all other lengths are searched. If the
remainder is small, the space of all strings' rows is found as in :mod:`automata.equivalence.lift`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np

from automata.aliases import Symbol
from automata.equivalence import field, pairs
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown, first_answer
from automata.equivalence.certificates import Chain
from automata.equivalence.epsilon_links import epsilon_link, few_words
from automata.equivalence.explore import explore
from automata.equivalence.field import MOST_DENSE
from automata.equivalence.integers import Word, cleared, primes
from automata.equivalence.lift import lift
from automata.equivalence.links import ChainLink, live_link
from automata.equivalence.lumps import modulo
from automata.equivalence.rationals import RationalMatrix
from automata.equivalence.reduction import Reduction
from automata.equivalence.representation import Representation, VectorDifference, difference
from automata.equivalence.shortest import Search, doubt
from automata.equivalence.smaller import smaller_scores_vanish
from automata.errors import LimitReached
from automata.fraction_matrices import fractions
from automata.semirings import REAL
from automata.text.number_text import plural
from automata.wfsa import WFSA

ProgressCallback = Callable[[str], None]
EARLY_PRODUCTS = 1 << 27
"""Maximum number of products modulo a prime for the search before the reduction (about a second)."""
MOST_PRODUCTS = 1 << 37
"""Maximum number of products modulo a prime for the search after the reduction (about 10 minutes)."""
MOST_PROVED = 1000
"""Up to this many states, :mod:`automata.equivalence.field` proves that no smaller string differs."""
MOST_DENSE_WEIGHTS = 1 << 24
"""Maximum number of entries in the dense matrices for a proof that no smaller string differs."""
HOW = "over the rationals, by a chain of {links} that leads from their difference to zero"


def decide(a: WFSA, b: WFSA, progress: ProgressCallback, most_dense: int = MOST_DENSE) -> Answer:
    """Decide whether two rational automata with the same alphabet, in the same order, are equivalent.

    Raises:
        LimitReached: If epsilon connects too many states.
    """
    return _Decision(a, b, progress, most_dense).answer()


class _Decision:
    def __init__(self, a: WFSA, b: WFSA, progress: ProgressCallback, most_dense: int) -> None:
        self.a, self.b, self.progress, self.most_dense = a, b, progress, most_dense
        self.begun = perf_counter()
        self.of: VectorDifference = difference(a.to_exact(), b.to_exact())
        self.joint = self.of.joint
        self.primes, self.taken = self._primes(), 0
        self.chain = Reduction(self.joint, self.primes, progress, zero=True)

    def _primes(self) -> Iterator[int]:
        for prime in primes():
            self.taken += 1
            yield prime

    @property
    def left(self) -> Representation:
        """The representation to which the links found so far lead."""
        return self.chain.left

    def answer(self) -> Answer:
        if self.of.epsilon is not None:
            self.progress("epsilon transitions")
            epsilon = self.of.epsilon
            try:
                link = epsilon_link(self.joint, epsilon, few_words(self.joint, epsilon))
            except LimitReached:
                methods = [
                    lambda: self._with_epsilon(epsilon),
                    lambda: pairs.search(self.a, self.b, self.progress),
                ]
                answer = first_answer(methods)
                if not isinstance(answer, Unknown):
                    return answer
                link = epsilon_link(self.joint, epsilon)
            self.chain.follow(link, "epsilon")
            self.joint = self.left
        size = self.joint.states + self.joint.transitions + 1
        search = self._search("the shortest difference", EARLY_PRODUCTS // size)
        if search is not None:
            return self._different(search)
        self.chain.run()
        if self.left.is_zero:
            return self._equivalent()
        search = self._search("the shortest difference, once more", MOST_PRODUCTS // size)
        if search is not None:
            return self._different(search)
        if self.left.states <= self.most_dense:
            self.progress(f"a basis of the remaining {self.left.states} states")
            basis = self._basis()
            if basis is not None:
                self.chain.follow(basis, "basis")
                return self._equivalent()
        return self._unknown()

    def _with_epsilon(self, epsilon: RationalMatrix) -> Answer | None:
        """Reduce the difference of the automata, with epsilon as an additional symbol.

        Return Equivalent if the reduction proves equivalence, otherwise ``None``.
        """
        joint = self.joint
        steps = (*joint.steps, epsilon)
        self.chain = Reduction(
            Representation(joint.initial, steps, joint.final), self.primes, self.progress, True
        )
        if not self.chain.run_with_epsilon():
            return None
        return self._equivalent({**self.of.index, "": len(joint.steps)})

    def _search(self, what: str, most: int) -> Search | None:
        self.longest = min(max(most, 32), max(self.left.states - 1, 0))
        search = Search(modulo(self.left, self.primes))
        self.chain.note("search")

        def report(length: int) -> None:
            self.progress(f"{what}: length {length} of at most {self.longest}")

        return search if search.finds(self.longest, report) else None

    def _basis(self) -> ChainLink | None:
        """Return the left link to a basis of the space that the rows lambda M(w) of all strings w span.

        Return ``None`` if there is a nonzero score or the basis is too large.
        """
        one = cleared([self.left.automaton(REAL, range(len(self.left.steps)))])
        seen = explore(one, next(self.primes))
        basis = lift(one, seen.words, self.primes, lambda bits: self.progress(f"a basis, from {bits} bits"))
        if basis is None or any((basis.sides[0] * one.sides[0].end).entries()):
            return None
        rows = fractions(basis.sides[0], basis.denominator)
        n, (i, j) = self.left.states, np.nonzero(rows)
        matrix = RationalMatrix.summed((len(rows), n), i, j, rows[i, j])
        to = basis.automaton(one)
        steps = tuple(
            RationalMatrix.summed((len(rows), len(rows)), t.rows, t.columns, t.weights) for t in to.tables
        )
        pivots = np.array(basis.pivots, dtype=np.intp)
        initial = self.left.initial.transposed.chosen(pivots).transposed
        to_last = Representation(initial, steps, matrix @ self.left.final)
        return ChainLink("left", to_last, matrix)

    def _equivalent(self, index: dict[Symbol, int] | None = None) -> Equivalent:
        figures = self._figures()
        certificate = Chain(self.a, self.b, tuple(self.chain.links), index or self.of.index, figures)
        links = plural(len(self.chain.links), "link") if self.chain.links else "no link"
        return Equivalent(HOW.format(links=links), certificate, figures)

    def _different(self, search: Search) -> Answer:
        word = search.word()
        self.progress(f"the scores of a string of {len(word)} symbols")
        split, n = self.of.split, self.joint.states
        one, other = (self.joint.restricted(range(*ends)) for ends in ((0, split), (split, n)))
        x, y = one.scores(word)[-1], -other.scores(word)[-1]
        if x == y:
            raise RuntimeError("two scores must not be equal if they differ modulo a prime")
        least = self._is_least(word)
        if not least and n <= MOST_PROVED and n**2 * len(self.joint.steps) <= MOST_DENSE_WEIGHTS:
            return field.decide(self.a, self.b, self.progress)
        chance = None if least else doubt(self.left, len(word))
        return Different(
            tuple(self.of.symbols[i] for i in word), (x, y), figures=self._figures(), doubt=chance
        )

    def _is_least(self, word: Word) -> bool:
        live = live_link(self.left)
        return smaller_scores_vanish(live.to if live else self.left, word, self.progress)

    def _unknown(self) -> Unknown:
        n = self.left.states
        last = self.longest >= n - 1
        chance = int(-doubt(self.left, self.longest))
        why = (
            f"no string {'' if last else f'of at most {self.longest} symbols '}was found to differ modulo a"
            f" random prime; if one differed, the probability of missing it was less than 2^-{chance}"
        )
        rest = (
            f"{n} states of the difference could not be eliminated, and dense arrays support at most"
            f" {self.most_dense}"
            if n > self.most_dense
            else "the matrices of a proof would not fit in memory"
        )
        return Unknown(f"{why}. That is no proof: {rest}", figures=self._figures())

    def _figures(self) -> dict[str, object]:
        entries = sum(len(link.matrix) for link in self.chain.links if link.matrix is not None)
        return {
            "states": self.of.joint.states,
            "transitions": self.of.joint.transitions,
            "links": len(self.chain.links),
            "nonzeros": entries,
            "left": self.left.states,
            "primes": self.taken,
            "methods": ", ".join(self.chain.methods),
            "seconds": round(perf_counter() - self.begun, 3),
        }
