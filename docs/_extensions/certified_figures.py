"""The tables of the pages on certified temperature and on training, from what ``bench/`` and ``training/`` measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""


def pages(root: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        root: the project's folder, with ``bench/results`` and ``training/results``.
    """
    return {f"{FOLDER}/certified-figures.txt": _near_the_threshold(root / "bench" / "results" / "certified.json")}


def measured(found: dict[str, Any]) -> str:
    """When and with what it was measured."""
    cores = f"{found['cores']} core{'s' if found['cores'] != 1 else ''}"
    return f"Measured on {found['date']}, with {plain(found['versions'])}, on {cores} ({plain(found['machine'])}).\n"


def _near_the_threshold(path: Path) -> str:
    found = json.loads(path.read_text(encoding="utf-8"))
    shares = list(found["networks"][0]["shares"])
    rows = []
    for share in shares:
        cells = [network["shares"][share] for network in found["networks"]]
        verdicts = [cell["verdict"] for cell in cells]
        boxes = sorted(cell["boxes"] for cell in cells if "boxes" in cell)
        seconds = max(cell["seconds"] for cell in cells)
        checker = max(cell.get("checker", 0.0) for cell in cells)
        counts = [str(verdicts.count(verdict)) for verdict in ("certified", "different", "unknown")]
        rows.append([share, *counts, f"{boxes[0]} to {boxes[-1]}", f"{seconds:.1f}", f"{checker:.1f}"])
    header = ("share of the threshold", "certified", "different", "unknown", "boxes", "most seconds", "checker's most seconds")
    count = f"{len(found['networks'])} random networks of 2 to 16 units with 3 to 8 centroids.\n"
    return f"{measured(found)}{count}\n{table(header, rows, css='speed')}"
