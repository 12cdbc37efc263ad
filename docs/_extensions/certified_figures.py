"""The tables of the pages on certified temperature and on training, from what ``bench/`` and ``training/``
measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from page_text import plain, table

from training.engine.results import results_in
from training.state_regularized.tables import HEADER, is_learned, rows

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""


def pages(root: Path) -> dict[str, str]:
    """The tables, by path.

    Args:
        root: the project's folder, with ``bench/results`` and ``training/results``.
    """
    results = root / "training" / "results"
    kept = [one for one in results_in(results) if is_learned(one)]
    tomita = [one for one in kept if one["experiment"] == "tomita"]
    others = [one for one in kept if one["experiment"] != "tomita"]
    return {
        f"{FOLDER}/certified-figures.txt": _near_the_threshold(root / "bench" / "results" / "certified.json"),
        f"{FOLDER}/tomita-figures.txt": _trained(tomita),
        f"{FOLDER}/learned-figures.txt": _trained(others),
    }


def _trained(kept: list[dict[str, Any]]) -> str:
    """A row for each language and recipe: how many of its runs came to what."""
    groups: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {}
    for one in kept:  # runs of a machine are told of together
        key = json.dumps([one["machine"], one["recipe"]])
        groups.setdefault(key, (one["machine"], []))[1].append(one)
    texts = [_measured(machine, runs) for machine, runs in groups.values()]
    return "\n".join(texts) + "\n\n" + table(HEADER, rows(kept), css="speed")


def _measured(machine: dict[str, Any], runs: list[dict[str, Any]]) -> str:
    days = sorted({one["when"][:10] for one in runs})
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    where = f"{machine['processor']}, {machine['threads']} of {machine['cores']} cores"
    return (
        f"Recipes {', '.join(sorted({one['recipe'] for one in runs}))}: measured on"
        f" {' and '.join(days)}, with {plain(versions)}, on {plain(where)}."
    )


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
