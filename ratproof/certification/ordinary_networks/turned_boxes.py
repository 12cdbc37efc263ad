"""Regions for Coq's checker: boxes that are rotated to the directions in which the states lie.

The region of a node is the set of the states x with ``|basis.T @ (x - center)| <= widths`` in each entry. The
basis is orthogonal: its columns are the principal axes of the images of the regions that lead to the node. In
these axes, directions in which the network contracts slowly hardly widen the regions in its fast directions.
Therefore, such regions can often be closed even if boxes along the axes of the units cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Array, Duals
from ratproof.certification.ordinary_networks.net import Net, WrongDecision, explore
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.slopes import Slopes

SPACINGS = tuple(0.6 / 1.4**i for i in range(15))
"""Distances up to which states are merged, from large to small."""
MOST_NODES = 1000
TURNS, WIDENINGS = 6, 60
"""Number of updates of the bases, and number of widenings for each update."""
ROUNDS = 400
TINY = 1e-4
"""Initial width of a region."""
ROOM, SLACK = 1.03, 1.05
"""Ratio of a region's width to the width of the images in it: required (``ROOM``) and chosen (``SLACK``).

Coq's enclosures are wider than those here, for one network by up to 1.2 %.
"""


@dataclass(frozen=True)
class TurnedBoxes:
    """Regions that each symbol maps into each other.

    Attributes:
        net: The nodes. Their centers are those of the regions.
        bases: Shape ``(N, D, D)``.
        widths: Shape ``(N, D)``.
    """

    net: Net
    bases: Array
    widths: Array


def turned_boxes(network: OrdinaryNetwork, machine: Moore, until: float) -> Iterator[TurnedBoxes]:
    """Yield regions that each symbol maps into each other, for finer and finer nets.

    Args:
        network: The network.
        machine: The minimal automaton, with the expected decision as the output of each state.
        until: The value of ``time.monotonic()`` at which to stop.
    """
    for spacing in SPACINGS:
        try:
            net = explore(network, machine, np.full(machine.states, spacing), None, {}, MOST_NODES, until)
        except (LimitReached, WrongDecision):
            return
        bases = _principal_axes(network, net)
        widths = _closed(network, machine, net, bases)
        if widths is not None:
            yield TurnedBoxes(net, bases, widths)


def _principal_axes(network: OrdinaryNetwork, net: Net) -> Array:
    """Return a basis for each node: the principal axes of the linear images of the boxes that lead to it."""
    nodes, symbols = net.edges.shape
    bases = np.array(np.broadcast_to(np.eye(network.size), (nodes, network.size, network.size)))
    states = Duals(net.centers, bases)
    jacobians = np.stack([network.step(states, np.full(nodes, s)).generators for s in range(symbols)], 1)
    widths = np.ones(net.centers.shape)
    for _ in range(TURNS):
        images = (jacobians @ (bases * widths[:, None])[:, None]).reshape(nodes * symbols, *bases.shape[1:])
        for node in np.unique(net.edges):
            rows = np.flatnonzero(net.edges.ravel() == node)
            bases[node] = np.linalg.svd(np.concatenate(images[rows], 1), full_matrices=False)[0]
        turned = np.abs(bases[net.edges].swapaxes(-1, -2) @ jacobians @ bases[:, None])
        widths = np.ones(net.centers.shape)
        for _ in range(WIDENINGS):
            wider = np.full_like(widths, 1e-12)
            for symbol in range(symbols):
                np.maximum.at(wider, net.edges[:, symbol], (turned[:, symbol] @ widths[..., None])[..., 0])
            widths = wider / wider.max() + 1e-3
    return bases


def _closed(network: OrdinaryNetwork, machine: Moore, net: Net, bases: Array) -> Array | None:
    """Return widths with which each symbol maps each region into its successor's, or None."""
    widths = np.full(net.centers.shape, TINY)
    labels = np.array(machine.outputs)[net.states]
    first = 0 if (net.edges == 0).any() else 1  # the claim is about nonempty strings
    for _ in range(ROUNDS):
        regions = Slopes.region(net.centers, bases * widths[:, None])
        margins = network.margins(regions, labels).tightened()
        if (margins.low <= margins.error)[first:].any():
            return None
        needed = np.zeros_like(widths)
        for symbol, targets in enumerate(net.edges.T):
            image = network.step(regions, np.full(len(net), symbol))
            turn = bases[targets].swapaxes(1, 2)
            offset = np.abs((turn @ (image.center - net.centers[targets])[..., None])[..., 0])
            slopes = np.abs(turn @ image.slope) + np.abs(turn) @ image.spread
            rounding = (np.abs(turn) @ image.error[..., None])[..., 0]
            np.maximum.at(needed, targets, offset + slopes.sum(-1) + rounding)
        narrow = needed * ROOM > widths
        if not narrow.any():
            return widths
        widths = np.where(narrow, needed * SLACK, widths)
    return None
