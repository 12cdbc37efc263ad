"""The command line of ``nox -s outside``, which runs the programs of the table and stores each verdict."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from outside.entry import Entry
from outside.holding import described
from outside.table import ENTRIES

VERDICTS = Path(__file__).parent / "verdicts"
SECONDS = 1200
"""The maximum time of one program in seconds."""


def main(arguments: list[str] | None = None) -> int:
    """Run some programs, or all; the exit status is 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="nox -s outside --", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs of the table (default: all)")
    parser.add_argument(
        "--missing", action="store_true", help="only programs without a verdict of this version"
    )
    parser.add_argument("--cases", type=int, help="random cases per property")
    parser.add_argument("--jobs", type=int, default=1, help="number of parallel processes")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="only programs for this device"
    )
    parser.add_argument("--seconds", type=int, default=SECONDS, help="maximum time of one program")
    parser.add_argument("--verdicts", type=Path, default=VERDICTS, help="the folder for the verdicts")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in ENTRIES]
    if unknown:
        parser.error(f"the program must be one of {', '.join(ENTRIES)}, got {unknown[0]}")
    chosen = [ENTRIES[name] for name in options.names or ENTRIES if ENTRIES[name].device == options.device]
    if options.missing:
        chosen = [entry for entry in chosen if not _kept(entry)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for kept in pool.map(
            lambda entry: _keep(held(entry, options.cases, options.seconds), options.verdicts), chosen
        ):
            verdicts = ", ".join(f"{law['law']} {law['verdict']}" for law in kept["laws"])
            print(f"{kept['name']}: {verdicts or 'not run: ' + kept['not_run']}", flush=True)
    return 0


def held(entry: Entry, cases: int | None, seconds: int = SECONDS) -> dict[str, Any]:
    """Return the verdict of a program, computed in a separate process with its own imports."""
    if entry.claim is None:
        return described(entry, [])
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if entry.interpreted:
        environment["TRITON_INTERPRET"] = "1"
    if entry.device == "cuda":
        environment["TRITON_F32_DEFAULT"] = "ieee"
    command = [sys.executable, "-m", "outside.holding", entry.name, *([str(cases)] if cases else [])]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return described(entry, [], f"it took longer than {seconds} seconds")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        return described(entry, [], f"it could not be called: {last}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def _kept(entry: Entry) -> bool:
    path = VERDICTS / f"{entry.name}.json"
    if not path.exists():
        return False
    now = described(entry, [])
    before = json.loads(path.read_text(encoding="utf-8"))
    return all(before[name] == now[name] for name in ("version", "torch", "path"))


def _keep(verdict: dict[str, Any], folder: Path) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    path = folder / f"{verdict['name']}.json"
    path.write_text(json.dumps(verdict, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return verdict


if __name__ == "__main__":
    sys.exit(main())
