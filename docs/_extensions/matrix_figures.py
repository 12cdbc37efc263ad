"""The table and plot of the page on speed about products with matrices, from what ``bench/matrix_scan.py``
wrote.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from page_text import plain, table
from speed_figures import FOLDER, GREY, drawn

HEAD = (
    "semiring",
    "states",
    "kernel",
    "with backward",
    "in float64",
    "NumPy",
    "loops of torch",
    "one product",
)


def pages(bench: Path) -> dict[str, str]:
    """The tables, by path: of a CPU and of a GPU, or that nothing was measured there; and the CPU's plot.

    Args:
        bench: the folder with ``results``.
    """
    files = {device: bench / "results" / f"matrix_scan_{device}.json" for device in ("cpu", "cuda")}
    made = {f"{FOLDER}/matrix-{device}.txt": _device(file) for device, file in files.items()}
    rows = json.loads(files["cpu"].read_text(encoding="utf-8"))["rows"]
    return {**made, f"{FOLDER}/matrix-states.svg": _plot(rows)}


def _device(file: Path) -> str:
    if not file.exists():
        return "Not measured.\n"
    results = json.loads(file.read_text(encoding="utf-8"))
    head = (
        f"Measured on {results['date']} on {plain(results['device'])}, with torch {plain(results['torch'])},"
        f" by the backend {plain(results['backend'])}: {results['strings']} strings of length"
        f" {results['length']} over {results['symbols']} symbols.\n"
    )
    return f"{head}\n{table(HEAD, [_row(row) for row in results['rows']], css='speed')}"


def _row(row: dict[str, Any]) -> list[str]:
    kernel = row["kernel in float64"]
    return [
        plain(row["semiring"]),
        str(row["states"]),
        f"{row['kernel']:.2f} ms",
        f"{row['with backward']:.2f} ms",
        f"{kernel:.2f} ms",
        f"{row['numpy']:.2f} ms, {row['numpy'] / kernel:.1f} times",
        f"{row['torch']:.2f} ms, {row['torch'] / row['kernel']:.0f} times",
        f"{row['matrix product']:.2f} ms" if "matrix product" in row else "",
    ]


def _plot(rows: list[dict[str, Any]]) -> str:
    """Milliseconds against the number of states: a line for each semiring, and one for the product."""

    def draw(axes: Axes) -> None:
        for name, marker in zip(dict.fromkeys(row["semiring"] for row in rows), "os^D", strict=False):
            own = [row for row in rows if row["semiring"] == name]
            label = name.replace("_", "-")
            axes.loglog([r["states"] for r in own], [r["kernel"] for r in own], f"{marker}-", label=label)
        own = [row for row in rows if "matrix product" in row]
        line = [r["matrix product"] for r in own]
        axes.loglog([r["states"] for r in own], line, "--", color=GREY, label="one matrix product")
        states = sorted({row["states"] for row in rows})
        axes.legend(frameon=False)
        axes.set_xticks(states, [str(n) for n in states], fontsize=8)
        axes.set_xlabel("states")
        axes.set_ylabel("milliseconds")

    return drawn(draw)
