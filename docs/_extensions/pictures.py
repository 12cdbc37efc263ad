"""Drawing of the figures on the experiments' pages."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from plots import COLOURS, GREY, bands, plain_frame, plotted

from training.images.prototypes import GREYS
from training.language_recognition.states_along import read

Runs = Sequence[dict[str, Any]]


def learning_curves(panels: Mapping[str, Mapping[str, Runs]]) -> str:
    """Draw the dev errors in %, with a panel for each method and a curve for each model."""

    def draw(axes: Any) -> None:
        for own, (title, models) in zip(axes[0], panels.items(), strict=True):
            curves = {
                name: [[100 * (1 - epoch["dev_accuracy"]) for epoch in run["history"]] for run in runs]
                for name, runs in models.items()
            }
            bands(own, curves)
            own.set_title(title, fontsize=9)
            own.set_xlabel("epochs of 100 steps")
            own.set_ylim(bottom=0)
        axes[0, 0].set_ylabel("dev error in %")

    return plotted(draw, 1, len(panels), 3.0)


def errors(series: Mapping[str, Sequence[Sequence[float]]], columns: Sequence[str]) -> str:
    """Draw the test errors, with a line through the means and a dot for each seed.

    Each model has one colour. Curves of the paper's training method are dashed.

    Args:
        series: the errors of each seed, as fractions, keyed by ``model, method``.
        columns: the names of the errors.
    """
    models = list(dict.fromkeys(name.split(", ")[0] for name in series))
    colours = dict(zip(models, COLOURS, strict=False))

    def draw(axes: Any) -> None:
        own: Axes = axes[0, 0]
        for name, seeds in series.items():
            colour = colours[name.split(", ")[0]]
            values = 100 * np.array(seeds)
            dashed = "--" if "paper" in name else "-"
            own.plot(range(len(columns)), values.mean(axis=0), dashed, color=colour, label=name, lw=1.4)
            for row in values:
                own.plot(range(len(columns)), row, ".", color=colour, ms=3)
        own.set_yscale("symlog", linthresh=0.1)
        own.set_ylim(bottom=0)
        own.set_yticks([0, 0.1, 1, 10, 50], ["0", "0.1", "1", "10", "50"])
        own.set_xticks(range(len(columns)), [column.replace(", ", "\n") for column in columns], fontsize=7)
        own.set_ylabel("error in %")
        plain_frame(own)
        own.figure.legend(frameon=False, fontsize=7, ncols=2, loc="outside upper center")

    return plotted(draw, 1, 1, 4.0)


def reach(kept: Mapping[str, Runs]) -> str:
    """Draw a heat map for each name: the mean error of its runs by nesting depth and string length."""
    columns = min(4, len(kept))
    rows = -(-len(kept) // columns)

    def draw(axes: Any) -> None:
        for own in axes.flat[len(kept) :]:
            own.set_axis_off()
        for own, (name, runs) in zip(axes.flat, kept.items(), strict=False):
            one = runs[0]["reach"]
            shares = np.array([run["reach"]["errors"] for run in runs], dtype=float).mean(axis=0)
            own.imshow(100 * shares, cmap="viridis_r", vmin=0, vmax=50, aspect="auto", origin="lower")
            for (i, j), share in np.ndenumerate(100 * shares):
                colour = "white" if share > 25 else "black"
                own.text(j, i, f"{share:.3g}", ha="center", va="center", fontsize=6, color=colour)
            own.set_xticks(range(len(one["lengths"])), map(str, one["lengths"]), fontsize=7)
            own.set_yticks(range(len(one["depths"])), map(str, one["depths"]), fontsize=7)
            own.set_title(f"{name} ({len(runs)})", fontsize=8)
        for own in axes[:, 0]:
            own.set_ylabel("depth")
        for own in axes[-1]:
            own.set_xlabel("length")

    return plotted(draw, rows, columns, 2.6 * rows)


def states(kept: Mapping[str, dict[str, Any]]) -> str:
    """Draw the states h and c of each named network along a string of parentheses.

    The nesting depth of the string is grey.
    """

    def draw(axes: Any) -> None:
        for row, (name, along) in zip(axes, kept.items(), strict=True):
            string = along["string"]
            depth = np.cumsum([0, *((symbol == "(") - (symbol == ")") for symbol in string)])
            for own, key in zip(row, ("h", "c"), strict=True):
                if key not in along:
                    own.set_axis_off()
                    continue
                for number, line in enumerate(read(along[key])):
                    own.plot(line, color=COLOURS[number % len(COLOURS)], lw=0.8)
                if key == "c":
                    own.plot(depth, color=GREY, lw=2.5, alpha=0.5, zorder=0)
                    # the curves of units that count letters leave this range
                    own.set_ylim(-depth.max() - 4, depth.max() + 4)
                own.set_xticks(range(len(string) + 1), ["", *string], fontsize=4)
                own.set_title(f"{name}: {'hidden' if key == 'h' else 'cell'} state", fontsize=8)
                plain_frame(own)
                own.grid(visible=False, axis="x")

    return plotted(draw, len(kept), 2, 1.9 * len(kept))


def centroids(along: dict[str, Any]) -> str:
    """Draw a network's centroids, their mean probabilities by rank, and the probabilities along a string."""

    def draw(axes: Any) -> None:
        left, middle, right = axes[0]
        left.imshow(np.array(read(along["centroids"])), cmap="coolwarm", aspect="auto")
        left.set_xlabel("unit")
        left.set_ylabel("centroid")
        middle.bar(range(1, len(along["ranked"]) + 1), along["ranked"], color=COLOURS[0])
        middle.set_xlabel("rank")
        middle.set_ylabel("mean probability")
        plain_frame(middle)
        right.imshow(np.array(read(along["alpha"])), cmap="gray", vmin=0, vmax=1, aspect="auto")
        string = along["string"]
        right.set_xticks(range(len(string) + 1), ["", *string], fontsize=4)
        right.set_yticks(range(len(along["alpha"])))
        right.set_ylabel("centroid")

    return plotted(draw, 1, 3, 2.2)


