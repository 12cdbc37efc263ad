"""Regions such that each symbol maps every region into one of these regions.

They are found by enlarging small regions around reached states.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from ratproof.certification.ordinary_networks.arithmetic import Array, Forms
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

ROOM = 1.002
"""A region is larger than the images that it must contain by at least this factor."""
TINY = 1e-4
"""Initial radius and width of a region."""
LARGEST = 1e4
MOST_ROUNDS = 1000


@dataclass
class Regions:
    """The nodes of a proof: each has a region, and a successor for each symbol.

    The region of node n is the ellipsoid ``|factors[n] @ (x - centers[n])|_2 <= radii[n]``, or, for boxes,
    ``|x - centers[n]| <= widths[n]`` in each entry.

    Attributes:
        states: The automaton's state of each node, of shape ``(N,)``.
        labels: The expected decision of each node, of shape ``(N,)``.
        edges: The successors, of shape ``(N, symbols)``. Node 0 has the start state.
        centers: Shape ``(N, D)``.
        boxes: Whether the region is a box, of shape ``(N,)``.
        factors: Upper triangular matrices of shape ``(N, D, D)``; not used for boxes.
        radii: Shape ``(N,)``; not used for boxes.
        widths: Shape ``(N, D)``; not used for ellipsoids.
    """

    states: np.ndarray
    labels: np.ndarray
    edges: np.ndarray
    centers: Array
    boxes: np.ndarray
    factors: Array
    radii: Array
    widths: Array

    def __len__(self) -> int:
        return len(self.states)

    def forms(self, nodes: np.ndarray, inverses: Array) -> Forms:
        """Return the regions of nodes, which must be all boxes or all ellipsoids, as affine forms."""
        box = bool(self.boxes[nodes[0]])
        if box:
            generators = self.widths[nodes][:, :, None] * np.eye(self.centers.shape[1])
        else:
            generators = inverses[nodes] * self.radii[nodes, None, None]
        return Forms.region(self.centers[nodes], generators, box)


def inverse(factors: Array) -> Array:
    """Return the inverses of matrices, of shape ``(N, D, D)``."""
    return np.asarray(np.linalg.inv(factors), dtype=np.float64)


def grow(
    network: OrdinaryNetwork, regions: Regions, nodes: np.ndarray, slack: float, until: float
) -> str | None:
    """Enlarge regions until each symbol maps every region into its successor's region.

    Args:
        network: The network.
        regions: The regions, which are enlarged in place. Regions that are not in ``nodes`` already have
            their final size.
        nodes: The nodes to enlarge; no later node leads to them.
        slack: Factor by which a region is enlarged beyond its need.
        until: The value of ``time.monotonic()`` at which to stop.

    Returns:
        None, or why there are no such regions.

    Raises:
        LimitReached: If the time is up.
    """
    inverses = inverse(regions.factors)
    mine = np.zeros(len(regions), bool)
    mine[nodes] = True
    changed = mine | mine[regions.edges].any(1)
    for _ in range(MOST_ROUNDS):
        if time.monotonic() > until:
            raise LimitReached("the time limit was reached")
        radii, widths = np.zeros_like(regions.radii), np.zeros_like(regions.widths)
        for box in (False, True):
            for symbol in range(regions.edges.shape[1]):
                rows = np.flatnonzero(changed & (regions.boxes == box) & mine[regions.edges[:, symbol]])
                if len(rows):
                    image = network.step(regions.forms(rows, inverses), np.full(len(rows), symbol))
                    _require(regions, regions.edges[rows, symbol], image, radii, widths)
        # the checker rounds outwards, so that a region must be a little larger than needed
        larger = (radii * ROOM > regions.radii) & ~regions.boxes
        wider = (widths * ROOM > regions.widths) & regions.boxes[:, None]
        changed = larger | wider.any(1)
        if not (np.isfinite(radii).all() and np.isfinite(widths).all()):
            return "a region is not finite"
        if not changed.any():
            return (
                "a region contains states with different decisions"
                if undecided(network, regions, nodes)
                else None
            )
        regions.radii = np.where(larger, radii * slack, regions.radii)
        regions.widths = np.where(wider, widths * slack, regions.widths)
        too_large = max(regions.radii.max(), regions.widths.max()) > LARGEST
        if too_large or undecided(network, regions, np.flatnonzero(changed)):
            return "a region contains hidden states with different decisions"
    return "the regions did not stop growing"


def _require(regions: Regions, targets: np.ndarray, image: Forms, radii: Array, widths: Array) -> None:
    """Increase ``radii`` and ``widths`` in place until the regions of the target nodes contain the images."""
    middles = regions.centers[targets]
    offsets = image.center - middles
    box = regions.boxes[targets]
    np.maximum.at(widths, targets[box], np.maximum(image.high - middles, middles - image.low)[box])
    ball = np.flatnonzero(~box)
    factors = regions.factors[targets[ball]]
    moved = np.linalg.norm((factors @ offsets[ball, :, None])[..., 0], axis=1)
    generators = factors @ image.generators[ball]
    if len(ball) and image.box:
        raise ValueError("a box leads to an ellipsoid, which the checker does not support")
    squares = generators @ generators.swapaxes(1, 2)
    stretched = np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[:, -1], 0)) if len(ball) else moved
    error = np.linalg.norm((np.abs(factors) @ image.error[ball, :, None])[..., 0], axis=1)
    np.maximum.at(radii, targets[ball], moved + stretched + error)


def undecided(network: OrdinaryNetwork, regions: Regions, which: np.ndarray) -> bool:
    """Return whether a region may contain a state whose decision differs from that of its automaton state.

    Node 0 is ignored if no edge leads to it, because the claim is about nonempty strings.
    """
    inverses = inverse(regions.factors)
    for box in (False, True):
        nodes = which[regions.boxes[which] == box]
        if len(nodes):
            margins = network.margins(regions.forms(nodes, inverses), regions.labels[nodes])
            wrong = np.any(margins.low <= 0, axis=1)
            if np.any(wrong[nodes > 0]) or (np.any(wrong) and (regions.edges == 0).any()):
                return True
    return False
