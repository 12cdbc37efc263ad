"""The progress of a hunt, and its counterexamples."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from automata.aliases import JsonObject
from automata.testing.edge_cases import EDGE_CASES
from ratproof.evidence.counterexample import Counterexample
from ratproof.hunting.rounds import Round


@dataclass
class HuntProgress:
    """The progress of a hunt, and its counterexamples.

    Attributes:
        seed, jobs: Seed and number of worker processes of the hunt.
        finds: The simplest counterexample and its file, for each claim, variant and way of comparing.
        rounds: Number of rounds done in this run.
        asked_for: Total number of requested rounds; ``None`` if only the time is limited.
        resumed: Number of requested rounds that were done in earlier runs.
        incomplete: The rounds that were abandoned.
        notes: Messages about events of the workers.
        nothing_compared: Whether no case was compared, for example before the time limit.
        without_cases: The targets whose finished rounds compared no case.
    """

    seed: int
    jobs: int
    start_time: float = field(default_factory=time.monotonic)
    cases: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    corners: set[str] = field(default_factory=set)
    finds: dict[tuple[str, str, str], tuple[Counterexample, Path]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    rounds: int = 0
    asked_for: int | None = None
    resumed: int = 0
    incomplete: list[Round] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    nothing_compared: bool = False
    without_cases: list[str] = field(default_factory=list)

    def rate(self, way: str) -> float:
        """Return the number of cases per second and core that were compared in this way."""
        return self.cases[way] / self.seconds[way] if self.seconds[way] else 0.0

    def to_json(self) -> JsonObject:
        """Return the progress as a JSON object."""
        return {
            "seed": self.seed,
            "jobs": self.jobs,
            "seconds": round(time.monotonic() - self.start_time, 1),
            "rounds": self.rounds,
            "rounds_done_before": self.resumed,
            "cases": dict(self.cases),
            "cases_a_second_and_core": {way: round(self.rate(way)) for way in self.cases},
            "corners": sorted(self.corners),
            "corners_not_seen": sorted(set(EDGE_CASES) - self.corners),
            "counterexamples": [str(path) for _, path in self.finds.values()],
            "incomplete": [[one.target, one.number] for one in self.incomplete],
            "errors": self.errors,
            "notes": self.notes,
            "interrupted": self.interrupted,
            "nothing_compared": self.nothing_compared,
            "targets_without_cases": self.without_cases,
        }
