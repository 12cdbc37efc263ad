"""The tables of the page on FA-RNNs, from what ``training/fa_rnn/measure.py`` measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from page_text import plain, table

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""
SYSTEMS = ("automata, read back", "rules, read back", "first rules, as a list")


def pages(root: Path) -> dict[str, str]:
    """The tables, by path; ``root`` is the project's folder, with ``training/results``."""
    results = json.loads((root / "training" / "results" / "fa_rnn.json").read_text(encoding="utf-8"))
    machine, days = results["machine"], sorted({one["when"][:10] for one in results["runs"]})
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    where = f"{machine['processor']}, {machine['threads']} of {machine['cores']} cores"
    said = f"Measured on {' and '.join(days)}, with {plain(versions)}, on {plain(where)}.\n"
    groups: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for one in results["runs"]:
        groups.setdefault((one["set"], one["share"]), []).append(one)
    return {
        f"{FOLDER}/fa-rnn-figures.txt": (
            f"{_decided(results['decided'])}\n{_trained(groups)}\n{_read_back(groups)}\n{said}"
        )
    }


def _decided(runs: Sequence[dict[str, Any]]) -> str:
    header = (
        "set",
        "rules",
        "words",
        "states",
        "rank",
        "float32 network, all sentences",
        "largest number",
        "certificates",
        "seconds",
    )
    rows = [
        [
            one["set"],
            str(one["rules"]),
            f"{one['words']:,}",
            str(one["states"]),
            str(one["rank"]),
            one["verdict"],
            str(one["largest"]),
            str(one["certificates"]),
            f"{one['compile_seconds'] + one['seconds']:.1f}",
        ]
        for one in runs
    ]
    return f"Decided:\n\n{table(header, rows, css='speed')}"


def _trained(groups: dict[tuple[str, float], list[dict[str, Any]]]) -> str:
    header = (
        "set",
        "sentences",
        "runs",
        "test at the start",
        "test, each",
        "mean",
        "dev, mean",
        "most seconds",
    )
    rows = [
        [
            name,
            f"{runs[0]['sentences'][0]:,}",
            str(len(runs)),
            _percent(mean(one["test_start"] for one in runs)),
            " ".join(_percent(one["test"]) for one in runs),
            _percent(mean(one["test"] for one in runs)),
            _percent(mean(one["dev"] for one in runs)),
            f"{max(one['seconds'] for one in runs):.0f}",
        ]
        for (name, _), runs in groups.items()
    ]
    return f"Trained (accuracies in %):\n\n{table(header, rows, css='speed')}"


def _read_back(groups: dict[tuple[str, float], list[dict[str, Any]]]) -> str:
    header = ("set", "sentences", "runs", "network", *SYSTEMS)
    rows = []
    for (name, _), runs in groups.items():
        with_rules = [
            {row["system"]: row["test"] for row in one["read_back"]} for one in runs if "read_back" in one
        ]
        if with_rules:
            cells = [_percent(mean(one[system] for one in with_rules)) for system in ("network", *SYSTEMS)]
            rows.append([name, f"{runs[0]['sentences'][0]:,}", str(len(with_rules)), *cells])
    return f"Read back (test accuracies in %, means):\n\n{table(header, rows, css='speed')}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"
