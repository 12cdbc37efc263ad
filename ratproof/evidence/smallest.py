"""Known smallest counterexamples, which make shrinking unnecessary.

Every run searches for a counterexample. Shrinking it takes hundreds of further attempts, and derandomised
runs always end with the same case. Therefore, ``smallest.json`` stores this case as Hypothesis's choices,
keyed by the name of the test.

A stored case is not evidence by itself. It is run, and counts only if it refutes the claim. Otherwise the
counterexample is shrunk. ``nox -s smallest`` regenerates the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from hypothesis.database import ExampleDatabase

FILE = Path(__file__).with_name("smallest.json")


class OneEntry(ExampleDatabase):
    """A Hypothesis database that stores only the smallest failure of a test.

    Example:
        >>> database = OneEntry()
        >>> database.save(b"test", b"large")
        >>> database.save(b"test", b"small")
        >>> database.entry
        b'small'
    """

    def __init__(self, entry: bytes | None = None) -> None:
        super().__init__()
        self.entry = entry
        self._key: bytes | None = None

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Return the entry if ``key`` is the first key that was used; other keys are for larger failures."""
        self._key = self._key or key
        return [self.entry] if self.entry is not None and key == self._key else []

    def save(self, key: bytes, value: bytes) -> None:
        """Replace the entry. Hypothesis calls this whenever it finds a smaller failure."""
        self._key = self._key or key
        if key == self._key:
            self.entry = value

    def delete(self, key: bytes, value: bytes) -> None:
        """Do nothing, because the file is regenerated if a case no longer fails."""


_keeping: ContextVar[dict[str, str] | None] = ContextVar("keeping", default=None)


def keeping() -> bool:
    """Return whether smallest counterexamples are being recorded."""
    return _keeping.get() is not None


@contextmanager
def keep_in(entries: dict[str, str]) -> Iterator[None]:
    """Record the smallest counterexamples of the block in ``entries``, keyed by the names of the tests."""
    token = _keeping.set(entries)
    try:
        yield
    finally:
        _keeping.reset(token)


@contextmanager
def kept_smallest(name: str) -> Iterator[OneEntry]:
    """Yield a Hypothesis database for a search, and record its smallest failure after the block."""
    database = OneEntry()
    try:
        yield database
    finally:
        entries = _keeping.get()
        if entries is not None and database.entry is not None:
            entries[name] = database.entry.hex()


def smallest(name: str) -> OneEntry | None:
    """Return the known smallest counterexample of a test, or ``None``."""
    entry = _kept().get(name)
    return None if entry is None else OneEntry(bytes.fromhex(entry))


@cache
def _kept() -> dict[str, str]:
    kept: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return kept
