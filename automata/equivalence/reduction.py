"""Reduction of a linear representation to one with fewer states, by lumping and by linear relations.

Both methods are also applied to the reversed representation, which is called "from the left".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from automata.equivalence.epsilon_links import bound_of_cycles, epsilon_link
from automata.equivalence.integers import primes as fresh_primes
from automata.equivalence.links import ChainLink, link_to_nothing
from automata.equivalence.lumps import lump
from automata.equivalence.relations import close
from automata.equivalence.representation import Representation, difference
from automata.semirings import REAL
from automata.wfsa import WFSA


class Reduction:
    """A representation and the links that lead from it to a smaller one.

    Attributes:
        left: the representation that the links lead to.
        links: the links from the original representation to ``left``.
        methods: the names of the methods that were used or tried, in order, without duplicates.
    """

    def __init__(
        self, of: Representation, primes: Iterator[int], progress: Callable[[str], None], zero: bool = False
    ) -> None:
        """Start with no links; if ``zero`` is true, also try links that only exist if every score is 0."""
        self.left, self.links, self.methods = of, list[ChainLink](), list[str]()
        self._primes, self._progress, self._zero = primes, progress, zero

    def note(self, method: str) -> None:
        """Record a method that was tried."""
        if method not in self.methods:
            self.methods.append(method)

    def follow(self, link: ChainLink | None, method: str) -> bool:
        """Append a link and continue from its target; return ``False`` if the link is ``None``."""
        if link is None:
            return False
        self.links.append(link)
        self.left = link.to
        self.note(method)
        return True

    def run(self) -> None:
        """Reduce until neither lumping nor relations eliminate a state, from the right or from the left."""
        while not self.left.is_zero:
            if self._lump(False) or self._lump(True):
                continue
            if not (self._close(False) or self._close(True)):
                return

    def run_with_epsilon(self) -> bool:
        """Reduce a representation whose last symbol is epsilon; return whether this proves all scores zero.

        If it does, each link gets a bound, which shows that the sums over epsilon paths converge in the
        link's source.
        """
        of = self.left
        self.run()
        if not self.left.is_zero:
            return False
        sources = [of, *(link.to for link in self.links)]
        links = [*self.links, link_to_nothing(self.left)]
        self.links = [
            replace(link, bound=bound_of_cycles(source.steps[-1]))
            for link, source in zip(links, sources, strict=True)
        ]
        return True

    def _lump(self, mirrored: bool) -> bool:
        name = "lumping from the left" if mirrored else "lumping"
        of = self.left.mirrored if mirrored else self.left
        self._progress(f"{name}: {of.states} states")
        link, _ = lump(of, self._primes, lambda what: self._progress(f"{name}: {what}"))
        return self.follow(link.mirrored if link and mirrored else link, "lumping")

    def _close(self, mirrored: bool) -> bool:
        name = "relations from the left" if mirrored else "relations"
        of = self.left.mirrored if mirrored else self.left
        self._progress(f"{name}: {of.states} states")
        link = close(of, self._primes, lambda what: self._progress(f"{name}: {what}"), self._zero)
        return self.follow(link.mirrored if link and mirrored else link, "relations")


def reduced(automaton: WFSA, progress: Callable[[str], None]) -> WFSA:
    """Return a smaller exact automaton without epsilon transitions that has the same scores.

    The result is not always minimal.

    Raises:
        LimitReached: If epsilon connects too many states.
    """
    exact = automaton.to_exact()
    nothing = WFSA.from_edges(exact.semiring, 0, exact.alphabet, [], [], [])
    of = difference(exact, nothing)
    reduction = Reduction(of.joint, fresh_primes(), progress)
    if of.epsilon is not None:
        progress("epsilon transitions")
        reduction.follow(epsilon_link(of.joint, of.epsilon), "epsilon")
    reduction.run()
    if reduction.left.is_zero:
        return WFSA.from_edges(REAL, 0, exact.alphabet, [], [], [])
    return reduction.left.automaton(REAL, exact.alphabet, [of.index[symbol] for symbol in exact.alphabet])
