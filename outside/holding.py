"""Run one program in a separate process, and print the verdict as JSON on the last line."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import platform
import sys
import warnings
from datetime import date
from typing import Any

from outside.entry import Entry
from outside.table import ENTRIES

CASES = 60
"""The number of random cases per kind of evidence."""


def verdict(entry: Entry, cases: int | None = None) -> dict[str, Any]:
    """Return the verdicts on the properties of a program."""
    if entry.claim is None:
        return described(entry, [])
    import torch

    from ratproof.evidence.subjects import registered
    from ratproof.ladder.user_files import outcome_of

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for package in entry.hides:
        sys.modules[package] = None  # type: ignore[assignment]  # as if it were not installed
    if entry.interpreted:
        interpret()
    if entry.device == "cuda":
        take_first_configurations()
    claim = entry.claim()
    with registered(claim):
        outcome = outcome_of([claim], "outside", examples=cases or entry.cases or CASES)
    laws = []
    for result in outcome.results:
        shown = result.counterexample
        laws.append(
            {
                "law": result.kind,
                "verdict": str(result.verdict),
                "cases": result.cases,
                "seconds": round(result.seconds, 1),
                "counterexample": "" if shown is None else shown.sentence(),
                "why": result.why,
                "ran": result.facts.get("module", ""),
            }
        )
    return described(entry, laws)


def described(entry: Entry, laws: list[dict[str, Any]], why: str = "") -> dict[str, Any]:
    """Return a verdict with the versions, the machine and the command."""
    return {
        "name": entry.name,
        "library": entry.library,
        "version": importlib.metadata.version(entry.library),
        "torch": importlib.metadata.version("torch"),
        "path": entry.path,
        "remark": entry.remark,
        "interpreted": entry.interpreted,
        "not_run": why or entry.not_run,
        "laws": laws,
        "command": f"nox -s outside -- {entry.name}",
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {_processor(entry)}",
    }


def _processor(entry: Entry) -> str:
    if entry.device == "cpu":
        return "CPU"
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"


def interpret() -> None:
    """Let Triton kernels run in Triton's interpreter, which cannot time configurations."""
    if os.environ.get("TRITON_INTERPRET") != "1":
        raise SystemExit("TRITON_INTERPRET=1 is needed before Triton is imported")
    take_first_configurations()


def take_first_configurations() -> None:
    """Let Triton take the first configuration of each kernel instead of compiling and timing all of them."""
    autotuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    autotuner._bench = lambda self, *arguments, config, **meta: [1.0, 1.0, 1.0]


if __name__ == "__main__":
    print(json.dumps(verdict(ENTRIES[sys.argv[1]], int(sys.argv[2]) if len(sys.argv) > 2 else None)))
