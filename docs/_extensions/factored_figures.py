"""The tables of the page on speed about FA-RNNs of factors, from what ``bench/factored.py`` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table
from speed_figures import FOLDER

HEAD = ("sentences", "words", "", "network", "step by step", "its products alone")
WAYS = {"forward": "forward", "backward": "with backward"}


def pages(bench: Path) -> dict[str, str]:
    """The tables, by path: of a CPU and of a GPU, or that nothing was measured there.

    Args:
        bench: the folder with ``results``.
    """
    files = {device: bench / "results" / f"factored_{device}.json" for device in ("cpu", "cuda")}
    return {f"{FOLDER}/factored-{device}.txt": _device(file) for device, file in files.items()}


def _device(file: Path) -> str:
    if not file.exists():
        return "Not measured.\n"
    results = json.loads(file.read_text(encoding="utf-8"))
    head = (
        f"Measured on {results['date']} on {plain(results['device'])}, with torch"
        f" {plain(results['torch'])}: {results['sizes']['states']} states,"
        f" {results['sizes']['columns']} columns, {results['sizes']['words']} different words.\n"
    )
    rows = [_row(row, way) for row in results["rows"] for way in WAYS]
    return f"{head}\n{table(HEAD, rows, css='speed')}"


def _row(row: dict[str, Any], way: str) -> list[str]:
    took = row[way]
    return [
        str(row["sentences"]),
        str(row["words"]),
        WAYS[way],
        f"{took['network']:.2f} ms",
        f"{took['steps']:.2f} ms, {took['steps'] / took['network']:.2f} times",
        f"{took['products']:.2f} ms, {took['products'] / took['network']:.2f} of its time",
    ]
