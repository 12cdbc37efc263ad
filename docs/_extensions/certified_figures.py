"""The tables of the pages on certified temperature and on training, from what ``bench/`` and ``training/``
measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from page_text import plain, table

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""


def pages(root: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        root: the project's folder, with ``bench/results`` and ``training/results``.
    """
    results = root / "training" / "results"
    return {
        f"{FOLDER}/certified-figures.txt": _near_the_threshold(root / "bench" / "results" / "certified.json"),
        f"{FOLDER}/tomita-figures.txt": _trained([results / "tomita.json", results / "tomita-paper.json"]),
        f"{FOLDER}/learned-figures.txt": _trained([results / "learned.json"]),
    }


def _trained(paths: list[Path]) -> str:
    """A row for each language and recipe: how many of its runs came to what."""
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    texts = []
    for path in paths:
        results = json.loads(path.read_text(encoding="utf-8"))
        for one in results["runs"]:
            runs.setdefault((one["language"], one["recipe"]), []).append(one)
        machine, days = results["machine"], sorted({one["when"][:10] for one in results["runs"]})
        versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
        where = f"{machine['processor']}, {machine['threads']} of {machine['cores']} cores"
        texts.append(
            f"Recipes {', '.join(sorted({one['recipe'] for one in results['runs']}))}: measured on"
            f" {' and '.join(days)}, with {plain(versions)}, on {plain(where)}."
        )
    header = (
        "language",
        "states",
        "recipe",
        "runs",
        "trained",
        "hard: exact",
        "certified",
        "soft: accepts exactly",
        "boxes",
        "median seconds",
        "most",
    )
    return (
        "\n".join(texts)
        + "\n\n"
        + table(header, [_row(*key, value) for key, value in runs.items()], css="speed")
    )


def _row(language: str, recipe: str, runs: list[dict[str, Any]]) -> list[str]:
    counts = [
        sum(one["outcome"] == "trained" for one in runs),
        sum(one["exact"] for one in runs),
        sum(one["certified"] == "certified" for one in runs),
        sum(one["accepts_exactly"] for one in runs),
    ]
    boxes = sorted(one["boxes"] for one in runs if one["boxes"] is not None)
    shown = "" if not boxes else f"{boxes[0]} to {boxes[-1]}" if boxes[0] < boxes[-1] else str(boxes[0])
    seconds = [one["seconds"] for one in runs]
    return [
        language,
        str(runs[0]["states"]),
        recipe,
        str(len(runs)),
        *map(str, counts),
        shown,
        f"{median(seconds):.1f}",
        f"{max(seconds):.1f}",
    ]


def measured(results: dict[str, Any]) -> str:
    """When and with what it was measured."""
    cores = f"{results['cores']} core{'s' if results['cores'] != 1 else ''}"
    return (
        f"Measured on {results['date']}, with {plain(results['versions'])}, on {cores}"
        f" ({plain(results['machine'])}).\n"
    )


def _near_the_threshold(path: Path) -> str:
    results = json.loads(path.read_text(encoding="utf-8"))
    shares = list(results["networks"][0]["shares"])
    rows = []
    for share in shares:
        cells = [network["shares"][share] for network in results["networks"]]
        verdicts = [cell["verdict"] for cell in cells]
        boxes = sorted(cell["boxes"] for cell in cells if "boxes" in cell)
        seconds = max(cell["seconds"] for cell in cells)
        checker = max(cell.get("checker", 0.0) for cell in cells)
        counts = [str(verdicts.count(verdict)) for verdict in ("certified", "different", "unknown")]
        rows.append([share, *counts, f"{boxes[0]} to {boxes[-1]}", f"{seconds:.1f}", f"{checker:.1f}"])
    header = (
        "share of the threshold",
        "certified",
        "different",
        "unknown",
        "boxes",
        "most seconds",
        "checker's most seconds",
    )
    count = f"{len(results['networks'])} random networks of 2 to 16 units with 3 to 8 centroids.\n"
    return f"{measured(results)}{count}\n{table(header, rows, css='speed')}"
