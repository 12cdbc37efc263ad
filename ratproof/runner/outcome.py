"""What came out of a run of evidence, as Python and as JSON."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ratproof.record.results import Result
from ratproof.runner.counterexample_files import versions


@dataclass
class Outcome:
    """What ran: the results, whether it was interrupted, what went wrong outside of the evidence, and what
    could not run here.

    ``not_written`` says why a file that was asked for could not be written, where one could not; ``stopped``,
    that the run ended at its first unexpected result.
    """

    results: list[Result]
    interrupted: bool = False
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_run: list[dict[str, str]] = field(default_factory=list)
    not_written: str = ""
    stopped: bool = False

    @property
    def as_expected(self) -> bool:
        """Did all run, and show what it should?"""
        return (
            bool(self.results)
            and not self.interrupted
            and not self.stopped
            and not self.errors
            and all(r.as_expected for r in self.results)
        )

    def to_json(self) -> dict[str, Any]:
        """As ``verify --json`` prints it."""
        return {
            "results": [r.to_json() for r in self.results],
            "as_expected": self.as_expected,
            "interrupted": self.interrupted,
            "stopped": self.stopped,
            "errors": self.errors,
            "notes": self.notes,
            "not_run": self.not_run,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "platform": platform.platform(),
            "versions": versions(),
        }
