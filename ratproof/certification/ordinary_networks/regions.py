"""Regions that a network maps into one another, found by growing them from the states that it reaches."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from ratproof.certification.ordinary_networks.arithmetic import Array, Forms
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

ROOM = 1.002
"""Factor by which a region is at least larger than the images that it must contain."""
TINY = 1e-4
LARGEST = 1e4


@dataclass
class Regions:
    """The nodes of a proof: each has a region, and a successor for each symbol.

    The region of node n is the ellipsoid ``|factors[n] @ (x - centers[n])|_2 <= radii[n]``, or, for boxes,
    ``|x - centers[n]| <= widths[n]`` in each entry.

    Attributes:
        states: The automaton's state of each node, of shape ``(N,)``.
        edges: The successors, of shape ``(N, symbols)``. Node 0 has the start state.
        centers: Shape ``(N, D)``.
        boxes: Whether the region is a box, of shape ``(N,)``.
        factors: Upper triangular matrices of shape ``(N, D, D)``; not used for boxes.
        radii: Shape ``(N,)``; not used for boxes.
        widths: Shape ``(N, D)``; not used for ellipsoids.
    """

    states: np.ndarray
    edges: np.ndarray
    centers: Array
    boxes: np.ndarray
    factors: Array
    radii: Array
    widths: Array

    def __len__(self) -> int:
        return len(self.states)

    def forms(self, nodes: np.ndarray, inverses: Array) -> Forms:
        """Return the regions of nodes of one kind as affine forms."""
        box = bool(self.boxes[nodes[0]])
        if box:
            generators = self.widths[nodes][:, :, None] * np.eye(self.centers.shape[1])
        else:
            generators = inverses[nodes] * self.radii[nodes, None, None]
        return Forms.region(self.centers[nodes], generators, box)


def grow(network: OrdinaryNetwork, regions: Regions, until: float, nodes: np.ndarray, slack: float, rounds: int = 1000) -> str:
    """Enlarge the regions until each symbol maps each of them into the successor's.

    Args:
        network: The network.
        regions: Small regions, which are enlarged in place.
        until: The value of ``time.monotonic()`` at which to stop.
        rounds: Maximum number of enlargements.

    Returns:
        The empty string, or why there are no such regions.

    Raises:
        LimitReached: If the time is up.
    """
    inverses = np.linalg.inv(regions.factors)
    mine = np.zeros(len(regions), bool)
    mine[nodes] = True
    # the nodes before these are done, but their images enlarge these
    changed = mine | np.isin(regions.edges, nodes).any(1)
    for _ in range(rounds):
        wanted_radii, wanted_widths = np.zeros_like(regions.radii), np.zeros_like(regions.widths)
        for box in (False, True):
            for symbol in range(regions.edges.shape[1]):
                rows = np.flatnonzero(changed & (regions.boxes == box) & mine[regions.edges[:, symbol]])
                if len(rows):
                    image = network.step(regions.forms(rows, inverses), np.full(len(rows), symbol))
                    _require(regions, regions.edges[rows, symbol], image, wanted_radii, wanted_widths)
        if time.monotonic() > until:
            raise LimitReached("the time limit was reached while regions were enlarged")
        # the checker rounds outwards, so that a region must be a little larger than needed
        wanted_radii, wanted_widths = wanted_radii * ROOM, wanted_widths * ROOM
        larger = (wanted_radii > regions.radii) & ~regions.boxes
        wider = (wanted_widths > regions.widths) & regions.boxes[:, None]
        changed = larger | wider.any(1)
        if not (np.isfinite(wanted_radii).all() and np.isfinite(wanted_widths).all()):
            return "a region is not finite"
        if not changed.any():
            return ""
        regions.radii = np.where(larger, wanted_radii * slack, regions.radii)
        regions.widths = np.where(wider, wanted_widths * slack, regions.widths)
        if max(regions.radii.max(), regions.widths.max()) > LARGEST or undecided(network, regions, nodes):
            return "a region grew until the decision changed"
    return "the regions did not stop growing"


def _require(
    regions: Regions, targets: np.ndarray, image: Forms, radii: Array, widths: Array
) -> None:
    """Raise the wanted radii and widths of the targets to those that contain the images."""
    middles = regions.centers[targets]
    offsets = image.center - middles
    box = regions.boxes[targets]
    np.maximum.at(widths, targets[box], np.maximum(image.high - middles, middles - image.low)[box])
    ball = np.flatnonzero(~box)
    factors = regions.factors[targets[ball]]
    moved = np.linalg.norm((factors @ offsets[ball, :, None])[..., 0], axis=1)
    generators = factors @ image.generators[ball]
    if image.box:
        stretched = np.linalg.norm(np.abs(generators).sum(2), axis=1)
    else:
        squares = generators @ generators.swapaxes(1, 2)
        stretched = np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[:, -1], 0)) if len(ball) else moved
    error = np.linalg.norm((np.abs(factors) @ image.error[ball, :, None])[..., 0], axis=1)
    np.maximum.at(radii, targets[ball], moved + stretched + error)


def undecided(network: OrdinaryNetwork, regions: Regions, which: np.ndarray) -> bool:
    """Return whether a region contains states with different decisions, or with another than its center."""
    inverses = None
    for box in (False, True):
        nodes = which[regions.boxes[which] == box]
        if not len(nodes):
            continue
        if inverses is None:
            inverses = np.linalg.inv(regions.factors)
        form = regions.forms(nodes, inverses)
        expected = network.decide(form.center)
        margins = network.margins(form, expected)
        wrong = (margins.low <= 0).any(1)
        if wrong[nodes > 0].any() or (wrong.any() and (regions.edges == 0).any()):
            return True
    return False
