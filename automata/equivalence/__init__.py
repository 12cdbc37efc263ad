"""Exact decision of whether two automata give every string the same score.

The result holds for all strings, has a certificate or a counterexample, and never relies on sampling.

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

from automata.checks import checked_integer
from automata.equivalence import domination, lumping, pairs, unambiguous
from automata.equivalence.answers import Answer, Different, Equivalent, Method, Unknown, first_answer
from automata.equivalence.certificates import Distinguished
from automata.equivalence.rational import decide_rational
from automata.errors import InputError, UnknownSymbol
from automata.operations import remove_epsilon
from automata.symbols import differences
from automata.wfsa import WFSA, require_wfsa

ENOUGH_FOR_A_CERTIFICATE = 20_000
"""Weight limit of the first search, which finds short differences and certificates."""
MANY = 2000
"""Boolean automata with more states than this are lumped first."""
FEW_PAIRS = 1000
"""Number of pairs of state sets to try on smaller boolean automata before lumping."""
__all__ = ["Answer", "Different", "Equivalent", "Unknown", "equivalent"]


def equivalent(
    a: WFSA,
    b: WFSA,
    *,
    missing_as_zero: bool = False,
    longest: int | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Answer:
    """Decide exactly whether two automata give every string the same score.

    Floats count as the fractions that they represent. The method depends on the semiring:

    - Real and counting: always decided. The certificate is a matrix
      (:mod:`automata.equivalence.field`), or a chain of sparse matrices for large automata
      (:mod:`automata.equivalence.sparse`).
    - Boolean: decided (:mod:`automata.equivalence.pairs`).
    - Max-plus, min-plus, max-times: several methods in turn. Lumping may prove equality
      (:mod:`automata.equivalence.lumping`). If every string has at most one path, the result is decided
      (:mod:`automata.equivalence.unambiguous`). Mutual simulation may prove equality
      (:mod:`automata.equivalence.domination`). A search may find a difference or decide.
    - Log: lumping may prove equality. If every string has at most one path, the result is decided.

    Args:
        a: an automaton over any semiring. A reported difference is the shortlex-least string in the
            order of its alphabet.
        b: an automaton over the same semiring.
        missing_as_zero: treat a symbol that is missing from one alphabet as a symbol of weight zero
            there.
        longest: the maximum length of strings to try if a search is needed.
        progress: a callback that receives the current stage as text.

    Returns:
        :class:`Equivalent`, :class:`Different` or :class:`Unknown`; each has a ``verdict``.

    Raises:
        InputError: If the semirings or the alphabets differ, or ``longest`` is not a non-negative integer.
    """
    if longest is not None:
        longest = checked_integer("longest", longest, least=0)
    a, b = aligned(a, b, missing_as_zero)
    answer = _decide(a, b, longest, progress)
    if isinstance(answer, Different) and not a.semiring.float_only:
        return replace(answer, certificate=Distinguished(a, b, answer.word, answer.scores))
    return answer


def aligned(a: WFSA, b: WFSA, missing_as_zero: bool = False) -> tuple[WFSA, WFSA]:
    """Return both automata over the first one's alphabet; raise InputError if they cannot be compared."""
    require_wfsa(a)
    require_wfsa(b)
    if a.semiring is not b.semiring:
        raise InputError(
            f"both automata must be over the same semiring, got {a.semiring.name} and {b.semiring.name}"
        )
    if a.alphabet == b.alphabet:
        return a, b
    if not missing_as_zero and set(a.alphabet) != set(b.alphabet):
        difference = differences(a.alphabet, b.alphabet, ("the first automaton", "the second automaton"))
        raise UnknownSymbol(
            f"the alphabets differ: {difference}; "
            "--missing-as-zero (missing_as_zero=True) treats a missing symbol as a symbol of weight zero"
        )
    both = dict.fromkeys([*a.alphabet, *b.alphabet])
    return a.over(both), b.over(both)


def _decide(a: WFSA, b: WFSA, longest: int | None, progress: Callable[[str], None]) -> Answer:
    if a.semiring.is_field:
        return decide_rational(a, b, progress)
    if a.semiring.is_boolean:
        return first_answer(_boolean(a, b, progress))
    if a.semiring.float_only:
        return first_answer(_log(a, b, progress))
    return first_answer(_selective(a.to_exact(), b.to_exact(), longest, progress))


def _lumped(a: WFSA, b: WFSA, progress: Callable[[str], None]) -> Answer | None:
    if a.has_epsilon or b.has_epsilon:
        return None
    progress("lumping")
    return lumping.lump(a, b)


def _boolean(a: WFSA, b: WFSA, progress: Callable[[str], None]) -> Iterator[Method]:
    if max(a.states, b.states) <= MANY:
        yield lambda: pairs.decide_boolean(a, b, progress, FEW_PAIRS)
    yield lambda: _lumped(a, b, progress)
    yield lambda: pairs.decide_boolean(a, b, progress)
    if a.has_epsilon or b.has_epsilon:
        yield lambda: pairs.search(a, b, progress)  # does not remove epsilon transitions first


def _log(a: WFSA, b: WFSA, progress: Callable[[str], None]) -> Iterator[Method]:
    if a.summands or b.summands or a.summands is None or b.summands is None:
        same = a.summands is not None and a.summands == b.summands and a == b
        several = (
            "over the log semiring, a weight that occurs several times is an irrational sum of logarithms;"
            " give each transition a single weight and its own target state"
        )
        yield lambda: Equivalent("the two automata have identical weights") if same else Unknown(several)
        return
    # Along one path, logarithms are only added, which is exact in fractions. An epsilon closure would round.
    yield lambda: _lumped(a, b, progress)
    if not a.has_epsilon and not b.has_epsilon:
        yield lambda: unambiguous.decide(a, b, progress)
    yield lambda: Unknown(
        "over the log semiring, equivalence is decided only for automata without epsilon transitions that"
        " have at most one path for each string, or if lumping states shows equality"
    )


def _selective(a: WFSA, b: WFSA, longest: int | None, progress: Callable[[str], None]) -> Iterator[Method]:
    yield lambda: _lumped(a, b, progress)
    # Short differences appear early, and a search that ends without a difference yields a certificate.
    yield lambda: pairs.search(a, b, progress, longest, ENOUGH_FOR_A_CERTIFICATE)
    yield lambda: unambiguous.decide(remove_epsilon(a), remove_epsilon(b), progress)
    yield lambda: domination.decide(a, b)
    yield lambda: pairs.search(a, b, progress, longest)
