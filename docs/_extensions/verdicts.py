"""The saved results of ``ratproof verify --json``; without them, pages say "not run"."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from theory.claim import Variant

NOT_RUN = "not run"


class Unreadable(Exception):
    """Raised if a file was not written by ``ratproof verify --json``."""


@dataclass(frozen=True)
class Verdicts:
    """The results of a run, which are empty if nothing ran.

    Attributes:
        results: the objects under ``results`` in the JSON.
        versions: the versions of Python and of the packages that the results depend on.
        platform: the operating system and the machine's architecture.
        written: the time at which the run ended, in UTC; ``None`` without a run.
        troubles: the reasons why the run was incomplete; empty for a complete run.
        gpu: the model of the GPU on which it ran; empty for the CPU.
        gpu_run: the results of the last run on a GPU, if they are kept.
    """

    results: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    written: datetime | None = None
    troubles: list[str] = field(default_factory=list)
    gpu: str = ""
    gpu_run: Verdicts | None = None

    def results_of(self, claim: str, variant: str, kind: str | None = None) -> list[dict[str, Any]]:
        """Return the results for a variant in their original order, for one kind of evidence or for all."""
        return [
            r
            for r in self.results
            if (r["claim"], r["variant"]) == (claim, variant) and kind in (None, r["kind"])
        ]

    def summary(self, claim: str, variant: Variant) -> str:
        """Return the worst verdict of a variant, and the number of kinds of evidence that did not run."""
        rows = [self.results_of(claim, variant.name, kind) for kind in variant.kinds]
        unexpected = {r["verdict"] for results in rows for r in results} - {variant.expected}
        if unexpected:
            return next(v for v in ("unknown", "refuted", "holds") if v in unexpected)
        missing = sum(not results for results in rows)
        if missing == len(rows):
            return NOT_RUN
        return (
            f"{variant.expected}, {missing} of {len(rows)} kinds {NOT_RUN}" if missing else variant.expected
        )

    def simplest_counterexample(self, claim: str, variant: str) -> dict[str, Any] | None:
        """Return the result of a variant with the shortest counterexample, or None."""
        return min(
            (r for r in self.results_of(claim, variant) if r["counterexample"]), key=_size, default=None
        )

    def certificates(self, claim: str, variant: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Return each result for the variant that has a certificate, together with the certificate."""
        results = self.results_of(claim, variant)
        return [(r, r["certificate"]) for r in results if isinstance(r.get("certificate"), dict)]


def read(path: Path, on_gpu: Path | None = None) -> Verdicts:
    """Load the verdicts of a run, and those of a run on a GPU if its file is passed.

    There are no verdicts if a file does not exist.
    """
    if on_gpu is not None:
        gpu_run = read(on_gpu)
        return replace(read(path), gpu_run=gpu_run if gpu_run.written is not None else None)
    if not path.exists():
        return Verdicts()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        interrupted = ["the run was interrupted and is incomplete"] if data.get("interrupted") else []
        troubles = [*interrupted, *data.get("errors", ())]
        when = datetime.fromisoformat(data["when"])
        gpu = str(data.get("gpu") or "")
        return Verdicts(data["results"], data["versions"], data["platform"], when, troubles, gpu)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise Unreadable(
            f"{path.name} must be the output of ratproof verify --json ({type(error).__name__}: {error}); "
            "write it again, or remove it to build pages that say: not run"
        ) from error


def _size(result: dict[str, Any]) -> tuple[int, int, bool]:
    counterexample: dict[str, Sequence[Any]] = result["counterexample"]
    return len(counterexample["string"]), len(counterexample["weights"]), result["kind"] != "exhausted"
