"""Do two automata give every string the same score? Decided for all strings, with what shows it, and never by
sampling.

>>> from automata.semirings import REAL
>>> one = WFSA(REAL, [1], ["1/2"], {"a": [[2]]})
>>> two = WFSA(REAL, ["1/4", "1/4"], [1, 1], {"a": [[2, 0], [0, 2]]})
>>> equivalent(one, two).verdict
'equivalent'
>>> other = WFSA(REAL, ["1/4", "1/4"], [1, 1], {"a": [[2, 0], [0, "2.0000001"]]})
>>> answer = equivalent(one, other)
>>> answer.verdict, answer.word, answer.scores
('different', ('a',), (Fraction(1, 1), Fraction(40000001, 40000000)))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from automata.equivalence import field, lumping, pairs, unambiguous
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown
from automata.equivalence.certificates import Distinguished
from automata.equivalence.large import are_large
from automata.errors import InputError, LimitReached, UnknownSymbol
from automata.operations import remove_epsilon
from automata.semirings import BOOLEAN, COUNTING, LOG, REAL
from automata.symbols import differences
from automata.wfsa import WFSA, require_wfsa

ENOUGH_FOR_A_CERTIFICATE = 20_000
"""The most weights of a search that only looks for a certificate."""
MANY = 2000
"""Of more states than this, boolean automata are lumped first."""
FEW_PAIRS = 1000
"""Of fewer states, where so many pairs of sets of states do not decide."""
__all__ = ["Answer", "Different", "Equivalent", "Unknown", "equivalent"]


def equivalent(
    a: WFSA,
    b: WFSA,
    *,
    missing_as_zero: bool = False,
    longest: int | None = None,
    tell: Callable[[str], None] = lambda stage: None,
) -> Answer:
    """Decide whether two automata give every string the same score, exactly: floats are the fractions that
    they are.

    Real and counting: decided, with a matrix as the certificate (:mod:`automata.equivalence.field`), or, of
    large automata, a chain of sparse ones (:mod:`automata.equivalence.sparse`). Boolean: decided
    (:mod:`automata.equivalence.pairs`). Max-plus, min-plus, max-times: equal where lumping shows it
    (:mod:`automata.equivalence.lumping`), decided where every string has at most one path
    (:mod:`automata.equivalence.unambiguous`), else searched, which may decide too. Log: equal where lumping
    shows it, decided where every string has at most one path.

    Args:
        a: over any semiring; a difference is the shortlex-least string in the order of its alphabet.
        b: over the same semiring.
        missing_as_zero: where one alphabet lacks symbols of the other, that automaton gives 0 to strings with
            them.
        longest: where it has to be searched, try strings of at most this length.
        tell: called with what is being done, in words.

    Returns:
        :class:`Equivalent`, :class:`Different` or :class:`Unknown`; each has a ``verdict``.

    Raises:
        InputError: the semirings, or the alphabets, are not the same.
    """
    a, b = aligned(a, b, missing_as_zero)
    try:
        answer = _decide(a, b, longest, tell)
    except LimitReached as limit:
        return Unknown(f"a limit was reached: {limit}")
    if isinstance(answer, Different) and a.semiring is not LOG:
        return replace(answer, certificate=Distinguished(a, b, answer.word, answer.scores))
    return answer


def aligned(a: WFSA, b: WFSA, missing_as_zero: bool = False) -> tuple[WFSA, WFSA]:
    """Both over one alphabet, in the order of ``a``'s; :class:`~automata.errors.InputError` where that is not
    to be.
    """
    require_wfsa(a)
    require_wfsa(b)
    if a.semiring is not b.semiring:
        raise InputError(
            f"the first automaton is over the {a.semiring.name} semiring, the second over {b.semiring.name}; "
            "only automata over the same one can be compared"
        )
    if a.alphabet == b.alphabet:
        return a, b
    if not missing_as_zero and set(a.alphabet) != set(b.alphabet):
        apart = differences(a.alphabet, b.alphabet, ("the first automaton", "the second automaton"))
        raise UnknownSymbol(
            f"the alphabets differ: {apart}; "
            "--missing-as-zero (missing_as_zero=True) takes a symbol that is missing as one of weight zero"
        )
    both = dict.fromkeys([*a.alphabet, *b.alphabet])
    return a.over(both), b.over(both)


def _decide(a: WFSA, b: WFSA, longest: int | None, tell: Callable[[str], None]) -> Answer:
    k = a.semiring
    if k in (REAL, COUNTING):
        if not are_large(a, b):
            return field.decide(a, b, tell)
        from automata.equivalence import sparse  # here, since numba takes long to import

        return sparse.decide(a, b, tell)
    if k is BOOLEAN:
        if max(a.states, b.states) <= MANY:
            answer = pairs.decide_boolean(a, b, tell, FEW_PAIRS)
            if not isinstance(answer, Unknown):
                return answer
        if a.silent is None and b.silent is None:
            tell("lumping")
            lumped = lumping.lump(a, b)
            if lumped is not None:
                return lumped
        return pairs.decide_boolean(a, b, tell)
    if k is LOG:
        if a.summands or b.summands or a.summands is None or b.summands is None:
            if a.summands is not None and a.summands == b.summands and a == b:
                return Equivalent("both are one automaton, weight by weight")
            return Unknown(
                "over the log semiring, a weight that is given several times is a sum of logarithms, which is"
                " irrational; transitions to states of their own, each with one weight, can be compared"
            )
        # along one path logarithms are only added, which fractions do exactly; the closure of epsilon would
        # round
        if a.silent is None and b.silent is None and all(map(unambiguous.is_unambiguous, (a, b))):
            return unambiguous.decide(a, b, tell)
        lumped = lumping.lump(a, b) if a.silent is None and b.silent is None else None
        return lumped or Unknown(
            "over the log semiring, only automata with at most one path for each string, and no epsilon, are"
            " decided, and those that lumping their states shows to be equal"
        )
    a, b = a.to_exact(), b.to_exact()
    plain = [remove_epsilon(side) for side in (a, b)]
    if a.silent is None and b.silent is None:
        tell("lumping")
        lumped = lumping.lump(a, b)
        if lumped is not None:
            return lumped
    one_path = all(map(unambiguous.is_unambiguous, plain))
    if not one_path:
        return pairs.search(a, b, tell, longest)
    decided = unambiguous.decide(plain[0], plain[1], tell)
    if not isinstance(decided, Equivalent):
        return decided
    # a search that closes leaves a certificate behind
    searched = pairs.search(a, b, tell, most=ENOUGH_FOR_A_CERTIFICATE)
    return searched if isinstance(searched, Equivalent) else decided
