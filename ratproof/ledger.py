"""What a run of a test compared: a count that the comparing code keeps, and no test can write by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Ledger:
    """What was compared so far.

    Attributes:
        cases: pairs of a network and a string; all prefixes of the string count as one case.
        share: the largest share of a derived bound that a difference used, ``None`` where all was exact.
        facts: what else the report should say, by name.
        certificate: evidence that can be checked again, as a JSON object.
        observe: told of each comparison and its strings, where somebody wants to know.
    """

    cases: int = 0
    share: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    certificate: dict[str, Any] | None = None
    observe: Callable[[Any, Any], None] | None = None

    def add(self, cases: int, share: float | None = None) -> None:
        """Count cases, and the share of the bound they used."""
        self.cases += cases
        if share is not None:
            self.share = max(share, self.share or 0.0)


_current: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


def ledger() -> Ledger:
    """The ledger that is being written; a fresh one that nobody reads, outside of a recording."""
    return _current.get() or Ledger()


@contextmanager
def recording() -> Iterator[Ledger]:
    """A fresh ledger for what runs inside."""
    fresh = Ledger()
    token = _current.set(fresh)
    try:
        yield fresh
    finally:
        _current.reset(token)
