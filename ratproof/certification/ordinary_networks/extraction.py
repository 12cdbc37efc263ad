"""Extraction of minimal automata from the states that a network reaches; nearby states are merged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

DISTANCES = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
MOST_NODES = 3000


def extracted(network: OrdinaryNetwork) -> Iterator[Moore]:
    """Yield automata in which reached states are merged up to smaller and smaller distances.

    An automaton that equals the previous one is skipped.
    """
    last = None
    for distance in DISTANCES:
        machine = _machine(network, distance)
        if machine is None:
            return
        if machine != last:
            yield machine
        last = machine


def _machine(network: OrdinaryNetwork, distance: float) -> Moore | None:
    """Return the minimal automaton of a breadth-first search, or None if the search reaches too many states.

    States with different decisions are never merged.
    """
    symbols = len(network.alphabet)
    states = [network.start]
    outputs = [int(network.decide(network.start[None])[0])]
    table: list[tuple[int, ...]] = []
    while len(table) < len(states):
        old = np.stack(states[len(table) :])
        images = [network.step(Points(old), np.full(len(old), a)).center for a in range(symbols)]
        decisions = [network.decide(image) for image in images]
        for row in range(len(old)):
            targets = []
            for image, decision in zip(images, decisions, strict=True):
                vector, output = image[row], int(decision[row])
                gaps = np.abs(np.stack(states) - vector).max(1)
                gaps[np.array(outputs) != output] = np.inf
                target = int(gaps.argmin())
                if gaps[target] > distance:
                    if len(states) >= MOST_NODES:
                        return None
                    target = len(states)
                    states.append(vector)
                    outputs.append(output)
                targets.append(target)
            table.append(tuple(targets))
    return Moore(network.alphabet, 0, tuple(table), tuple(outputs)).minimal()
