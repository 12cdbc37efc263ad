"""The tables of the page on FA-RNNs: from what ``python -m training.rules.measure`` measured, and from the
results of the runs that were kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from page_text import plain, table
from runs_said import machines_of

from training.classification_with_rules.paper import SETS, SHARES
from training.classification_with_rules.tables import cell_of, cells
from training.engine.results import results_in

FOLDER = "claims"
"""The generated pages' folder that holds all tables, ignored by git."""
SYSTEMS = ("network", "automata, read back", "rules, read back", "first rules, as a list")


def pages(root: Path) -> dict[str, str]:
    """The tables, by path; ``root`` is the project's folder, with ``training/results``."""
    kept = root / "training" / "results"
    measured = json.loads((kept / "fa_rnn.json").read_text(encoding="utf-8"))
    parts = (_decided(measured["decided"]), _trained(results_in(kept / "rules")), _read_back(measured))
    return {f"{FOLDER}/fa-rnn-figures.txt": "\n".join(parts)}


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
            one["set"].upper(),
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


def _trained(kept: Sequence[dict[str, Any]]) -> str:
    header = (
        "set",
        "of the sentences",
        "runs",
        "test at the start",
        "test, each",
        "mean",
        "dev, mean",
        "most seconds",
    )
    every, rows, shown = cells(kept), [], list[dict[str, Any]]()
    for name in SETS:
        for share in SHARES:
            cell = cell_of(every, name, "fa-rnn", share)
            if cell is None:
                continue
            shown += cell.runs
            test = cell.metric("test_accuracy")
            rows.append(
                [
                    f"[{name.upper()}](/experiments/{name}.md)",
                    f"{100 * share:g} %",
                    str(len(test)),
                    _percent(mean(cell.metric("untrained_test_accuracy"))),
                    " ".join(map(_percent, test)),
                    _percent(mean(test)),
                    _percent(mean(cell.metric("dev_accuracy"))),
                    f"{max(run['seconds'] for run in cell.runs):.0f}",
                ]
            )
    says = f"Trained (accuracies in %):\n\n{table(header, rows, css='speed')}"
    return f"{says}\n{machines_of(shown)}"


def _read_back(measured: dict[str, Any]) -> str:
    header = ("set", "of the sentences", "runs", *SYSTEMS)
    groups: dict[tuple[str, float], list[dict[str, float]]] = {}
    for one in measured["read_back"]:
        accuracies = {row["system"]: row["test"] for row in one["systems"]}
        groups.setdefault((one["set"], one["share"]), []).append(accuracies)
    rows = [
        [
            name.upper(),
            f"{100 * share:g} %",
            str(len(groups[name, share])),
            *(_spread([one[system] for one in groups[name, share]]) for system in SYSTEMS),
        ]
        for name in SETS
        for share in SHARES
        if (name, share) in groups
    ]
    machine, days = measured["machine"], sorted({one["when"][:10] for one in measured["read_back"]})
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    where = f"{machine['processor']}, {machine['threads']} of {machine['cores']} cores"
    said = f"Read back on {' and '.join(days)}, with {plain(versions)}, on {plain(where)}.\n"
    says = "Read back (test accuracies in %, mean ± deviation of the seeds):"
    return f"{says}\n\n{table(header, rows, css='speed')}\n{said}"


def _spread(shares: Sequence[float]) -> str:
    deviation = f" ± {_percent(stdev(shares))}" if len(shares) > 1 else ""
    return f"{_percent(mean(shares))}{deviation}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"
