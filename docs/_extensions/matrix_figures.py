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
MORE = {"in bfloat16": "in bfloat16", "torch with backward": "loops with backward"}
"""Columns that a GPU's table has besides."""


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
    tables = [table(_head(results), [_row(row) for row in results["rows"]], css="speed")]
    if "own" in results:
        tables += [_own(results), _one_string(results)]
    return "\n".join([head, *tables])


def _head(results: dict[str, Any]) -> tuple[str, ...]:
    """The columns that were measured."""
    return HEAD + tuple(MORE[what] for what in MORE if what in results["rows"][0])


def _own(results: dict[str, Any]) -> str:
    """A matrix for each step of each string."""
    rows = [
        [
            str(row["states"]),
            str(row["strings"]),
            f"{row['copy']:.2f} ms, {row['bytes'] / row['copy'] / 1e6:.0f} GB/s",
            f"{row['kernel']:.2f} ms, {row['share']:.2f} of a copy's speed",
            f"{row['with backward']:.2f} ms, {row['share with backward']:.2f} of a copy's speed",
        ]
        for row in results["own"]
    ]
    head = ("states", "strings", "a copy of as many bytes", "kernel", "with backward")
    said = (
        "A matrix for each step of each string, over the reals: what bounds that is memory. With backward the"
        " matrices are read twice and their gradients written."
    )
    return f"{said}\n\n{table(head, rows, css='speed')}"


def _one_string(results: dict[str, Any]) -> str:
    """One string, whose steps wait for each other."""
    rows = [
        [
            plain(row["semiring"].replace("_", "-")),
            str(row["states"]),
            f"{row['kernel']:.2f} µs",
            f"{row['torch']:.2f} µs, {row['torch'] / row['kernel']:.0f} times",
        ]
        for row in results["one string"]
    ]
    said = f"One string of length {results['length of one string']}, a step:"
    return f"{said}\n\n{table(('semiring', 'states', 'kernel', 'loops of torch'), rows, css='speed')}"


def _row(row: dict[str, Any]) -> list[str]:
    kernel = row["kernel in float64"]
    return [
        plain(row["semiring"].replace("_", "-")),
        str(row["states"]),
        f"{row['kernel']:.2f} ms",
        f"{row['with backward']:.2f} ms",
        f"{kernel:.2f} ms",
        f"{row['numpy']:.2f} ms, {row['numpy'] / kernel:.1f} times",
        f"{row['torch']:.2f} ms, {row['torch'] / row['kernel']:.0f} times",
        f"{row['matrix product']:.2f} ms" if "matrix product" in row else "",
        *(f"{row[what]:.2f} ms" for what in MORE if what in row),
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
