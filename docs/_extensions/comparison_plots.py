"""Plots that compare our accuracies with those of the papers, and kernels with memory bandwidth."""

from collections.abc import Mapping, Sequence
from math import prod
from statistics import mean
from typing import Any

from plots import COLOURS, GREY, plain_frame, plotted

from training.scoreboard import FigureComparison

Dots = Mapping[str, tuple[Sequence[float], float]]
"""For each model, our results (one per seed) and the result in the paper, in %."""


def dots_of(board: Sequence[FigureComparison], titles: Mapping[str, str]) -> dict[str, Dots]:
    """Group comparisons of our results with a paper's by the panels of a plot.

    There is a panel for each experiment, metric, and size or share of the training set.

    Args:
        board: the comparisons with one paper.
        titles: the titles of the experiments.
    """
    panels: dict[str, list[FigureComparison]] = {}
    for one in sorted(board, key=lambda one: (list(titles).index(one.experiment), _share(one))):
        where = [titles[one.experiment]]
        if "share" in one.group.settings:
            where.append(
                "Table 6" if one.source.endswith(" 6") else f"{100 * _share(one):g} % of the sentences"
            )
        if one.row.startswith("size small"):
            where.append("small set")
        kind = one.figure.removeprefix("test accuracy in %").replace(" in %", "")
        panels.setdefault("\n".join(filter(None, (", ".join(where), kind))), []).append(one)
    return {
        panel: {_label(one, own): (one.values, one.printed) for one in own} for panel, own in panels.items()
    }


def _share(one: FigureComparison) -> float:
    share: float = one.group.settings.get("share", 1.0)
    return 0.0 if one.model == "rules" else share


def _label(one: FigureComparison, panel: Sequence[FigureComparison]) -> str:
    """Return the label of a row: its model and settings, without those that the whole panel shares."""
    shared = set.intersection(*(set(other.row.split(", ")) for other in panel if other.model != "rules"))
    settings = [text for text in one.row.split(", ") if text and text not in shared]
    models = {other.model for other in panel}
    return ", ".join([one.model, *settings] if len(models) > 1 or not settings else settings)


def dot_plot(groups: Mapping[str, Dots], columns: int) -> str:
    """Draw a panel for each group of results, and return the plot as SVG.

    A dot is our mean, a line is the range of our seeds, and a ring is the result in the paper.
    """
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
            rows_of_dots = range(len(dots) - 1, -1, -1)  # the first one is at the top
            ours, papers = zip(*dots.values(), strict=True)
            axes.hlines(rows_of_dots, [*map(min, ours)], [*map(max, ours)], color=COLOURS[0], lw=1.2)
            axes.plot([*map(mean, ours)], rows_of_dots, "o", color=COLOURS[0], ms=4, label="ours")
            axes.plot(papers, rows_of_dots, "o", mfc="none", mec=COLOURS[1], ms=6, label="paper")
            axes.set_yticks(rows_of_dots, list(dots), fontsize=7)
            axes.set_title(title, fontsize=9)
            axes.margins(y=0.5 / len(dots))
            plain_frame(axes)
        handles, labels = panels[0, 0].get_legend_handles_labels()
        panels[0, 0].figure.legend(handles[:2], labels[:2], loc="outside upper right", ncols=2, frameon=False)
        panels[-1, 0].set_xlabel("%")

    return plotted(draw, rows, columns, 0.17 * (sum(heights) + 4 * rows), 7.4, 8.0)


def speed_groups(measured: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the values of the bars that compare speeds, in groups.

    Each device has up to two groups: our speeds relative to the memory bandwidth, and the times of other
    programs divided by ours. They are those of the largest measured shape.

    Args:
        measured: the results of ``bench/scan.py`` by the device's name.
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
    """Draw one panel of horizontal bars, in named groups, with a line at 1, and return it as SVG."""
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
