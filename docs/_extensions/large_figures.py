"""The tables of the page on speed about large automata, from what ``bench/large_equivalence.py`` and
``bench/trigram.py`` wrote.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table
from speed_figures import FOLDER, constants


def pages(bench: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        bench: the folder with the programs and ``results``.
    """
    wanted = constants(bench / "large_equivalence.py")["WANTED"]
    pairs = [
        _pairs(json.loads(file.read_text(encoding="utf-8")), wanted)
        for file in sorted(
            (bench / "results").glob("large_equivalence_*.json"), key=lambda file: len(file.stem)
        )
    ]
    model = json.loads((bench / "results" / "trigram.json").read_text(encoding="utf-8"))
    return {f"{FOLDER}/large-figures.txt": "\n".join(pairs), f"{FOLDER}/trigram-figures.txt": _model(model)}


def _pairs(results: dict[str, Any], wanted: dict[int, Any]) -> str:
    seconds, gigabytes, check = wanted[results["states"]]
    checked = "" if check is None else f", and {check} seconds to check a certificate"
    rows = []
    for name, pair in results["pairs"].items():
        checked_in = f"{pair['check']:.1f} s" if "check" in pair else ""
        rows.append(
            [name, pair["verdict"], f"{pair['seconds']:.1f} s", f"{pair['gigabytes']:.2f} GB", checked_in]
        )
    head = (
        f"{results['states']:,} states and {4 * results['states']:,} transitions each, or about as many;"
        f" wanted: {seconds} seconds and {gigabytes} GB{checked}. {_when(results)}\n"
    )
    return f"{head}\n{table(('pair', 'answer', 'decided in', 'memory', 'checked in'), rows, css='speed')}"


def _model(results: dict[str, Any]) -> str:
    rows = [
        [plain(step["what"]), plain(step["result"]), f"{step['seconds']:.0f} s"] for step in results["steps"]
    ]
    head = f"{_when(results)} The most memory was {results['gigabytes']:.1f} GB.\n"
    return f"{head}\n{table(('step', 'result', 'time'), rows, css='speed')}"


def _when(results: dict[str, Any]) -> str:
    return f"Measured on {results['date']}, on {results['cores']} cores."
