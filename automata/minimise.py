"""Minimisation of automata.

Over a field, the method is forward and backward reduction (Schützenberger 1961). Over the booleans, the
result is the minimal deterministic automaton (Hopcroft 1971). Large automata over a field are first reduced
with sparse matrices (:mod:`automata.equivalence.reduction`). The remainder is then minimised if it is small.


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
from automata.equivalence.certificates import MappingProof, Minimal
from automata.equivalence.explore import explore
from automata.equivalence.field import MOST_DENSE
from automata.equivalence.integers import Cleared, Word, cleared, primes
from automata.equivalence.lift import Basis, lift
from automata.equivalence.rational import are_large
from automata.errors import InputError, LimitReached
from automata.fraction_matrices import fractions
from automata.operations import remove_epsilon, reverse
from automata.wfsa import WFSA, require_wfsa

ProgressCallback = Callable[[str], None]


@dataclass(frozen=True)
class Minimised:
    """The minimal automaton, with a proof of minimality.

    Attributes:
        automaton: for a real or counting input, a real automaton whose number of states is the rank of the
            Hankel matrix (the weights for a counting input may be fractions). For a boolean input, the
            minimal deterministic automaton without a dead state.
        certificate: a proof that the scores are equal to those of the input, with a Hankel block of full
            rank; ``None`` for boolean and for large automata.
        doubt: the reason why minimality is unknown; ``None`` if it is known.
    """

    automaton: WFSA
    certificate: Minimal | None
    doubt: str | None = None


def minimise(automaton: WFSA, progress: ProgressCallback = lambda stage: None) -> Minimised:
    """Return the minimal automaton with the same scores.

    For a large automaton the result may not be minimal (see :attr:`Minimised.doubt`).

    Args:
        automaton: a real, counting or boolean automaton. Floats count as the fractions that they
            represent.
        progress: a callback that receives the current stage as text.

    Raises:
        InputError: If minimisation is not supported for the automaton's semiring.
    """
    require_wfsa(automaton)
    if automaton.semiring.is_boolean:
        return Minimised(determinisation.minimal(automaton), None)
    _require_field(automaton, "minimise")
    if are_large(automaton):
        return _minimised_large(automaton, progress)
    return _minimised_dense(automaton, progress)


def _minimised_dense(automaton: WFSA, progress: ProgressCallback) -> Minimised:
    plain = remove_epsilon(automaton.to_exact())
    forward, to_plain = _reduced(plain, progress)
    mirror = reverse(forward)
    mirrored, back = _reduced(mirror, progress)
    least = forward if back is None else reverse(mirrored)
    link = MappingProof(
        automaton,
        least,
        automaton if to_plain is None else forward,
        to_plain,
        None if back is None else back.T.copy(),
    )
    return Minimised(least, Minimal(link, *_spanning(least)))


def rank(automaton: WFSA, progress: ProgressCallback = lambda stage: None) -> int:
    """Return the rank of the Hankel matrix: the least number of states of an equivalent real automaton.

    Raises:
        InputError: If the automaton is neither real nor counting.
        LimitReached: If the reduction of a large automaton could not be shown to be minimal.
    """
    _require_field(automaton, "the rank")
    result = minimise(automaton, progress)
    if result.doubt is not None:
        raise LimitReached(f"the rank is at most {result.automaton.states}, but may be less: {result.doubt}")
    return result.automaton.states


def _minimised_large(automaton: WFSA, progress: ProgressCallback) -> Minimised:
    from automata.equivalence.reduction import reduced  # imported here because numba is slow to import

    smaller = reduced(automaton, progress)
    if smaller.states <= MOST_DENSE:
        return Minimised(_minimised_dense(smaller, progress).automaton, None)
    return Minimised(
        smaller,
        None,
        f"{smaller.states} states could not be eliminated, and dense arrays support at most {MOST_DENSE}",
    )


def _require_field(automaton: WFSA, what: str) -> None:
    require_wfsa(automaton)
    if not automaton.semiring.is_field:
        allowed = "real, counting or boolean" if what == "minimise" else "real or counting"
        raise InputError(f"{what}: the semiring must be {allowed}, got {automaton.semiring.name}")


def _reduced(automaton: WFSA, progress: ProgressCallback) -> tuple[WFSA, Weights | None]:
    """Restrict the automaton to the space that the Forward vectors of all strings span.

    Return the new automaton and a matrix whose rows are the basis of this space. The matrix is ``None`` if
    the space contains all vectors; the automaton is then unchanged.
    """
    alone = cleared([automaton])
    fresh = primes()
    while True:
        words = explore(alone, next(fresh)).words
        progress(f"{len(words)} of {automaton.states} dimensions")
        basis = lift(alone, words, fresh)
        if basis is not None:
            return _on(basis, automaton, alone)
        if len(explore(alone, next(fresh)).words) <= len(words):
            raise InputError("the weights of the minimal automaton have too many digits for memory")


def _on(basis: Basis, automaton: WFSA, alone: Cleared) -> tuple[WFSA, Weights | None]:
    if basis.full_side == 0:
        return automaton, None
    return basis.automaton(alone), fractions(basis.sides[0], basis.denominator)


def _spanning(least: WFSA) -> tuple[tuple[String, ...], tuple[String, ...]]:
    """Return the prefixes and suffixes of a Hankel block of full rank."""
    prefixes, suffixes = (_words(side, least.states) for side in (least, reverse(least)))
    return prefixes, tuple(word[::-1] for word in suffixes)


def _words(automaton: WFSA, rank: int) -> tuple[String, ...]:
    alone = cleared([automaton])
    # The first prime nearly always succeeds: it divides a determinant with probability about 2**-50.
    for prime in islice(primes(), 20):
        words: list[Word] = explore(alone, prime).words
        if len(words) == rank:
            return tuple(tuple(alone.symbols[a] for a in word) for word in words)
    raise RuntimeError(f"no {rank} independent strings were found, in an automaton that should have them")
