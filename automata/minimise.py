"""The least automaton with the same scores.

Over a field by forward and backward reduction (Schützenberger 1961), over the booleans the least
deterministic one (Hopcroft 1971). Large automata over a field are first made smaller by sparse matrices
(:mod:`automata.equivalence.reduction`), and what is left by reduction, where it is small.

>>> from automata.semirings import REAL
>>> twice = WFSA(REAL, [1, 1], [1, 1], {"a": [["1/2", 0], [0, "1/2"]]})
>>> minimum = minimise(twice)
>>> minimum.automaton, minimum.automaton.final
(<WFSA: 1 state, 1 symbol, real semiring, exact>, array([Fraction(2, 1)], dtype=object))
>>> rank(twice)
1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from automata import determinisation
from automata.aliases import String, Weights
from automata.equivalence.certificates import Linked, Minimal
from automata.equivalence.explore import explore
from automata.equivalence.field import MOST_DENSE
from automata.equivalence.integers import Cleared, Word, cleared, primes
from automata.equivalence.lift import Basis, lift
from automata.equivalence.rational import are_large
from automata.errors import InputError, LimitReached
from automata.fraction_matrices import fractions
from automata.operations import remove_epsilon, reverse
from automata.wfsa import WFSA, require_wfsa

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Minimised:
    """The least automaton, and what shows that it is one.

    Attributes:
        automaton: with as many states as the Hankel matrix has rank, over the reals (over a field; a counting
            automaton may need fractions); or the least deterministic automaton, without a dead state
            (boolean).
        certificate: equality with what was given, and a Hankel block of full rank; ``None`` for boolean and
            for large automata.
        doubt: why it is not known whether it is the least, in words; ``None`` where it is known to be.
    """

    automaton: WFSA
    certificate: Minimal | None
    doubt: str | None = None


def minimise(automaton: WFSA, tell: Tell = lambda stage: None) -> Minimised:
    """The least automaton with the same scores; of a large one, a smaller one that may not be the least (see
    :attr:`Minimised.doubt`).

    Args:
        automaton: real, counting (exactly: a float is the fraction that it is), or boolean.
        tell: called with what is being done.

    Raises:
        InputError: another semiring, for which there is no least automaton that one could compute so.
    """
    require_wfsa(automaton)
    if automaton.semiring.is_boolean:
        return Minimised(determinisation.minimal(automaton), None)
    _require_field(automaton, "minimise")
    if are_large(automaton):
        return _minimised_large(automaton, tell)
    return _minimised_dense(automaton, tell)


def _minimised_dense(automaton: WFSA, tell: Tell) -> Minimised:
    plain = remove_epsilon(automaton.to_exact())
    forward, to_given = _reduced(plain, tell)
    mirror = reverse(forward)
    mirrored, back = _reduced(mirror, tell)
    least = forward if back is None else reverse(mirrored)
    link = Linked(
        automaton,
        least,
        automaton if to_given is None else forward,
        to_given,
        None if back is None else back.T.copy(),
    )
    return Minimised(least, Minimal(link, *_spanning(least)))


def rank(automaton: WFSA, tell: Tell = lambda stage: None) -> int:
    """Return the rank of the Hankel matrix: the least number of states of any real automaton with the scores.
    Raise InputError for other semirings, and LimitReached if no least automaton of a large one is found.
    """
    _require_field(automaton, "the rank")
    result = minimise(automaton, tell)
    if result.doubt is not None:
        raise LimitReached(f"the rank is at most {result.automaton.states}, and may be less: {result.doubt}")
    return result.automaton.states


def _minimised_large(automaton: WFSA, tell: Tell) -> Minimised:
    from automata.equivalence.reduction import reduced  # here, since numba takes long to import

    smaller = reduced(automaton, tell)
    if smaller.states <= MOST_DENSE:
        return Minimised(_minimised_dense(smaller, tell).automaton, None)
    return Minimised(
        smaller,
        None,
        f"of the {smaller.states} states that are left none was seen to be a sum of few others, and at most"
        f" {MOST_DENSE} are computed with as arrays",
    )


def _require_field(automaton: WFSA, what: str) -> None:
    require_wfsa(automaton)
    if not automaton.semiring.is_field:
        others = ", or boolean" if what == "minimise" else ""
        raise InputError(
            f"{what} is for real and counting automata{others}; this one is over the"
            f" {automaton.semiring.name} semiring"
        )


def _reduced(automaton: WFSA, tell: Tell) -> tuple[WFSA, Weights | None]:
    """The automaton on the span of its words and the matrix to it; ``None`` if that is all of it."""
    alone = cleared([automaton])
    fresh = primes()
    while True:
        words = explore(alone, next(fresh)).words
        tell(f"{len(words)} of {automaton.states} dimensions")
        basis = lift(alone, words, fresh)
        if basis is not None:
            return _on(basis, automaton, alone)
        if len(explore(alone, next(fresh)).words) <= len(words):
            raise InputError("the least automaton has weights of more digits than memory can hold")


def _on(basis: Basis, automaton: WFSA, alone: Cleared) -> tuple[WFSA, Weights | None]:
    if basis.whole == 0:
        return automaton, None
    return basis.automaton(alone), fractions(basis.sides[0], basis.denominator)


def _spanning(least: WFSA) -> tuple[tuple[String, ...], tuple[String, ...]]:
    """Prefixes and suffixes whose Hankel block has full rank."""
    prefixes, suffixes = (_words(side, least.states) for side in (least, reverse(least)))
    return prefixes, tuple(word[::-1] for word in suffixes)


def _words(automaton: WFSA, rank: int) -> tuple[String, ...]:
    alone = cleared([automaton])
    for prime in islice(
        primes(), 20
    ):  # nearly always the first: a prime divides a determinant with a chance of about 2**-50
        words: list[Word] = explore(alone, prime).words
        if len(words) == rank:
            return tuple(tuple(alone.symbols[a] for a in word) for word in words)
    raise RuntimeError(f"no {rank} independent strings were found, in an automaton that should have them")
