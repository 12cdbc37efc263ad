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

from collections.abc import Callable, Iterator
from dataclasses import replace

from automata.equivalence import domination, lumping, pairs, unambiguous
from automata.equivalence.answers import Answer, Different, Equivalent, Method, Unknown, first_answer
from automata.equivalence.certificates import Distinguished
from automata.equivalence.rational import decide_rational
from automata.errors import InputError, UnknownSymbol
from automata.operations import remove_epsilon
from automata.symbols import differences
from automata.wfsa import WFSA, require_wfsa

ENOUGH_FOR_A_CERTIFICATE = 20_000
"""The most weights of the search before other methods, for short differences and certificates."""
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
    answer = _decide(a, b, longest, tell)
    if isinstance(answer, Different) and not a.semiring.float_only:
        return replace(answer, certificate=Distinguished(a, b, answer.word, answer.scores))
    return answer


def aligned(a: WFSA, b: WFSA, missing_as_zero: bool = False) -> tuple[WFSA, WFSA]:
    """Return both over the first one's alphabet; raise InputError if semirings or alphabets differ."""
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
    if a.semiring.is_field:
        return decide_rational(a, b, tell)
    if a.semiring.is_boolean:
        return first_answer(_boolean(a, b, tell))
    if a.semiring.float_only:
        return first_answer(_log(a, b, tell))
    return first_answer(_selective(a.to_exact(), b.to_exact(), longest, tell))


def _lumped(a: WFSA, b: WFSA, tell: Callable[[str], None]) -> Answer | None:
    if a.has_epsilon or b.has_epsilon:
        return None
    tell("lumping")
    return lumping.lump(a, b)


def _boolean(a: WFSA, b: WFSA, tell: Callable[[str], None]) -> Iterator[Method]:
    if max(a.states, b.states) <= MANY:
        yield lambda: pairs.decide_boolean(a, b, tell, FEW_PAIRS)
    yield lambda: _lumped(a, b, tell)
    yield lambda: pairs.decide_boolean(a, b, tell)
    if a.has_epsilon or b.has_epsilon:
        yield lambda: pairs.search(a, b, tell)  # without a limit on transitions after epsilon is removed


def _log(a: WFSA, b: WFSA, tell: Callable[[str], None]) -> Iterator[Method]:
    if a.summands or b.summands or a.summands is None or b.summands is None:
        same = a.summands is not None and a.summands == b.summands and a == b
        several = (
            "over the log semiring, a weight that is given several times is a sum of logarithms, which is"
            " irrational; transitions to states of their own, each with one weight, can be compared"
        )
        yield lambda: Equivalent("both are one automaton, weight by weight") if same else Unknown(several)
        return
    # along one path logarithms are only added, which fractions do exactly; the closure of epsilon would round
    yield lambda: _lumped(a, b, tell)
    if not a.has_epsilon and not b.has_epsilon:
        yield lambda: unambiguous.decide(a, b, tell)
    yield lambda: Unknown(
        "over the log semiring, only automata with at most one path for each string, and no epsilon, are"
        " decided, and those that lumping their states shows to be equal"
    )


def _selective(a: WFSA, b: WFSA, longest: int | None, tell: Callable[[str], None]) -> Iterator[Method]:
    yield lambda: _lumped(a, b, tell)
    # short differences show soon, and a search that closes leaves a certificate behind
    yield lambda: pairs.search(a, b, tell, longest, ENOUGH_FOR_A_CERTIFICATE)
    yield lambda: unambiguous.decide(remove_epsilon(a), remove_epsilon(b), tell)
    yield lambda: domination.decide(a, b)
    yield lambda: pairs.search(a, b, tell, longest)
