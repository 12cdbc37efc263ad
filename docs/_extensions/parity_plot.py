"""Drawing of the accuracy on parity against length, from ``bench/results/parity.json``."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from page_text import render
from plots import COLOURS, GREY, plain_frame, plotted


def pages(root: Path) -> dict[str, str]:
    """Return the plot and its caption, keyed by their paths; ``root`` is the project folder."""
    file = root / "bench" / "results" / "parity.json"
    results = json.loads(file.read_text(encoding="utf-8"))
    accuracies = results["accuracies"]
    lengths = [str(results["longest"]), list(next(iter(accuracies.values()))[0])[-1]]
    ranges = {
        name: [(min(row[n] for row in rows), max(row[n] for row in rows)) for n in lengths]
        for name, rows in accuracies.items()
    }
    return {
        "claims/parity.svg": parity_plot(accuracies),
        "claims/parity.txt": render("parity", results=results, lengths=lengths, ranges=ranges),
    }


def parity_plot(accuracies: dict[str, list[dict[str, float]]]) -> str:
    """Return a panel with the median accuracy of each kind of gates, and a band for all seeds, as SVG."""

    def draw(panels: Any) -> None:
        axes = panels[0, 0]
        lengths = [int(length) for length in next(iter(accuracies.values()))[0]]
        axes.axhline(100, color=GREY, ls="--", lw=1.4, label="gate -1, constructed: decided for all words")
        for (name, rows), colour, marker in zip(accuracies.items(), COLOURS, "os", strict=False):
            columns = list(zip(*(row.values() for row in rows), strict=True))
            label = f"{name}, trained ({len(rows)} seeds)"
            axes.semilogx(lengths, list(map(median, columns)), f"{marker}-", color=colour, label=label, ms=4)
            low, high = list(map(min, columns)), list(map(max, columns))
            axes.fill_between(lengths, low, high, color=colour, alpha=0.25, lw=0)
        axes.set_xticks(lengths, [f"{length}" for length in lengths])
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axes.set_xlabel("length in symbols")
        axes.set_ylabel("correct words in %")
        axes.legend(frameon=False, fontsize=8, loc="center", bbox_to_anchor=(0.42, 0.62))
        plain_frame(axes)

    return plotted(draw, 1, 1, 3.4, 6.4)