def over_time(kept: dict[str, Any]) -> str:
    """Draw a heat map of the centroids' probabilities along a string; 1 is white."""

    def draw(axes: Any) -> None:
        own: Axes = axes[0, 0]
        own.imshow(np.array(read(kept["alpha"])), cmap="gray", vmin=0, vmax=1, aspect="auto")
        own.set_xticks(range(len(kept["string"]) + 1), ["start", *kept["string"]], fontsize=7)
        own.set_yticks(range(len(kept["centroids"])), map(str, kept["centroids"]), fontsize=7)
        own.set_ylabel("centroid")

    return plotted(draw, 1, 1, 0.7 + 0.18 * len(kept["centroids"]))


def prototypes(rows: Sequence[Sequence[str]], side: int) -> str:
    """Draw a grid of images with grey lines between them. Each image is a string with a letter per pixel."""
    levels = {letter: level / (len(GREYS) - 1) for level, letter in enumerate(GREYS)}
    tiles = np.full((len(rows) * (side + 1) - 1, len(rows[0]) * (side + 1) - 1), 0.5)
    for r, row in enumerate(rows):
        for c, letters in enumerate(row):
            picture = np.array([levels[letter] for letter in letters]).reshape(side, side)
            tiles[r * (side + 1) :, c * (side + 1) :][:side, :side] = picture
    return _grey([tiles], [])


def of_sentences(sentences: Sequence[Sequence[Sequence[Any]]]) -> str:
    """Draw the probabilities of the centroids along each sentence: a column per word, a row per centroid."""
    panels = [np.array([row for _, row in sentence]).T for sentence in sentences]
    return _grey(panels, [[word for word, _ in sentence] for sentence in sentences])


def _grey(panels: Sequence[NDArray[np.float64]], words: Sequence[Sequence[str]]) -> str:
    def draw(axes: Any) -> None:
        for number, (own, panel) in enumerate(zip(axes[:, 0], panels, strict=True)):
            own.imshow(panel, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            own.set_axis_off()
            if words:
                own.set_axis_on()
                own.set_xticks(range(len(words[number])), words[number], rotation=90, color=GREY)
                own.set_yticks(range(len(panel)), map(str, range(len(panel))), color=GREY)

    tall = sum(panel.shape[0] / panel.shape[1] for panel in panels)
    return plotted(draw, len(panels), 1, 6.4 * tall + 1.1 * len(words), 6.4)
