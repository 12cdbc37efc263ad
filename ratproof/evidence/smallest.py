"""The smallest counterexamples known to what is refuted: a shrinker's work, kept.

A search finds a counterexample anew in each run. Making it small takes hundreds of attempts more, and ends,
in derandomised runs, where it ended last time. So ``smallest.json`` beside this file has the end, as
Hypothesis's choices, by the name of the rung. It decides nothing: what it leads to is run, and counts only if
it refutes; where it does not, the shrinker runs. ``nox -s smallest`` makes the file anew.
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
    """A database of Hypothesis's with one test's smallest failure, whatever key that test has.

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
        """The entry, to the first key that asks, or that saves: others are of larger failures."""
        self._key = self._key or key
        return [self.entry] if self.entry is not None and key == self._key else []

    def save(self, key: bytes, value: bytes) -> None:
        """Keep the entry: Hypothesis saves a failure whenever it has a smaller one."""
        self._key = self._key or key
        if key == self._key:
            self.entry = value

    def delete(self, key: bytes, value: bytes) -> None:
        """Nothing is deleted: what no longer fails is made anew."""


_keeping: ContextVar[dict[str, str] | None] = ContextVar("keeping", default=None)


def keeping() -> bool:
    """Is what is found to be kept?"""
    return _keeping.get() is not None


@contextmanager
def keep_in(entries: dict[str, str]) -> Iterator[None]:
    """The smallest counterexamples to what runs inside, by the names of the rungs, as the file has them."""
    token = _keeping.set(entries)
    try:
        yield
    finally:
        _keeping.reset(token)


@contextmanager
def kept_smallest(name: str) -> Iterator[OneEntry]:
    """A database for a search, whose entry is kept."""
    database = OneEntry()
    try:
        yield database
    finally:
        entries = _keeping.get()
        if entries is not None and database.entry is not None:
            entries[name] = database.entry.hex()


def smallest(name: str) -> OneEntry | None:
    """The smallest counterexample known to a rung of that name, if any."""
    entry = _kept().get(name)
    return None if entry is None else OneEntry(bytes.fromhex(entry))


@cache
def _kept() -> dict[str, str]:
    kept: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return kept
