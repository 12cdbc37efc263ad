"""Run one program in a separate process, and print the verdict of each check as a line of JSON."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from datetime import date
from typing import Any

from outside.entry import Entry
from outside.table import ENTRIES

CASES = 60
"""The number of random cases per kind of evidence."""
USED = 0.9
"""The share of the time limit for the checks. The remaining time is for imports and the last call."""


def laws(entry: Entry, seconds: float, cases: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the verdict of each check of a program as soon as the check is finished.

    The remaining time is divided equally between the remaining checks. A check that does not finish in its
    share has the verdict ``unknown``. The limit is only checked between calls, and models have no limit.
    """
    assert entry.claim is not None
    from ratproof.evidence.subjects import registered
    from ratproof.ladder.user_files import outcome_of

    ends = time.monotonic() + seconds
    kinds = tuple(entry.claim(seconds).rungs)
    for index, kind in enumerate(kinds):
        share = (ends - time.monotonic()) / (len(kinds) - index)
        claim = entry.claim(max(1.0, share))
        with registered(claim):
            outcome = outcome_of([claim], "outside", [kind], examples=cases or entry.cases or CASES)
        for result in outcome.results:
            shown = result.counterexample
            yield {
                "law": result.kind,
                "verdict": str(result.verdict),
                "cases": result.cases,
                "seconds": round(result.seconds, 1),
                "counterexample": "" if shown is None else shown.sentence(),
                "why": result.why,
                "ran": result.facts.get("module", ""),
            }


def main(device: str, name: str, seconds: str, cases: str | None = None) -> None:
    """Test a program, and print the verdict of each check as a line of JSON."""
    import torch

    entry = ENTRIES[device][name]
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for package in entry.hides:
        sys.modules[package] = None  # type: ignore[assignment]  # as if it were not installed
    if entry.interpreted:
        interpret()
    if entry.device == "cuda":
        take_first_configurations()
    printed = sys.stdout
    with redirect_stdout(sys.stderr):  # redirect the output of libraries
        for law in laws(entry, USED * float(seconds), int(cases) if cases else None):
            print(json.dumps(law), file=printed, flush=True)


def installed(entry: Entry) -> bool:
    """Return whether the library of an entry is installed."""
    try:
        importlib.metadata.version(entry.library)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def described(entry: Entry, laws: list[dict[str, Any]], why: str = "") -> dict[str, Any]:
    """Return the content of a program's verdict file: its laws, versions, command and machine."""
    return {
        "name": entry.name,
        "device": entry.device,
        "library": entry.library,
        "version": importlib.metadata.version(entry.library),
        "torch": importlib.metadata.version("torch"),
        "path": entry.path,
        "remark": entry.remark,
        "interpreted": entry.interpreted,
        "not_run": why or entry.not_run,
        "laws": laws,
        "command": " ".join(["nox -s outside --", *_DEVICE[entry.device], entry.name]),
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {_processor(entry)}",
    }


_DEVICE: dict[str, tuple[str, ...]] = {"cpu": (), "cuda": ("--device", "cuda")}


def _processor(entry: Entry) -> str:
    if entry.device == "cpu":
        return "CPU"
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"


def interpret() -> None:
    """Prepare Triton for its interpreter, which cannot time configurations.

    Raises:
        SystemExit: If the environment variable ``TRITON_INTERPRET`` is not 1.
    """
    if os.environ.get("TRITON_INTERPRET") != "1":
        raise SystemExit("the environment variable TRITON_INTERPRET must be 1 before Triton is imported")
    take_first_configurations()


def take_first_configurations() -> None:
    """Make Triton use the first configuration of each kernel, instead of compiling and timing all of them."""
    autotuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    autotuner._bench = lambda self, *arguments, config, **meta: [1.0, 1.0, 1.0]


if __name__ == "__main__":
    main(*sys.argv[1:])
