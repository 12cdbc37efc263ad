"""The figures on the pages of claims.

A function that is decorated with :func:`figure` computes and draws the figure of one claim. To add a figure,
add a function to a module of this package.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from matplotlib.axes import Axes
from plots import plain_frame, plotted

from theory.reading import Recurrence
from theory.signature import Signature
from theory.weights import Weights

Draw = Callable[..., None]
"""A function that draws on the axes of each panel."""
_figures: dict[str, ClaimFigure] = {}


@dataclass(frozen=True)
class ClaimFigure:
    """A row of panels that shows what a claim states.

    Attributes:
        titles: the titles of the panels, from left to right.
        caption: a description of the panels, of the objects that they are drawn from, and of what they show.
        draw: called with the axes of the panels.
    """

    titles: tuple[str, ...]
    caption: str
    draw: Draw

    def svg(self) -> str:
        """Return the figure as SVG, with a title, a frame and a legend in each panel."""

        def draw(panels: Any) -> None:
            self.draw(*panels[0])
            for axes, title in zip(panels[0], self.titles, strict=True):
                axes.set_title(title, fontsize=9)
                if axes.get_legend_handles_labels()[0] and axes.get_legend() is None:
                    axes.legend(frameon=False, fontsize=7)
                if not axes.images:
                    plain_frame(axes)

        return plotted(draw, 1, len(self.titles), 2.8, 7.4 if len(self.titles) > 1 else 5.2, 8.0)


def figure(claim: str, *titles: str, caption: str) -> Callable[[Draw], Draw]:
    """Register the decorated function, which draws the figure of a claim."""

    def register(draw: Draw) -> Draw:
        _figures[claim] = ClaimFigure(titles, caption, draw)
        return draw

    return register


@cache
def figures() -> dict[str, ClaimFigure]:
    """Return all figures by the names of their claims."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return _figures


def weights(signature: Signature, alphabet: str = "ab", **entries: Any) -> Weights:
    """Return the example weights of a claim's signature, with these entries replaced."""
    example = signature.example(alphabet)
    return replace(example, entries={**example.entries, **entries})


def outputs(network: Recurrence, w: Weights, word: str) -> list[Any]:
    """Return the output of a network with one output after each prefix of the word."""
    return [value for (value,) in network.values(w, word)]


def curves(
    axes: Axes,
    titles: tuple[str, str],
    lines: Mapping[str, Sequence[float]],
    x: Sequence[float] = (),
    formats: Sequence[str] = ("o-", "s-", "^-", "v-", "D-"),
    **options: Any,
) -> None:
    """Plot named lines on a panel.

    Args:
        axes: the axes of the panel.
        titles: the titles of the x-axis and the y-axis.
        lines: the values of each line by the line's name.
        x: the abscissas of the values; 0, 1, 2, ... by default.
        formats: matplotlib's formats of the lines.
        options: options of all lines.
    """
    for (name, values), form in zip(lines.items(), formats, strict=False):
        axes.plot(x or range(len(values)), values, form, label=name, **{"ms": 3, "lw": 1.2, **options})
    axes.set_xlabel(titles[0])
    axes.set_ylabel(titles[1])
