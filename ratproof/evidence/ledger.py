"""The ledger, which counts the comparisons of a check while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from automata.aliases import JsonObject

TOO_SHORT, IN_PART, WITHOUT_BOUND = "too_short", "in_part", "without_bound"
MIGHT_UNDERFLOW, MIGHT_OVERFLOW = "might_underflow", "might_overflow"
NO_ALARM, NO_MARGIN = "no_alarm", "no_margin"
NOTHING_COUNTED, AS_LARGE, CONSTANT = "nothing_counted", "as_large", "constant"
LEFT_OUT = {
    TOO_SHORT: "shorter than the strings that the claim is about",
    IN_PART: "compared only in part: some of their scores might overflow, and have no bound on rounding",
    WITHOUT_BOUND: "not compared: all of their scores might overflow, and have no bound on rounding",
    MIGHT_UNDERFLOW: "not compared: products of their weights might underflow",
    MIGHT_OVERFLOW: "not compared: a score is not finite, and sums of products of weights might overflow",
    NO_MARGIN: "not compared: two centroids are too close for floats or for the temperature",
    NOTHING_COUNTED: "not compared: no bound on rounding is within 1 % of the size of the results",
    AS_LARGE: "not compared: their measured rounding is as large as the results",
    CONSTANT: "not compared: their results are the same for other inputs",
    NO_ALARM: "compared only in part: there are too few runs to distinguish a count from its probability",
}
"""Reasons why a string does not count as a case, with their descriptions."""


@dataclass
class Ledger:
    """A record of the comparisons so far.

    Attributes:
        cases: Number of pairs of a network and a string for which every score that the variant covers was
            compared. All prefixes of a string count as one case.
        informative: Number of cases with a network whose automata do not give all compared strings the same
            score; ``None`` if no automata were compared.
        share: The largest error relative to its derived bound; ``None`` in exact arithmetic.
        facts: Further facts for the report, keyed by name. ``left_out`` contains the numbers of omitted
            strings, keyed by the reason in :data:`LEFT_OUT`.
        certificate: Evidence that can be checked again, as a JSON object.
        observe: A function that is called with each comparison and its strings, if it is set.
        has_failed: Whether a comparison raised an error; later comparisons belong to Hypothesis's shrinking.
    """

    cases: int = 0
    informative: int | None = None
    share: float | None = None
    facts: JsonObject = field(default_factory=dict)
    certificate: JsonObject | None = None
    observe: Callable[..., None] | None = None
    has_failed: bool = False

    def add(self, cases: int, share: float | None = None) -> None:
        """Add cases, and update the largest error relative to its bound."""
        self.cases += cases
        if share is not None:
            self.share = max(share, self.share or 0.0)

    def inform(self, cases: int) -> None:
        """Add to the number of informative cases; they are also counted by :meth:`add`."""
        self.informative = (self.informative or 0) + cases

    def note_sizes(self, sizes: dict[str, int]) -> None:
        """Update the largest sizes of the cases so far, keyed by name."""
        largest = self.facts.setdefault("largest_sizes", {})
        for name, size in sizes.items():
            largest[name] = max(size, largest.get(name, 0))

    def leave_out(self, reason: str, strings: int = 1) -> None:
        """Count omitted strings under their reason, which is a key of :data:`LEFT_OUT`."""
        if strings:
            self.facts["left_out"] = joined(self.facts.get("left_out", {}), {reason: strings})


def joined(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Return the numbers of omitted strings of two runs, added up for each reason."""
    return {
        reason: one.get(reason, 0) + other.get(reason, 0)
        for reason in LEFT_OUT
        if reason in one or reason in other
    }


def left_out_in_words(facts: JsonObject, but: frozenset[str] = frozenset()) -> str:
    """Describe the omitted strings, as in ``3 strings were ...; 1 string was ...``.

    The text is empty if no string was omitted. It does not contain the reasons in ``but``.
    """
    counts = {reason: count for reason, count in facts.get("left_out", {}).items() if reason not in but}
    names = {NOTHING_COUNTED: "call", AS_LARGE: "case", CONSTANT: "case"}
    return "; ".join(
        f"{count:,} {names.get(reason, 'string')}{'' if count == 1 else 's'}"
        f" {'was' if count == 1 else 'were'} {LEFT_OUT[reason]}"
        for reason, count in counts.items()
    )


_current: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


def ledger() -> Ledger:
    """Return the ledger of the current :func:`recording`, or a temporary one if there is none."""
    return _current.get() or Ledger()


@contextmanager
def recording() -> Iterator[Ledger]:
    """Yield a new ledger, which :func:`ledger` returns within the block."""
    fresh = Ledger()
    token = _current.set(fresh)
    try:
        yield fresh
    finally:
        _current.reset(token)
