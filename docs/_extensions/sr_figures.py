"""The table of the page on speed about state-regularized layers, from what ``bench/sr_steps.py`` wrote."""

from __future__ import annotations

import json
from pathlib import Path

from page_text import plain, table
from speed_figures import FOLDER, constants

HEAD = (
    "layer",
    "steps",
    "strings",
    "inputs",
    "units",
    "centroids",
    "layer",
    "unrolled cell",
    "ratio",
    "by autograd",
)


def pages(bench: Path) -> dict[str, str]:
    """The table, by path.

    Args:
        bench: the folder with ``sr_steps.py`` and ``results/sr_steps.json``.
    """
    results = json.loads((bench / "results" / "sr_steps.json").read_text(encoding="utf-8"))
    wanted = constants(bench / "sr_steps.py")["WANTED"]
    rows = [
        [
            row["layer"],
            *map(str, row["shape"][:4]),
            "none" if row["layer"] == "LSTM-P" else str(row["shape"][4]),
            f"{row['layer_ms']:.1f} ms",
            f"{row['cell_ms']:.1f} ms",
            f"{row['layer_ms'] / row['cell_ms']:.2f}",
            f"{row['autograd_ms']:.1f} ms",
        ]
        for row in results["rows"]
    ]
    head = (
        f"Measured on {results['date']} on {plain(results['device'])}, with torch {plain(results['torch'])};"
        f" wanted was a ratio of at most {wanted}.\n"
    )
    return {f"{FOLDER}/sr-steps.txt": f"{head}\n{table(HEAD, rows, css='speed')}"}
