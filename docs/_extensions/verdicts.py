"""What ran: the object that ``ratproof verify --json`` wrote, or nothing, which is never shown as a
verdict.
"""

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
    """The file is there, and is not what ``ratproof verify --json`` prints."""


@dataclass(frozen=True)
class Verdicts:
    """The results of a run; none where nothing ran.

    Attributes:
        results: as the JSON has them.
        versions: of Python and of the packages that the results depend on.
        platform: the operating system and the machine's architecture.
        written: when the run ended, in UTC; ``None`` where there is none.
        troubles: why the run was not complete.
        gpu: the model of the GPU on which it ran; empty where it ran on the CPU.
        beside: the kept run on a GPU.
    """

    results: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    written: datetime | None = None
    troubles: list[str] = field(default_factory=list)
    gpu: str = ""
    beside: Verdicts | None = None

    def of(self, claim: str, variant: str, kind: str | None = None) -> list[dict[str, Any]]:
        """The results for a variant, of one kind or of all, in their order."""
        return [
            r
            for r in self.results
            if (r["claim"], r["variant"]) == (claim, variant) and kind in (None, r["kind"])
        ]

    def summary(self, claim: str, variant: Variant) -> str:
        """One verdict for all the kinds that the variant promises: the worst news, and ``not run`` where one
        is missing.
        """
        rows = [self.of(claim, variant.name, kind) for kind in variant.kinds]
        seen = {r["verdict"] for results in rows for r in results}
        if seen - {variant.expected}:
            return next(v for v in ("unknown", "refuted", "holds") if v in seen - {variant.expected})
        missing = sum(not results for results in rows)
        if missing == len(rows):
            return NOT_RUN
        return (
            variant.expected
            if not missing
            else f"{variant.expected}, {missing} of {len(rows)} kinds {NOT_RUN}"
        )

    def simplest_counterexample(self, claim: str, variant: str) -> dict[str, Any] | None:
        """The result with the shortest counterexample."""
        return min((r for r in self.of(claim, variant) if r["counterexample"]), key=_size, default=None)

    def certificates(self, claim: str, variant: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Each result for the variant that came with a certificate, and the certificate."""
        return [
            (r, r["certificate"]) for r in self.of(claim, variant) if isinstance(r.get("certificate"), dict)
        ]


def read(path: Path, on_gpu: Path | None = None) -> Verdicts:
    """The verdicts in the file, and those of a run on a GPU in another file; none where they are missing."""
    if on_gpu is not None:
        beside = read(on_gpu)
        return replace(read(path), beside=beside if beside.written is not None else None)
    if not path.exists():
        return Verdicts()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        troubles = list(data.get("errors", ()))
        if data.get("interrupted"):
            troubles.insert(0, "the run was interrupted, so this is not all")
        when = datetime.fromisoformat(data["when"])
        gpu = str(data.get("gpu") or "")
        return Verdicts(data["results"], data["versions"], data["platform"], when, troubles, gpu)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise Unreadable(
            f"{path.name} is not what ratproof verify --json prints ({type(error).__name__}: {error}); "
            "write it again, or remove it to build pages that say: not run"
        ) from error


def _size(result: dict[str, Any]) -> tuple[int, int, bool]:
    counterexample: dict[str, Sequence[Any]] = result["counterexample"]
    return len(counterexample["string"]), len(counterexample["weights"]), result["kind"] != "exhausted"
