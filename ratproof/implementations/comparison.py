"""The interface of comparisons of a network with automata on strings, and the results for one string."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy import bool_
from numpy.typing import NDArray

from automata.aliases import Floats, JsonObject, Weights
from automata.errors import InputError
from automata.rounding.bounds import bounded, shares
from automata.semirings import Semiring
from automata.strings import String
from automata.text.printable_text import write_string
from automata.wfsa import WFSA
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.ledger import IN_PART, TOO_SHORT, WITHOUT_BOUND
from theory.registry import claim_named


@dataclass(frozen=True)
class Difference:
    """A difference between the values of a network and an automaton after a prefix of a string.

    Attributes:
        length: Length of the prefix.
        unit: Index of the network's unit, and of its automaton.
        network, automaton, bound: The two values and the error bound, as text.
    """

    length: int
    unit: int
    network: str
    automaton: str
    bound: str


@dataclass(frozen=True)
class StringResult:
    """The result of comparing one string at all its prefixes.

    Attributes:
        string: The string.
        share: The largest error relative to its bound; ``None`` if no bound was used.
        difference: The first difference, if any.
        cases: Number of strings that were compared in full, at every prefix and unit that the variant covers;
            more than 1 if one comparison covers several strings.
        left_out: Number of strings for which some scores were not compared, keyed by a reason in
            :data:`ratproof.evidence.ledger.LEFT_OUT`.
        varies: Whether the automata's scores of this string and the earlier ones differ. If so, a network
            that gives every string the same score would not pass.
    """

    string: String
    share: float | None
    difference: Difference | None
    cases: int = 1
    left_out: Mapping[str, int] = field(default_factory=dict)
    varies: bool = False


MOST_WRITTEN = 200


class NotAFunction(InputError):
    """Raised if a network gives the same string two different scores.

    Such a network is not a function of the string, so no string can refute a claim about it.
    """

    def __init__(
        self,
        string: String,
        once: str,
        again: str,
        what: str = "the step is not a function of state and symbol",
    ) -> None:
        text = write_string(list(string))
        shown = text if len(text) <= MOST_WRITTEN else f"{text[:MOST_WRITTEN]}..., {len(string):,} symbols,"
        super().__init__(f"{what}: on {shown} it gave {once}, then {again}")
        self.string = string


class Comparison(Protocol):
    """A comparison of a network that has given weights with its automata, for a variant of a claim."""

    claim: str
    variant: str

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the network with the automata on each string, at every prefix."""

    def automata(self) -> Sequence[WFSA]:
        """Return the automata with which the network is compared."""

    def weights(self) -> str:
        """Return a readable description of the network's weights."""

    def to_json(self) -> JsonObject:
        """Return the comparison as a JSON object, which ``from_json`` reads."""


@runtime_checkable
class Repeatable(Protocol):
    """A comparison with a user's program, which may return different values in two runs."""

    def confirm(self, compared: StringResult) -> None:
        """Run the program again on the string that has a difference, and compare the two runs.

        Raises:
            NotAFunction: If the second run gives another value.
        """


class Constants:
    """The constant scores that agree with all strings so far: for each unit, a range of numbers."""

    def __init__(self) -> None:
        self._low: Any = -np.inf
        self._high: Any = np.inf
        self._varies = False

    def exclude(self, scores: Any, bounds: Any) -> bool:
        """Exclude constants by the scores of a string, and return whether no constant is left for some unit.

        Args:
            scores: Scores of the string's prefixes, shape ``(prefixes, units)``.
            bounds: Error bounds of the same shape; infinite for scores that were not compared.
        """
        if not self._varies:
            has = bounded(bounds)
            known = np.where(has, scores, 0).astype(float)
            off = np.where(has, bounds, 0.0)
            self._low = np.maximum(self._low, np.where(has, known - off, -np.inf).max(0, initial=-np.inf))
            self._high = np.minimum(self._high, np.where(has, known + off, np.inf).min(0, initial=np.inf))
            self._varies = bool((self._low > self._high).any())
        return self._varies


def value_text(semiring: Semiring, value: Any, score: str) -> str:
    """Write a value of a network that differs from the automaton's score.

    A value outside the semiring, such as 2 in the boolean one, may be written like the score; it is then
    written as Python writes it.
    """
    text = semiring.format(value)
    return text if text != score else str(value)


def no_case(string: String, reason: str, share: float | None = None) -> StringResult:
    """Return the result of a string that does not count as a case.

    ``reason`` is a key of :data:`ratproof.evidence.ledger.LEFT_OUT`.
    """
    return StringResult(string, share, None, cases=0, left_out={reason: 1})


def no_difference(string: String, share: float, compared: NDArray[bool_]) -> StringResult:
    """Return the result of a string on which the network and the automata agree.

    Args:
        string: The string.
        share: The largest error relative to its bound.
        compared: Whether each score that the variant covers was compared, shape ``(prefixes, units)``. The
            string is a case if all scores were compared.
    """
    prefixes, units = compared.shape
    require_units(units)
    if not prefixes:
        return no_case(string, TOO_SHORT)
    if not compared.any():
        return no_case(string, WITHOUT_BOUND)
    return StringResult(string, share, None) if compared.all() else no_case(string, IN_PART, share)


def within_bounds(
    string: String, states: Floats, scores: Weights, bounds: Floats, shortest: int
) -> StringResult:
    """Compare a network's states with the scores of automata, for the prefixes that the variant covers.

    Args:
        string: The string.
        states: The network's states, shape ``(prefixes, units)``.
        scores: The automata's scores, of the same shape.
        bounds: The error bounds, of the same shape; infinite for states that are not compared.
        shortest: The length of the first prefix.
    """
    used = shares(states, scores, bounds)
    wrong = np.argwhere(used > 1)
    if not len(wrong):
        return no_difference(string, float(used.max(initial=0.0)), bounded(bounds))
    t, unit = map(int, wrong[0])
    network, score = (repr(float(side[t, unit])) for side in (states, scores))
    difference = Difference(t + shortest, unit, network, score, f"{bounds[t, unit]:.2g}")
    return StringResult(string, float(used[used <= 1].max(initial=0.0)), difference)


def require_units(units: int) -> None:
    """Raise :class:`~automata.errors.InputError` if there is no unit to compare."""
    if not units:
        raise InputError("the network must have at least one unit")


def shortest_of(claim: str, variant: str) -> int:
    """Return the minimum length of the strings that the variant covers, or 0 if the claim is unknown."""
    try:
        return claim_named(claim).variant(variant).reading.shortest
    except (InputError, KeyError):
        return 0


def counterexample(comparison: Comparison, compared: StringResult) -> Counterexample:
    """Return the counterexample for the difference in the result of a comparison."""
    difference = compared.difference
    assert difference is not None
    return Counterexample(
        claim=comparison.claim,
        variant=comparison.variant,
        comparison=comparison.to_json(),
        weights=comparison.weights(),
        string=[str(s) for s in compared.string[: difference.length]],
        unit=difference.unit,
        network=difference.network,
        automaton=difference.automaton,
        bound=difference.bound,
    )
