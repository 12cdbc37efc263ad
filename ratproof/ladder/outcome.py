"""The outcome of a run of evidence, as Python objects and as JSON."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from automata.aliases import JsonObject
from ratproof.evidence.results import Result
from ratproof.evidence.versions import versions


@dataclass(frozen=True)
class SavedRun:
    """A saved run of the same claims on the other device, which the report shows next to this run.

    Attributes:
        device: ``cpu`` or ``cuda``.
        model: Model of the GPU; empty for the CPU.
        when: Time of the end of the run, in ISO 8601.
        versions: Versions of Python and of the packages on which the results depend.
        results: The results of the run.
        file: Path of the file in which the run is saved.
    """

    device: str
    model: str
    when: str
    versions: Mapping[str, str]
    results: tuple[Result, ...]
    file: str

    def sentence(self) -> str:
        """Return a sentence with the date, the device, and the number of verdicts that are as expected."""
        on = f"a {self.model}" if self.model else "the CPU"
        good = sum(r.as_expected for r in self.results)
        return (
            f"On {self.device}: the run of {self.when[:10]} on {on}, torch {self.versions.get('torch', '?')},"
            f" of the same sources: {good} of {len(self.results)} verdicts as expected ({self.file})."
        )


@dataclass
class Outcome:
    """The outcome of a run: its results, its errors, and the evidence that could not run.

    Attributes:
        interrupted: Whether the run was interrupted.
        nothing_to_run: The reason why there was nothing to run, which is not an error; otherwise empty.
        not_written: The reason why a requested file could not be written; otherwise empty.
        stopped: Whether the run ended at its first unexpected result.
        device: The device of torch.
        other_device: The last run on the other device, for the report.
    """

    results: list[Result]
    interrupted: bool = False
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_run: list[dict[str, str]] = field(default_factory=list)
    not_written: str = ""
    stopped: bool = False
    device: str = "cpu"
    other_device: SavedRun | None = None
    nothing_to_run: str = ""

    @property
    def as_expected(self) -> bool:
        """Return whether all evidence ran with the expected verdicts."""
        return (
            bool(self.results or self.nothing_to_run)
            and not self.interrupted
            and not self.stopped
            and not self.errors
            and all(r.as_expected for r in self.results)
        )

    def to_json(self) -> JsonObject:
        """Return the object that ``verify --json`` prints."""
        return {
            "results": [r.to_json() for r in self.results],
            "as_expected": self.as_expected,
            "interrupted": self.interrupted,
            "stopped": self.stopped,
            "errors": self.errors,
            "notes": self.notes,
            "not_run": self.not_run,
            "device": self.device,
            "gpu": gpu_model() if self.device == "cuda" else None,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "platform": platform.platform(),
            "versions": versions(),
        }


def gpu_model() -> str:
    """Return the name of the GPU that torch uses, or ``""`` if there is none."""
    import torch

    return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""
