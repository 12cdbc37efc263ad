"""Decision of equivalence over a field, for real and counting automata."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from automata.equivalence.answers import Answer, Different, Equivalent, Unknown
from automata.equivalence.certificates import MappingProof
from automata.equivalence.explore import Agreement, Exploration, explore
from automata.equivalence.integers import Cleared, Word, cleared, primes
from automata.equivalence.lift import Basis, lift
from automata.fraction_matrices import fractions
from automata.operations import remove_epsilon, trim
from automata.wfsa import WFSA

ProgressCallback = Callable[[str], None]


def decide(a: WFSA, b: WFSA, progress: ProgressCallback) -> Answer:
    """Decide whether two rational automata with the same alphabet, in the same order, are equivalent.

    The shortlex-least difference modulo a random prime is found by
    :mod:`automata.equivalence.explore`. A difference modulo a prime is a difference. To show that
    no smaller string differs, enough primes are used for their product to exceed any score of that
    length.

    Agreement modulo a prime proves nothing. In that case :mod:`automata.equivalence.lift` finds the
    basis over the rationals that proves equality, and checks it exactly.
    """
    originals = a, b
    a, b = (remove_epsilon(side.to_exact()) for side in originals)
    both = cleared([a, b])
    fresh = primes()
    while True:
        seen = explore(
            both,
            next(fresh),
            progress=lambda count, length: progress(f"{count} independent strings, length {length}"),
        )
        basis = None
        if seen.difference is None:
            basis = lift(both, seen.words, fresh, lambda bits: progress(f"the certificate, from {bits} bits"))
        if seen.difference is not None or (basis is not None and not _same_ends(both, basis)):
            # dead ends would only enlarge the bounds
            useful = [trim(side) for side in (a, b)]
            same = seen.difference is not None and [side.states for side in useful] == [a.states, b.states]
            return (
                _different(both, seen, fresh, progress)
                if same
                else _different(cleared(useful), None, fresh, progress)
            )
        if basis is not None:
            return Equivalent(
                "over the rationals, by a matrix that maps one automaton to the other",
                _linked(*originals, both, basis),
            )
        # The prime divided a minor, with probability about 2**-50. Another prime may find a larger space.
        again = explore(both, next(fresh))
        if again.difference is None and len(again.words) <= len(seen.words):
            return Unknown(
                "no string differs modulo two random primes, but the matrices of a proof would not fit in"
                " memory"
            )


def _different(
    both: Cleared, seen: Exploration | None, fresh: Iterator[int], progress: ProgressCallback
) -> Different:
    """Return the shortlex-least string with different scores, for two automata that are not equivalent.

    Args:
        both: The two automata.
        seen: An earlier exploration, which may have found a difference already.
        fresh: Yields new random primes.
        progress: Called with a description of the progress.
    """
    while seen is None or seen.difference is None:
        seen = explore(both, next(fresh))  # only few primes divide every difference
    word = _least(both, seen, fresh, progress)
    x, y = both.scores(word)
    return Different(tuple(both.symbols[i] for i in word), (x, y))


def _least(both: Cleared, seen: Exploration, fresh: Iterator[int], progress: ProgressCallback) -> Word:
    """Return the shortlex-least word with different scores.

    The exploration ``seen`` found a word with different scores. The scores of a smaller word are equal if
    they are equal modulo several primes and the product of the primes exceeds any possible difference.
    """
    word = seen.difference
    assert word is not None
    product, bits = 1 if seen.left_out else seen.prime, max(1, both.bits(len(word)))
    agreement: Agreement | None = None
    while word and product.bit_length() <= bits:
        progress(
            f"proof that no string before one of length {len(word)} differs: {product.bit_length()} of {bits}"
            " bits"
        )
        agreement = agreement or Agreement(both, seen.words, word)
        prime = next(fresh)
        if not agreement.holds(prime):
            # one of the two primes divides a minor or a score: explore again with this one
            smaller = explore(both, prime, before=word)
            if smaller.difference is not None:
                return _least(both, smaller, fresh, progress)
        product *= prime
    return word


def _same_ends(both: Cleared, basis: Basis) -> bool:
    left, right = (rows * side.end for rows, side in zip(basis.sides, both.sides, strict=True))
    return bool(left == right)


def _linked(a: WFSA, b: WFSA, both: Cleared, basis: Basis) -> MappingProof:
    to_a, to_b = (
        None if basis.full_side == i else fractions(rows, basis.denominator)
        for i, rows in enumerate(basis.sides)
    )
    through = basis.automaton(both) if basis.full_side is None else (a, b)[basis.full_side]
    return MappingProof(a, b, through, to_a, to_b)


MOST_DENSE = 1500
"""Maximum number of states for the method of this module, which uses dense arrays."""
