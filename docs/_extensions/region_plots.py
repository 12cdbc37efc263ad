"""Drawing of the regions with which a trained network of two units is certified."""

import time
from functools import cache
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import NDArray
from plots import COLOURS, GREY, plain_frame, plotted
from torch import nn

from ratproof import DFA, classifier
from ratproof.api.machines import machine_of
from ratproof.certification.ordinary_networks.certificate import to_json
from ratproof.certification.ordinary_networks.recognise import network_of_module
from ratproof.certification.ordinary_networks.search import find_regions
from ratproof.checkers import check_regions

Points = NDArray[np.float64]

NO_00 = DFA(("0", "1"), start=0, table=((1, 0), (2, 0), (2, 2)), final=frozenset({0, 1}))
TITLES = ("no zero at the end", "a zero at the end", "two zeros in a row")
"""The meanings of the automaton's states."""
WEIGHTS = {
    "rnn.weight_ih_l0": [[-0.35, 0.8], [2.65, -0.55]],
    "rnn.weight_hh_l0": [[1.1, -2.65], [-1.3, 0.2]],
    "rnn.bias_ih_l0": [0.55, 0.3],
    "rnn.bias_hh_l0": [0.65, 0.45],
    "linear.weight": [[4.95, -1.9]],
    "linear.bias": [1.45],
}
"""The weights of a network that ``harden`` trained with seed 1, rounded to multiples of 0.05."""
STRINGS, LENGTH = 400, 40
MAPPED = 1
"""The automaton state of the region in the right panel."""
SHIFTS = np.array([[0.3, -0.14], [-0.3, 0.0]])
"""The offset of each symbol's label from the middle of its arrow."""
LIMIT = 1.25


def pages() -> dict[str, str]:
    """Return the plot, keyed by its path."""
    return {"claims/regions.svg": region_plot()}


@cache
def certified_nodes() -> list[dict[str, Any]]:
    """Return the nodes of a certificate for the network, with regions for single symbols.

    Raises:
        ValueError: If the network is not certified.
    """
    module = classifier(nn.RNN(2, 2), nn.Linear(2, 1))
    module.load_state_dict({name: torch.tensor(values) for name, values in WEIGHTS.items()})
    network = network_of_module(module, embeddings="one-hot", alphabet=["0", "1"]).network
    machine = machine_of(NO_00, network.alphabet, network.decisions).minimal()
    regions = find_regions(network, machine, time.monotonic() + 60)
    if isinstance(regions, str):
        raise ValueError(f"the network is not certified: {regions}")
    certificate = to_json(network, machine, regions)
    check_regions.verdict(certificate)  # type: ignore[no-untyped-call]
    nodes: list[dict[str, Any]] = certificate["nodes"]
    return nodes


def region_plot() -> str:
    """Draw a panel with all regions, and a panel with one region and its images under both symbols."""
    nodes = certified_nodes()
    outlines = [outline(node) for node in nodes]
    reached, states = _reached()

    def draw(panels: Any) -> None:
        left, right = panels[0]
        for node, shape in zip(nodes, outlines, strict=True):
            _fill(left, shape, COLOURS[node["state"]], 0.3)
            _fill(right, shape, COLOURS[node["state"]], 0.08)
        for state, title in enumerate(TITLES):
            own = reached[states == state]
            left.plot(own[:, 0], own[:, 1], ".", ms=2.5, color=COLOURS[state], label=f"{state}: {title}")
        chosen = max(
            (n for n, node in enumerate(nodes) if n and node["state"] == MAPPED),
            key=lambda n: np.ptp(outlines[n], 0).max(),
        )
        _fill(right, outlines[chosen], COLOURS[MAPPED], 0.5)
        for symbol in range(2):
            target = nodes[chosen]["next"][symbol]
            image = step(outlines[chosen], symbol)
            colour = COLOURS[nodes[target]["state"]]
            _fill(right, outlines[target], colour, 0.25)
            _fill(right, image, colour, 0.7)
            ends = outlines[chosen].mean(0), image.mean(0)
            arrow = {"arrowstyle": "->", "color": GREY, "shrinkA": 9, "shrinkB": 9}
            right.annotate("", xy=ends[1], xytext=ends[0], arrowprops=arrow)
            right.text(
                *(sum(ends) / 2 + SHIFTS[symbol]), f"symbol {symbol}", color=GREY, ha="center", fontsize=8
            )
        for axes in (left, right):
            _decision(axes)
            axes.set_xlim(-LIMIT, LIMIT)
            axes.set_ylim(-LIMIT, LIMIT)
            axes.set_aspect("equal")
            axes.set_xlabel("first unit")
            plain_frame(axes)
        left.set_ylabel("second unit")
        left.set_title("all regions, and reached states", fontsize=9)
        right.set_title("one region, and its images", fontsize=9)
        handles, labels = left.get_legend_handles_labels()
        left.figure.legend(
            handles, labels, loc="outside lower center", ncols=3, frameon=False, markerscale=4, fontsize=8
        )

    return plotted(draw, 1, 2, 4.2)


