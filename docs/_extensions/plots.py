"""Drawing of plots as SVG without a background, in colours that are legible on white and on black."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

GREY = "#7a7a7a"
COLOURS = ("#3a86d1", "#d9822b", "#4f9d4f", "#b0509f", "#a08a2c", "#cc5555")
_STOPS = [(0, COLOURS[1]), (0.5, f"{COLOURS[1]}00"), (0.5, f"{COLOURS[0]}00"), (1, COLOURS[0])]
_SIGNED = LinearSegmentedColormap.from_list("signed", _STOPS)
_GREY_PARTS = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
Curve = Sequence[float]


def plotted(
    draw: Callable[[Any], None], rows: int, columns: int, height: float, width: float = 7.4, font: float = 9.0
) -> str:
    """Return a figure with a grid of panels as SVG.

    Args:
        draw: called with the panels' axes, an array of shape ``(rows, columns)``.
        rows: the number of rows of panels.
        columns: the number of columns of panels.
        height: the height of the figure, in inches.
        width: the width of the figure, in inches.
        font: the size of the letters, in points.
    """
    style: dict[Any, Any] = {"svg.hashsalt": "ratproof", "font.size": font}
    style |= {"axes.prop_cycle": cycler(color=COLOURS), **dict.fromkeys(_GREY_PARTS, GREY)}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.subplots(rows, columns, squeeze=False))
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def log_log(
    lines: Iterable[tuple[Mapping[int, float], str, dict[str, Any]]],
    titles: tuple[str, str],
    legend: bool = True,
    **ticks: Any,
) -> str:
    """Draw lines on a panel with logarithmic axes, and return it as SVG.

    Args:
        lines: for each line, its values keyed by x, its matplotlib format and its options.
        titles: the titles of the two axes.
        legend: whether to draw a legend.
        ticks: options for the tick labels.
    """

    def draw(panels: Any) -> None:
        axes: Axes = panels[0, 0]
        sizes = set[int]()
        for values, form, options in lines:
            axes.loglog(list(values), list(values.values()), form, **options)
            sizes |= values.keys()
        if legend:
            axes.legend(frameon=False)
        ordered = sorted(sizes)
        axes.set_xticks(ordered, [f"{size:,}" for size in ordered], **ticks)
        axes.set_xlabel(titles[0])
        axes.set_ylabel(titles[1])
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        plain_frame(axes)

    return plotted(draw, 1, 1, 3.8, 6.4, 10.0)


def bands(axes: Axes, curves: Mapping[str, Sequence[Curve]]) -> None:
    """Draw the median of the curves with the same name, and a band from their minimum to their maximum.

    A curve that ends before the longest one keeps its last value.
    """
    for (name, own), colour in zip(curves.items(), COLOURS, strict=False):
        longest = max(map(len, own))
        columns = [[curve[min(t, len(curve) - 1)] for curve in own] for t in range(longest)]
        steps = range(1, longest + 1)
        label = f"{name} ({len(own)} seed{'s' * (len(own) != 1)})"
        axes.plot(steps, list(map(median, columns)), color=colour, label=label, lw=1.4)
        low, high = list(map(min, columns)), list(map(max, columns))
        axes.fill_between(steps, low, high, color=colour, alpha=0.25, lw=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain_frame(axes)
    axes.legend(frameon=False, fontsize=7)


def heat_map(axes: Axes, values: NDArray[np.float64]) -> None:
    """Draw numbers in [-1, 1] as squares: positive ones in blue, negative ones in orange, and 0 clear."""
    axes.imshow(values, cmap=_SIGNED, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")


def plain_frame(axes: Axes) -> None:
    """Draw grid lines, and hide the upper and the right edge of the axes."""
    axes.grid(color=GREY, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
