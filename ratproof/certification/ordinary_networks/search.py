"""The search for regions, which treats one strongly connected component of the automaton after another."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from automata.reachability import components
from ratproof.certification.ordinary_networks.arithmetic import Array
from ratproof.certification.ordinary_networks.metrics import contracting_metrics, recenter, upper_factors
from ratproof.certification.ordinary_networks.net import Net, Reference, explore
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.regions import TINY, Regions, grow

MOST_NODES = 4000
SPACINGS = tuple(0.3 / 2.1**i for i in range(15))
"""Distances in a node's metric up to which states are merged."""
RATES = (0.5, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97, 0.985, 0.995)
"""Rates of contraction, from small to large. The search uses the first rate for which metrics exist."""
TRACES = (3e3, 1e5)
"""Maximum traces of metrics, from small to large. The search uses the first for which metrics exist."""
BOX_SLACK = 1.03
COARSER = 4
"""Maximum ratio of merging distances: that of an earlier component to that of the component that failed."""
ROUNDS, MORE_ROUNDS = 60, 12
"""Maximum number of updates of metrics that start from identities, or from the metrics of a coarser net."""


@dataclass(frozen=True)
class Cover:
    """A way to cover the network's states in a component of the automaton with regions.

    The regions are ellipsoids around reached states, or one box for each key: a sequence of last symbols.

    Attributes:
        spacing: Distance up to which states are merged; 0 for boxes.
        key: Number of symbols in the key of a box; 0 for ellipsoids.
    """

    spacing: float
    key: int


@dataclass
class Component:
    """A strongly connected component of the automaton.

    Attributes:
        covers: The covers that are still to be tried, the current one first.
        rate: The contraction rate of its metrics; None if there are none yet.
    """

    covers: list[Cover]
    rate: float | None = None


def find_regions(
    network: OrdinaryNetwork, machine: Moore, until: float, progress: Callable[[str], None] = lambda _: None
) -> Regions | str:
    """Search for regions with constant decisions such that each symbol maps every region into a region.

    Args:
        network: The network.
        machine: The minimal automaton, with the expected decision as the output of each state.
        until: The value of ``time.monotonic()`` at which to stop.
        progress: Called with a description of the current work.

    Returns:
        The regions, or why none were found.

    Raises:
        WrongDecision: If the network's decision after the string of a node is wrong.
    """
    part_of = _parts(machine)
    parts = [Component(_covers(machine, np.flatnonzero(part_of == p))) for p in range(part_of.max() + 1)]
    reference: Reference | None = None
    metrics: Array | None = None
    reason = ""
    while True:
        covers = [part.covers[0] for part in parts]
        spacing = np.array([covers[p].spacing for p in part_of])
        keyed = {q: covers[p].key for q, p in enumerate(part_of) if covers[p].key}
        try:
            net = explore(network, machine, spacing, reference, keyed, MOST_NODES, until)
            progress(f"proving {len(net)} regions")
            part_numbers = part_of[net.states]
            metrics = _metrics(network, net, part_numbers, parts, metrics, until)
            factors = upper_factors(metrics)
            recenter(network, net, factors, until)
        except LimitReached as limit:
            return f"{reason}, and {limit}" if reason else str(limit)
        regions = _small(net, machine, factors)
        failed, why = _first_failure(network, regions, part_numbers, parts, until)
        if failed is None:
            return regions
        states = ", ".join(str(q) for q in np.flatnonzero(part_of == failed)[:4])
        reason = f"{why} (in state {states} of the automaton)"
        if not _refine(parts, failed) or time.monotonic() > until:
            return reason
        plain = ~net.keyed
        reference, metrics = Reference(net.centers[plain], net.states[plain], factors[plain]), metrics[plain]


