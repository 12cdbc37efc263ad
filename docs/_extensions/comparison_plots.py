"""Plots that compare our accuracies with those of the papers, and kernels with their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from plots import COLOURS, GREY, plain_frame, plotted

from training.scoreboard import FigureComparison

Dots = Mapping[str, tuple[Sequence[float], float]]
"""For each model our figures, one per seed, and that of the paper, in %."""


def dots_of(board: Sequence[FigureComparison], titles: Mapping[str, str]) -> dict[str, Dots]:
    """Return a panel for each experiment, table and kind of figure.

    Args:
        board: the figures of a paper.
        titles: the titles of the experiments.
    """
    plot: dict[str, dict[str, tuple[Sequence[float], float]]] = {}
    for one in board:
        settings = dict(item.rsplit(" ", 1) for item in one.row.split(", ") if item)
        share = settings.pop("share", "1.0" if one.experiment in ("atis", "qc", "sms") else "")
        where = f"{titles[one.experiment]}, {100 * float(share):g} %" if share else titles[one.experiment]
        kind = one.figure.removeprefix("test accuracy in %").replace(" in %", "")
        panel = "\n".join(filter(None, (f"{where}{', small' if settings.pop('size', '') else ''}", kind)))
        label = ", ".join([one.model, *(f"{name} {value}" for name, value in settings.items())])
        plot.setdefault(panel, {})[label] = one.values, one.printed
    return dict(plot)


def dot_plot(groups: Mapping[str, Dots], columns: int = 3) -> str:
    """Return a panel for each experiment: a dot for our mean, a line over our seeds, a ring for the paper."""
    rows = -(-len(groups) // columns)
    heights = [
        max(len(dots) for dots in list(groups.values())[columns * row : columns * (row + 1)])
        for row in range(rows)
    ]

    def draw(panels: Any) -> None:
        panels[0, 0].figure.set_layout_engine("constrained", h_pad=0.08)
        panels[0, 0].get_gridspec().set_height_ratios([height + 2 for height in heights])
        for axes in panels.flat[len(groups) :]:
            axes.set_axis_off()
        for axes, (title, dots) in zip(panels.flat, groups.items(), strict=False):
            for y, (ours, paper) in enumerate(reversed(dots.values())):
                axes.plot([min(ours), max(ours)], [y, y], color=COLOURS[0], lw=1.2)
                axes.plot(sum(ours) / len(ours), y, "o", color=COLOURS[0], ms=4, label="ours")
                axes.plot(paper, y, "o", mfc="none", mec=COLOURS[1], ms=6, label="paper")
            axes.set_yticks(range(len(dots)), list(reversed(dots)), fontsize=7)
            axes.set_title(title, fontsize=9)
            axes.margins(y=0.5 / len(dots))
            plain_frame(axes)
        handles, labels = panels[0, 0].get_legend_handles_labels()
        panels[0, 0].figure.legend(handles[:2], labels[:2], loc="outside upper right", ncols=2, frameon=False)
        panels[-1, 0].set_xlabel("%")

    return plotted(draw, rows, columns, 0.17 * (sum(heights) + 4 * rows), 7.4, 8.0)


def speed_groups(measured: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the bars of the recurrences: shares of memory's speed, and other programs' times over ours.

    Args:
        measured: the results of ``bench/scan.py`` by the device's name; the largest shape is shown.
    """
    groups: dict[str, dict[str, float]] = {}
    for device, results in measured.items():
        largest = max(results["shapes"], key=lambda one: prod(one["shape"]))
        shares = groups.setdefault(f"{device}: speed of {largest['beside']} = 1", {})
        for name, row in largest["recurrences"].items():
            shares[f"{device}: {name}, forward"] = row["share"]
            shares[f"{device}: {name}, with backward"] = row["share_backward"]
        others = {
            f"{device}: {name}": row["ratio"]
            for name, row in (largest["others"] | largest["published"]).items()
        }
        if others:
            groups[f"{device}: time of another program over ours"] = others
    return groups


def bar_chart(groups: Mapping[str, Mapping[str, float]], title: str) -> str:
    """Return one panel of horizontal bars, in named groups, with a line at 1."""
    labels = [(group, name) for group, bars in groups.items() for name in bars]

    def draw(panels: Any) -> None:
        axes = panels[0, 0]
        shades = dict(zip(groups, COLOURS, strict=False))
        for y, (group, name) in enumerate(reversed(labels)):
            value = groups[group][name]
            axes.barh(y, value, color=shades[group], height=0.7)
            axes.text(
                value * 1.03, y, f"{value:.2f}" if value < 10 else f"{value:.0f}", va="center", fontsize=7
            )
        axes.set_yticks(range(len(labels)), [name for _, name in reversed(labels)], fontsize=7)
        axes.axvline(1, color=GREY, lw=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel(title)
        handles = [axes.barh([0], [0], color=shade) for shade in shades.values()]
        axes.legend(handles, list(shades), loc="lower right", frameon=False, fontsize=7)
        plain_frame(axes)

    return plotted(draw, 1, 1, 0.19 * len(labels) + 0.8)
