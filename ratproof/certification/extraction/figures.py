"""The paper's figures of a network (Wang & Niepert 2019, Figures 3, 4 and 8).

They show its automata, and its transition probabilities at different temperatures.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from automata import drawing
from automata.aliases import Floats, String, Symbol, Symbols
from automata.extras import require_extra
from automata.moore import Moore
from ratproof.certification.extraction.probabilities import along, over_temperatures, probabilistic
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.floats import Points
from ratproof.certification.soft_networks.hard import HardAutomaton, labelled_outputs, language
from ratproof.certification.soft_networks.numbers import Numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 0.02
"""Minimum probability at which a centroid appears in figures."""


TEMPERATURES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


def string_100(alphabet: Sequence[Symbol]) -> Symbols:
    """Return the string 100 of Figure 3, with the last symbol for 1 and the first symbol for 0."""
    return (alphabet[-1], alphabet[0], alphabet[0])


def draw_all(
    numbers: Numbers, answer: Certification, string: String, taus: Sequence[float]
) -> dict[str, str | None]:
    """Return all figures of a network by their file names, with ``None`` for a missing automaton.

    Args:
        numbers: The network at its own temperature.
        answer: The certification, with both automata.
        string: The string of the bar chart.
        taus: Increasing temperatures; the heat map spans them.
    """
    grid = (
        [taus[0] ** (1 - step / 60) * taus[-1] ** (step / 60) for step in range(61)]
        if len(taus) > 1
        else taus
    )
    return {
        "hard.svg": hard_automaton(answer.hard),
        "soft.svg": soft_automaton(answer),
        "probabilistic.svg": probabilistic_automaton(numbers, answer.hard),
        "probabilities.svg": bars(numbers, string, taus),
        "temperatures.svg": heat_map(numbers, answer.hard, grid),
    }


def hard_automaton(automaton: HardAutomaton) -> str | None:
    """Return the hard automaton as SVG (Figures 3 right, 4 and 8), or ``None`` if there is a tie.

    Its states have the names of their centroids.
    """
    return _drawn(automaton.machine())


def soft_automaton(answer: Certification) -> str | None:
    """Return the soft network's automaton as SVG, or ``None`` if no boxes were proved."""
    return _drawn(answer.soft)


def _drawn(machine: Moore | None) -> str | None:
    if machine is None:
        return None
    names = [str(centroid) for centroid, _ in labelled_outputs(machine)]
    return drawing.svg(language(machine), names=names)


def probabilistic_automaton(numbers: Numbers, automaton: HardAutomaton) -> str:
    """Return the automaton of a network with sampled transitions as SVG, with their probabilities."""
    final = [i for i, accepts in enumerate(automaton.accepts) if accepts]
    pfa = probabilistic(numbers)
    return drawing.svg(pfa, names=[str(i) for i in range(pfa.states)], final=final, min_probability=LEAST)


def bars(numbers: Numbers, string: String, temperatures: Sequence[float]) -> str:
    """Return bar charts of the centroids' probabilities alpha as SVG (Figure 3 left).

    There is one row per temperature. The columns are the start and the symbols of the string.
    """
    alpha = along(numbers, string, temperatures)
    centroids = _visible_centroids(alpha)
    columns = ["S" if numbers.start_token else "start", *map(_plain, string)]
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(
        len(temperatures),
        len(columns),
        sharex=True,
        sharey=True,
        squeeze=False,
        figsize=(1.2 + 1.3 * len(columns), 0.6 + 0.9 * len(temperatures)),
    )
    for row, tau in enumerate(temperatures):
        for column, name in enumerate(columns):
            axis = axes[row, column]
            axis.bar(range(len(centroids)), alpha[row, column, centroids], color="#336699")
            axis.set_ylim(0, 1.05)
            axis.set_xticks(range(len(centroids)), [str(i) for i in centroids], fontsize=6)
            if row == 0:
                axis.set_title(name)
            if column == 0:
                axis.set_ylabel(f"τ = {tau:g}", fontsize=8)
    return _svg(pyplot, figure)


def heat_map(numbers: Numbers, automaton: HardAutomaton, temperatures: Sequence[float]) -> str:
    """Return a heat map of the transition probabilities at each temperature, as SVG.

    There is one row for each transition: a reachable centroid, a symbol and a next centroid.
    """
    tables = over_temperatures(numbers, temperatures)
    reached = automaton.reachable or [int(Points(numbers).first().argmax())]
    rows = [
        (f"{i}, {_plain(symbol)} → {j}", tables[:, i, a, j])
        for i in reached
        for a, symbol in enumerate(numbers.alphabet)
        for j in _visible_centroids(tables[:, i, a])
    ]
    pyplot = _pyplot()
    figure, axis = pyplot.subplots(figsize=(7, 1.2 + 0.18 * len(rows)))
    image = axis.pcolormesh(
        list(temperatures),
        range(len(rows)),
        np.stack([values for _, values in rows]),
        cmap="viridis",
        vmin=0,
        vmax=1,
        shading="nearest",
        rasterized=True,  # vector cells would have hairlines between them
    )
    axis.set_xscale("log")
    axis.set_xlabel("temperature τ")
    axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=6)
    axis.invert_yaxis()
    figure.colorbar(image, label="probability")
    return _svg(pyplot, figure)


def _visible_centroids(alpha: Floats) -> list[int]:
    """Return the centroids whose largest probability is at least LEAST."""
    return [int(i) for i in np.flatnonzero(alpha.reshape(-1, alpha.shape[-1]).max(axis=0) >= LEAST)]


def _plain(symbol: Symbol) -> str:
    """Escape dollar signs in a symbol, because matplotlib would read them as a formula."""
    return str(symbol).replace("$", r"\$")


def _pyplot() -> ModuleType:
    require_extra("training", "a figure of probabilities")
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ratproof"  # makes the text reproducible
    from matplotlib import pyplot

    return pyplot


def _svg(pyplot: ModuleType, figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
