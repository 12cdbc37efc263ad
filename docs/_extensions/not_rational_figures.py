"""The tables of the page on what is not rational, from what ``bench/not_rational.py`` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""


def pages(bench: Path) -> dict[str, str]:
    """The two tables, by path.

    Args:
        bench: the folder with ``results/not_rational.json``.
    """
    measured = json.loads((bench / "results" / "not_rational.json").read_text(encoding="utf-8"))
    return {
        f"{FOLDER}/not-rational-figures.txt": _reached(measured),
        f"{FOLDER}/not-rational-controls.txt": _controls(measured),
    }


def _reached(measured: dict[str, Any]) -> str:
    rows = [row for cell in measured["cells"] for row in _rows(cell)]
    cores = f"{measured['cores']} core{'s' if measured['cores'] != 1 else ''}"
    when = (
        f"Measured on {measured['date']}, with {plain(measured['versions'])}, on {cores}"
        f" ({plain(measured['machine'])}).\n"
    )
    header = (
        "cell",
        "units",
        "fewer states are excluded than",
        "bits",
        "seconds",
        "checker's seconds",
        "every size",
    )
    return f"{when}\n{table(header, rows, css='speed')}"


def _rows(cell: dict[str, Any]) -> list[list[str]]:
    """A row for each size; what is said of the cell as a whole stands in the first."""
    rows = []
    for i, (size, figures) in enumerate(cell["sizes"].items()):
        name, units, every = (
            (f"`{cell['cell']}`", str(cell["units"]), "shown" if cell["every_size"] else "no")
            if i == 0
            else ("",) * 3
        )
        checker = f"{figures['checker']:.1f}" if "checker" in figures else ""
        rows.append([name, units, size, str(figures["bits"]), f"{figures['seconds']:.2f}", checker, every])
    return rows


def _controls(measured: dict[str, Any]) -> str:
    rows = [
        [f"`{c['cell']}`", str(c["units"]), str(c["states"]), str(c["unknown"])] for c in measured["controls"]
    ]
    return table(
        ("control", "units", "fewer states are excluded than", "first size that is unknown"),
        rows,
        css="speed",
    )