def outline(node: dict[str, Any]) -> Points:
    """Return the outline of a node's region, shape ``(N, 2)``.

    It consists of the corners of a box, or of points on the boundary of an ellipse.
    """
    center = np.array([float.fromhex(x) for x in node["center"]])
    if "width" in node:
        width = np.array([float.fromhex(x) for x in node["width"]])
        corners: Points = center + width * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        return corners
    (a, b), (c,) = ([float.fromhex(x) for x in row] for row in node["factor"])
    angles = np.linspace(0, 2 * np.pi, 100)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    boundary: Points = center + np.linalg.solve(np.array([[a, b], [0, c]]), circle).T
    return boundary


def _fill(axes: Axes, outline: Points, colour: str, alpha: float) -> None:
    axes.add_patch(Polygon(outline, facecolor=colour, alpha=alpha, lw=0))
    axes.add_patch(Polygon(outline, fill=False, edgecolor=colour, lw=0.8))


def step(states: Points, symbol: int) -> Points:
    """Return the states to which the network moves from these states on a symbol."""
    inputs = np.array(WEIGHTS["rnn.weight_ih_l0"])[:, symbol]
    biases = np.array(WEIGHTS["rnn.bias_ih_l0"]) + np.array(WEIGHTS["rnn.bias_hh_l0"])
    following: Points = np.tanh(states @ np.array(WEIGHTS["rnn.weight_hh_l0"]).T + inputs + biases)
    return following


def _reached() -> tuple[Points, NDArray[np.int64]]:
    """Return the network states and automaton states along random strings, without near duplicates."""
    rng = np.random.default_rng(0)
    points, states = [], []
    for _ in range(STRINGS):
        state, vector = NO_00.start, np.zeros((1, 2))
        for symbol in rng.random(LENGTH) < rng.uniform(0.3, 0.9):
            vector = step(vector, int(symbol))
            state = NO_00.table[state][int(symbol)]
            points.append(vector[0])
            states.append(state)
    _, kept = np.unique(np.round(points, 2), axis=0, return_index=True)  # one dot for each visible position
    return np.array(points)[kept], np.array(states)[kept]


def _decision(axes: Axes) -> None:
    """Draw the decision boundary, on which the classifier's output is 0."""
    (first, second), bias = WEIGHTS["linear.weight"][0], WEIGHTS["linear.bias"][0]
    heights = np.array([-LIMIT, LIMIT])
    axes.plot(-(second * heights + bias) / first, heights, "--", color=GREY, lw=1.2)
    axes.text(-(second * 1.15 + bias) / first + 0.05, 1.15, "accept", color=GREY, fontsize=8, va="top")
    axes.text(
        -(second * 1.15 + bias) / first - 0.05, 1.15, "reject", color=GREY, fontsize=8, ha="right", va="top"
    )
