"""The figures of the page on hunts, from what ``bench/hunt.py`` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table
from speed_figures import FOLDER

WORKERS, CASES, CHUNK = 1000, 1e9, 30.0
"""Of the cluster that is computed with."""


def pages(bench: Path) -> dict[str, str]:
    """The figures, by path; ``bench`` is the folder with ``results``."""
    file = bench / "results" / "hunt.json"
    name = f"{FOLDER}/hunt.txt"
    if not file.exists():
        return {name: "Not measured.\n"}
    results = json.loads(file.read_text(encoding="utf-8"))
    return {name: f"{_measured(results)}\n{_computed(results)}"}


def _measured(results: dict[str, Any]) -> str:
    alone = _milliseconds(results["plain"])
    rows = [["rounds in one process, without digests and ledger", f"{alone:.3f} ms", ""]]
    for name in ("one worker", "two workers"):
        own = _milliseconds(results[name])
        rows.append([f"{name} and a ledger", f"{own:.3f} ms", f"{100 * (own / alone - 1):+.1f} %"])
    ledger = results["ledger"]
    return (
        f"Measured on {results['date']} on {plain(results['device'])}, {results['cores']} cores.\n\n"
        f"{table(('', 'processor time a case', 'more'), rows, css='speed')}\n"
        f"The ledger takes {ledger['rows_a_second']:,.0f} rows a second, and the driver checks"
        f" {ledger['rows_checked_a_second']:,.0f} that workers sent. With {ledger['rows']:,} rows its"
        f" file has {ledger['file_bytes'] / 1e6:,.0f} MB, and the driver that resumes it takes"
        f" {ledger['memory_bytes'] / 1e6:,.0f} MB more. Dask takes"
        f" {1000 * results['seconds_a_task']:.2f} ms for a task.\n"
    )


def _computed(results: dict[str, Any]) -> str:
    """What 1,000 workers would do, from these measures: nobody has run it."""
    one, ledger, task = results["one worker"], results["ledger"], results["seconds_a_task"]
    seconds = one["processor_seconds"] / one["cases"]
    a_round = seconds * one["cases"] / one["rounds"]
    a_row = 1 / ledger["rows_a_second"] + 1 / ledger["rows_checked_a_second"]
    share = WORKERS / a_round * a_row
    rows = CASES / (one["cases"] / one["rounds"])
    memory = rows * ledger["memory_bytes"] / ledger["rows"]
    most = {"the driver": a_round / a_row, "the scheduler": CHUNK / task}
    first, second = sorted(most, key=lambda name: most[name])
    hours = CASES * seconds / WORKERS / 3600
    busy = WORKERS / CHUNK * task
    return (
        f"Computed from these, and not run: {WORKERS:,} workers and {CASES:.0e} cases take {hours:.1f} hours."
        f" With chunks of {CHUNK:.0f} s the scheduler is busy for {100 * busy:.1f} % of the time, and the"
        f" driver, with {WORKERS / a_round:,.0f} rows a second to check and to write, for"
        f" {100 * share:.0f} %. Chunks of {2 * WORKERS * task:.1f} s or more keep the scheduler under half;"
        " the driver's share does not depend on them, since each round is a row. The first to have no time"
        f" left is {first}, with {most[first]:,.0f} workers; {second} has none left with"
        f" {most[second]:,.0f}. At the end the ledger has {rows / 1e6:.1f} million rows, which take"
        f" {memory / 1e6:,.0f} MB of the driver's memory where"
        " it resumes.\n"
    )


def _milliseconds(run: dict[str, float]) -> float:
    """Of the processor, a case."""
    return 1000 * run["processor_seconds"] / run["cases"]
