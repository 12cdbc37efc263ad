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
        f"The ledger takes {ledger['rows_a_second']:,.0f} rows a second. With {ledger['rows']:,} rows its"
        f" file has {ledger['file_bytes'] / 1e6:,.0f} MB, and the driver that resumes it takes"
        f" {ledger['memory_bytes'] / 1e6:,.0f} MB more. Dask takes"
        f" {1000 * results['seconds_a_task']:.2f} ms for a task.\n"
    )


def _computed(results: dict[str, Any]) -> str:
    """What 1,000 workers would do, from these measures: nobody has run it."""
    one = results["one worker"]
    seconds = one["processor_seconds"] / one["cases"]
    cases_a_round = one["cases"] / one["rounds"]
    rows = WORKERS / (seconds * cases_a_round)
    ledger = rows / results["ledger"]["rows_a_second"]
    scheduler = WORKERS / CHUNK * results["seconds_a_task"]
    least = 2 * WORKERS * results["seconds_a_task"]
    return (
        f"Computed from these, and not run: {WORKERS:,} workers and {CASES:.0e} cases take"
        f" {CASES * seconds / WORKERS / 3600:.1f} hours. With chunks of {CHUNK:.0f} s the scheduler is busy"
        f" for {100 * scheduler:.1f} % of the time, and the ledger, with {rows:,.0f} rows a second, for"
        f" {100 * ledger:.0f} %; the scheduler would be busy for half of it with chunks of {least:.1f} s.\n"
    )


def _milliseconds(run: dict[str, float]) -> float:
    """Of the processor, a case."""
    return 1000 * run["processor_seconds"] / run["cases"]
