"""The command line of ``nox -s outside``, which tests published programs and saves their verdicts."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from outside.entry import Entry
from outside.holding import described, installed
from outside.table import ENTRIES

VERDICTS = Path(__file__).parent / "verdicts"
"""The folder of the saved verdicts, with one subfolder per device."""
DEFECTS = VERDICTS.with_name("defects.toml")
SECONDS = {"cpu": 1200, "cuda": 180}
"""The maximum time of one program in seconds.

With 180 seconds and 16 processes, all programs on a GPU end within ten minutes.
"""
SUSPICIONS, NOT_KEPT = {"refuted": 0, "unknown": 1, "holds": 3}, 2
"""Numbers that order the programs: one for each saved verdict, and one for programs without a saved verdict.

Programs with smaller numbers run first.
"""


def main(arguments: list[str] | None = None) -> int:
    """Test the selected programs, or all of them, and return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s outside --", description=__doc__)
    parser.add_argument("names", nargs="*", help="names of programs (default: all programs of the device)")
    parser.add_argument(
        "--missing", action="store_true", help="test only programs without a saved verdict of this version"
    )
    parser.add_argument("--cases", type=int, help="random cases per check")
    parser.add_argument(
        "--jobs", type=int, help="number of parallel processes (default: 1, and one per core for cuda)"
    )
    parser.add_argument("--device", choices=tuple(ENTRIES), default="cpu", help="device of the programs")
    parser.add_argument(
        "--seconds", type=int, help="maximum time of one program (default: 1200, and 180 for cuda)"
    )
    parser.add_argument("--verdicts", type=Path, default=VERDICTS, help="folder for the verdicts")
    options = parser.parse_args(arguments)
    for name in ("cases", "jobs", "seconds"):
        if (number := getattr(options, name)) is not None and number < 1:
            parser.error(f"--{name} must be positive, got {number}")
    table = ENTRIES[options.device]
    unknown = [name for name in options.names if name not in table]
    if unknown:
        parser.error(f"the program must be one of {', '.join(table)} on {options.device}, got {unknown[0]}")
    if options.device == "cuda" and not has_gpu():
        parser.error("--device cuda needs a GPU, but torch.cuda.is_available() is False")
    folder = options.verdicts / options.device
    chosen = [table[name] for name in options.names or table]
    for entry in chosen:
        if not installed(entry):
            print(f"{entry.name}: not run: {entry.library} is not installed", flush=True)
    chosen = [
        entry for entry in chosen if installed(entry) and not (options.missing and _is_kept(entry, folder))
    ]
    jobs = options.jobs or (os.cpu_count() or 1 if options.device == "cuda" else 1)
    seconds = options.seconds or SECONDS[options.device]
    with ThreadPoolExecutor(jobs) as pool:
        for kept in pool.map(
            lambda entry: _keep(held(entry, options.cases, seconds), folder), worst_first(chosen)
        ):
            verdicts = ", ".join(f"{law['law']} {law['verdict']}" for law in kept["laws"])
            missing = f"not run: {kept['not_run']}" if kept["not_run"] else ""
            print(f"{kept['name']}: {'; '.join(filter(None, (verdicts, missing)))}", flush=True)
    return 0


def has_gpu() -> bool:
    """Return whether torch can use a GPU."""
    import torch

    return torch.cuda.is_available()


def worst_first(entries: Iterable[Entry], folder: Path = VERDICTS) -> list[Entry]:
    """Return the programs in running order, the most important first.

    Programs whose function has a known defect or a refuted law on any device come first. Then follow
    functions with an unknown verdict, functions without a saved verdict, and functions that satisfy all laws.
    In each group, the slowest programs come first.
    """
    defects = tomllib.loads(DEFECTS.read_text(encoding="utf-8"))["defect"]
    named = {key for defect in defects for key in defect["entries"]}
    defective = {entry.path for table in ENTRIES.values() for entry in table.values() if entry.key in named}
    verdicts: dict[str, list[int]] = {}
    seconds: dict[str, float] = {}
    for file in folder.glob("*/*.json"):
        kept = json.loads(file.read_text(encoding="utf-8"))
        verdicts.setdefault(kept["path"], []).extend(
            SUSPICIONS.get(law["verdict"], NOT_KEPT) for law in kept["laws"]
        )
        took = sum(law["seconds"] for law in kept["laws"])
        seconds[kept["path"]] = max(took, seconds.get(kept["path"], 0.0))

    def order(entry: Entry) -> tuple[int, float]:
        suspicion = 0 if entry.path in defective else min(verdicts.get(entry.path) or [NOT_KEPT])
        return suspicion, -seconds.get(entry.path, 0.0)

    return sorted(entries, key=order)


def held(entry: Entry, cases: int | None, seconds: int) -> dict[str, Any]:
    """Test a program in a separate process, and return its verdict.

    A program that exceeds the time limit is stopped, and the checks that it finished are saved.
    """
    if entry.claim is None:
        return described(entry, [])
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if entry.interpreted:
        environment["TRITON_INTERPRET"] = "1"
    if entry.device == "cuda":
        environment["TRITON_F32_DEFAULT"] = "ieee"
    command = [sys.executable, "-m", "outside.holding", entry.device, entry.name, str(seconds)]
    command += [str(cases)] if cases else []
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        printed = error.stdout or b""
        # subprocess returns bytes here, although text=True
        text = printed.decode() if isinstance(printed, bytes) else printed
        return described(entry, _laws(text), f"it took longer than {seconds} seconds")
    why = ""
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        why = f"it could not be called: {last}"
    return described(entry, _laws(done.stdout), why)


def _laws(printed: str) -> list[dict[str, Any]]:
    """Return the verdicts that a process printed, one JSON object per line; ignore an incomplete line."""
    return [json.loads(line) for line in printed.splitlines(keepends=True) if line.endswith("}\n")]


def _is_kept(entry: Entry, folder: Path) -> bool:
    path = folder / f"{entry.name}.json"
    if not path.exists():
        return False
    now = described(entry, [])
    before = json.loads(path.read_text(encoding="utf-8"))
    return all(before[name] == now[name] for name in ("version", "torch", "path"))


def _keep(verdict: dict[str, Any], folder: Path) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{verdict['name']}.json"
    path.write_text(json.dumps(verdict, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return verdict


if __name__ == "__main__":
    sys.exit(main())
