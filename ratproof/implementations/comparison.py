"""What every side has in common: two computations of one variant for one case, held against each other string
by string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy import bool_
from numpy.typing import NDArray

from automata.errors import InputError
from automata.rounding.bounds import bounded
from automata.strings import String
from automata.text.printable_text import write_string
from automata.wfsa import WFSA
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.ledger import IN_PART, TOO_SHORT, WITHOUT_BOUND
from theory.registry import claim_named


@dataclass(frozen=True)
class Difference:
    """Where the two sides part: after how many symbols, in which unit, and the two values."""

    length: int
    unit: int
    network: str
    automaton: str
    bound: str


@dataclass(frozen=True)
class StringResult:
    """One string, compared at all its prefixes: the largest share of a bound used, and the first difference,
    if any.

    Attributes:
        cases: how many strings were compared in full, each at every prefix and in every unit that the variant
            speaks of; more than one where one comparison reads more than one.
        left_out: for how many strings, by a reason of :data:`ratproof.evidence.ledger.LEFT_OUT`, some or all
        of
            these scores were not compared.
        varies: do the automata give this string and those that were compared before it more than one score?
            Then no network that gives every string the same score would pass.
    """

    string: String
    share: float | None
    difference: Difference | None
    cases: int = 1
    left_out: Mapping[str, int] = field(default_factory=dict)
    varies: bool = False


MOST_WRITTEN = 200


class NotAFunction(InputError):
    """A network that gave one string two scores: of no function of the string anything holds, and no string
    refutes it.
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
    """Two sides of one variant of a claim, for one case."""

    claim: str
    variant: str

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the sides on each string, at every prefix."""

    def automata(self) -> Sequence[WFSA]:
        """The automata of the one side."""

    def weights(self) -> str:
        """The case as a person would write it."""

    def to_json(self) -> dict[str, Any]:
        """What :func:`from_json` reads back."""


@runtime_checkable
class Repeatable(Protocol):
    """A comparison of a user's own program, which may not do twice what it did once."""

    def confirm(self, compared: StringResult) -> None:
        """Raise :class:`NotAFunction` where a difference is another one, or none, when the
        string is run again.
        """


class Constants:
    """The constants that each unit could give all strings so far, within the bounds."""

    def __init__(self) -> None:
        self._low: Any = -np.inf
        self._high: Any = np.inf
        self._varies = False

    def exclude(self, scores: Any, bounds: Any) -> bool:
        """Return whether no constant is left for some unit, after some more scores.

        Args:
            scores: of a string's prefixes, shape ``(prefixes, units)``.
            bounds: by how much a network may differ from each; those that were not compared are infinite.
        """
        if not self._varies:
            has = bounded(bounds)
            known = np.where(has, scores, 0).astype(float)
            off = np.where(has, bounds, 0.0)
            self._low = np.maximum(self._low, np.where(has, known - off, -np.inf).max(0, initial=-np.inf))
            self._high = np.minimum(self._high, np.where(has, known + off, np.inf).min(0, initial=np.inf))
            self._varies = bool((self._low > self._high).any())
        return self._varies


def no_case(string: String, reason: str, share: float | None = None) -> StringResult:
    """A string without a difference that does not count, for a reason of
    :data:`ratproof.evidence.ledger.LEFT_OUT`.
    """
    return StringResult(string, share, None, cases=0, left_out={reason: 1})


def no_difference(string: String, share: float, compared: NDArray[bool_]) -> StringResult:
    """A string on which nothing that was compared differs.

    Args:
        string: the string.
        share: the largest share of a bound used.
        compared: which of the scores that the variant speaks of were compared, shape ``(prefixes, units)``:
            it is a case where all were.
    """
    prefixes, units = compared.shape
    require_units(units)
    if not prefixes:
        return no_case(string, TOO_SHORT)
    if not compared.any():
        return no_case(string, WITHOUT_BOUND)
    return StringResult(string, share, None) if compared.all() else no_case(string, IN_PART, share)


def require_units(units: int) -> None:
    """Raise :class:`~automata.errors.InputError` where there is nothing whose scores could be compared."""
    if not units:
        raise InputError("there is no unit, and so no automaton, to compare")


def shortest_of(claim: str, variant: str) -> int:
    """From which length on the variant speaks of strings: from the empty one, where nobody brought such a
    claim.
    """
    try:
        return claim_named(claim).variant(variant).reading.shortest
    except (InputError, KeyError):
        return 0


def counterexample(comparison: Comparison, compared: StringResult) -> Counterexample:
    """The counterexample that a comparison difference."""
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
