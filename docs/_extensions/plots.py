"""Plots of one or more panels as SVG: no background, and grey where a page's words are black or white; and
curves over seeds.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from speed_figures import GREY

COLOURS = ("#3a86d1", "#d9822b", "#4f9d4f", "#b0509f", "#a08a2c", "#cc5555")
"""Each to be seen on white and on black."""
Curve = Sequence[float]


def plotted(draw: Callable[[Any], None], rows: int, columns: int, height: float) -> str:
    """Panels in a grid, which ``draw`` is given as an array of shape ``(rows, columns)``; inches high."""
    style = {"svg.hashsalt": "ratproof", "font.size": 9.0}
    grey = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    with matplotlib.rc_context({**style, **dict.fromkeys(grey, GREY)}):
        figure = Figure(figsize=(7.4, height), layout="constrained")
        draw(figure.subplots(rows, columns, squeeze=False))
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def bands(axes: Axes, curves: Mapping[str, Sequence[Curve]]) -> None:
    """For each name the median of its curves over 1, 2, ..., and a band from the least to the most; a curve
    that ends before the longest one keeps its last value.
    """
    for (name, own), colour in zip(curves.items(), COLOURS, strict=False):
        longest = max(map(len, own))
        columns = [[curve[min(t, len(curve) - 1)] for curve in own] for t in range(longest)]
        places = range(1, longest + 1)
        label = f"{name} ({len(own)} seed{'s' * (len(own) != 1)})"
        axes.plot(places, list(map(median, columns)), color=colour, label=label, lw=1.4)
        axes.fill_between(
            places, list(map(min, columns)), list(map(max, columns)), color=colour, alpha=0.25, lw=0
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain_frame(axes)
    axes.legend(frameon=False, fontsize=7)


def plain_frame(axes: Axes) -> None:
    """A grid, and no frame above and to the right."""
    axes.grid(color=GREY, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def image(name: str, alt: str) -> str:
    """The picture on a page."""
    return f"```{{image}} {name}\n:alt: {alt}\n:class: plot\n```\n"
