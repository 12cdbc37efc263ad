"""The rungs of the ladder as assertions on a variant of a claim: what evidence tests say, and what
``ratproof check`` runs.

Each raises :class:`~ratproof.record.counterexample.Disagreement`, with a counterexample, where the two sides
differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from automata.strategies import alphabets, readings, strings
from ratproof.rungs.agreement import agree
from ratproof.rungs.decided import decide
from ratproof.rungs.exhausted import exhaust
from ratproof.rungs.kernel_checked import accept
from ratproof.rungs.on_numbers import OnNumbers
from ratproof.rungs.proved import prove
from ratproof.sides.comparison import Exact, WithOpenFst
from theory.claim import Variant

MOST_STRINGS = 20_000


def sampled(
    claim: str, variant: Variant, data: st.DataObject, most: int = 60, longest: int = 12, run: int = 16
) -> None:
    """Random weights and at most ``most`` random strings, every prefix, in exact fractions (a program's:
    within its bound).
    """
    case, strings = _drawn(variant, data, most, longest, run)
    agree(
        Exact(claim, variant.name, case) if variant.network is None else variant.network(claim, variant.name),
        strings,
    )


def cross_checked(claim: str, variant: Variant, data: st.DataObject) -> None:
    """The recurrence in exact fractions against OpenFst's scores of the automata, within OpenFst's derived
    bound.
    """
    case, strings = _drawn(variant, data, most=3, longest=4, run=10)
    agree(WithOpenFst(claim, variant.name, case), strings)


def _drawn(variant: Variant, data: st.DataObject, most: int, longest: int, run: int) -> tuple[Any, list[Any]]:
    """A case, and strings over its alphabet."""
    if variant.alphabet is not None:
        one = strings(variant.alphabet, longest, run)
        return data.draw(variant.cases("")), data.draw(st.lists(one, min_size=1, max_size=most))
    names, some = data.draw(readings(most=most, longest=longest, run=run))
    return data.draw(variant.cases("abc")).renamed(names), some


def exhausted(claim: str, variant: Variant, longest: int = 4, letters: int = 2) -> None:
    """All small cases, and all strings up to a length over one and two letters; of a given alphabet, as many
    as are quick to read.
    """
    if variant.alphabet is not None:
        size = len(variant.alphabet)
        longest = next(
            n for n in range(30, 0, -1) if n == 1 or sum(size**i for i in range(n + 1)) <= MOST_STRINGS
        )
    exhaust(claim, variant, longest, letters)


def decided(claim: str, variant: Variant, data: st.DataObject, on_numbers: OnNumbers | None = None) -> None:
    """All strings, for random rational weights: the recurrence, read as an automaton, is equivalent to the
    constructed one.

    A claim of a user's own is run ``on_numbers`` besides.
    """
    cases = alphabets(2).flatmap(variant.cases) if variant.alphabet is None else variant.cases("")
    decide(Exact(claim, variant.name, data.draw(cases)), on_numbers)


def proved(claim: str, variant: Variant) -> None:
    """All weights, strings and sizes, in every commutative semiring."""
    prove(variant)


def kernel_checked(claim: str, variant: Variant) -> None:
    """The variant's theorem in ``theory/coq``, for every semiring, alphabet and size, as Coq's kernel accepts
    it.
    """
    accept(claim, variant)


DRAWN: dict[str, Callable[[str, Variant, Any], None]] = {
    "sampled": sampled,
    "cross-checked": cross_checked,
    "decided": decided,
}
"""The rungs that are property tests."""
WHOLE: dict[str, Callable[[str, Variant], None]] = {
    "exhausted": exhausted,
    "proved": proved,
    "kernel-checked": kernel_checked,
}
"""The rungs that draw nothing."""