def _refine(parts: Sequence[Component], failed: int) -> bool:
    """Select the next cover of the component that failed; return ``False`` if no cover is left.

    Earlier components are refined as well, because their images must lie in the regions of the failed
    component.
    """
    parts[failed].covers.pop(0)
    if not parts[failed].covers:
        return False
    wanted = COARSER * parts[failed].covers[0].spacing
    for part in parts[:failed]:
        if wanted and part.covers[0].spacing > wanted and len(part.covers) > 1:
            part.covers.pop(0)
    return True


def _parts(machine: Moore) -> np.ndarray:
    """Return the index of each state's strongly connected component.

    No symbol leads from a component to one with a lower index.
    """
    sources = np.repeat(np.arange(machine.states), len(machine.alphabet))
    parts, _ = components(machine.states, sources, np.array(machine.table, dtype=np.intp).ravel())
    return np.asarray(parts)


def _covers(machine: Moore, states: np.ndarray) -> list[Cover]:
    """Return the covers of a component, in the order in which they are tried.

    Boxes are only used for absorbing states, in which all strings have the same decision.
    """
    nets = [Cover(spacing, 0) for spacing in SPACINGS]
    if len(states) > 1 or set(machine.table[states[0]]) != {int(states[0])}:
        return nets
    most = 7 if len(machine.alphabet) == 2 else 4 if len(machine.alphabet) < 5 else 2
    boxes = [Cover(0.0, key) for key in range(1, most + 1, 2)]
    # boxes with short keys, then coarse nets, then longer keys and finer nets alternately
    turns = [boxes[0], *boxes[1:2], *nets[:2]]
    for box, finer in zip([*boxes[2:], *[None] * len(nets)], nets[2:], strict=False):
        turns += [finer] if box is None else [box, finer]
    return turns


def _metrics(
    network: OrdinaryNetwork,
    net: Net,
    part_numbers: np.ndarray,
    parts: Sequence[Component],
    coarser: Array | None,
    until: float,
) -> Array:
    """Return a metric for each node, computed from the last component to the first.

    Args:
        network: The network.
        net: The nodes.
        part_numbers: The index of each node's component.
        parts: The components. Their rates are set, to None if no metrics were found.
        coarser: The metrics of the nodes that ``net.origins`` refers to, or None.
        until: The value of ``time.monotonic()`` at which to stop.
    """
    metrics = np.array(np.broadcast_to(np.eye(network.size), (len(net), network.size, network.size)))
    if coarser is not None:
        known = net.origins >= 0
        metrics[known] = coarser[net.origins[known]]
    for index in reversed(range(len(parts))):
        part, nodes = parts[index], np.flatnonzero(part_numbers == index)
        if part.covers[0].key:
            continue
        first, part.rate = part.rate, None
        for most, rate in itertools.product(TRACES, RATES):
            if first is None or rate >= first:
                rounds = MORE_ROUNDS if rate == first else ROUNDS
                contracting = contracting_metrics(network, net, nodes, rate, rounds, metrics, until, most)
                if contracting is not None:
                    metrics, part.rate = contracting, rate
                    break
    return metrics


def _small(net: Net, machine: Moore, factors: Array) -> Regions:
    labels = np.array(machine.outputs)[net.states]
    radii, widths = np.full(len(net), TINY), np.full_like(net.centers, TINY)
    return Regions(net.states, labels, net.edges, net.centers, net.keyed, factors, radii, widths)


def _first_failure(
    network: OrdinaryNetwork,
    regions: Regions,
    part_numbers: np.ndarray,
    parts: Sequence[Component],
    until: float,
) -> tuple[int | None, str]:
    """Return the first component whose regions cannot be closed, and the reason; None if there is none."""
    for index, part in enumerate(parts):
        if part.covers[0].key:
            slack = BOX_SLACK
        elif part.rate is None:
            return index, "differences of states do not shrink"
        else:
            slack = 1 + 0.15 * (1 - part.rate)
        try:
            why = grow(network, regions, np.flatnonzero(part_numbers == index), slack, until)
        except LimitReached as limit:
            why = str(limit)
        if why is not None:
            return index, why
    return None, ""
