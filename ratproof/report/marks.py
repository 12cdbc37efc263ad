"""The marks in the report: one character for each outcome, readable without colour."""

from __future__ import annotations

from enum import Enum

from rich.console import Console

from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result


class Mark(Enum):
    """A mark in a column of the report: a character, its ASCII substitute, its meaning, and its style."""

    HOLDS = "✓", "+", "holds", "green"
    REFUTED = "✗", "x", "refuted as expected", "cyan"
    UNEXPECTED = "!", "!", "unexpected", "bold red"
    UNKNOWN = "?", "?", "unknown", "bold yellow"
    NOT_RUN = "·", ".", "not run", "dim"

    def __init__(self, sign: str, ascii_sign: str, words: str, style: str) -> None:
        self.sign, self.ascii_sign, self.words, self.style = sign, ascii_sign, words, style

    def on(self, out: Console) -> str:
        """Return the mark's character, or its ASCII substitute if the console's encoding lacks it."""
        return self.ascii_sign if plain(out) else self.sign

    @classmethod
    def of(cls, result: Result) -> Mark:
        """Return the mark of a result."""
        if result.verdict == Verdict.UNKNOWN:
            return cls.UNKNOWN
        if not result.as_expected:
            return cls.UNEXPECTED
        return cls.HOLDS if result.verdict == Verdict.HOLDS else cls.REFUTED


def plain(out: Console) -> bool:
    """Return whether the console can show only ASCII."""
    try:
        "".join(mark.sign for mark in Mark).encode(out.encoding)
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def legend(out: Console) -> str:
    """Return every mark with its meaning, on one line."""
    return ", ".join(f"{mark.on(out)} {mark.words}" for mark in Mark)
