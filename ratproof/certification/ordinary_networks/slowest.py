"""The cycle of symbols along which a network forgets most slowly."""

from __future__ import annotations

import itertools

import numpy as np

from automata.aliases import Symbols
from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.counterexamples import access_words
from ratproof.certification.ordinary_networks.metrics import jacobians
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

REPETITIONS = 300
MOST_CYCLES = 200


def slowest_cycle(network: OrdinaryNetwork, machine: Moore) -> tuple[Symbols, float]:
    """Return the short word whose repetition shrinks differences of states least, and its factor per symbol.

    After many repetitions of a word of n symbols, r is the spectral radius of the word's Jacobian. The factor
    is r^(1/n). A factor near or above 1 explains why a proof for all lengths fails.
    """
    symbols = len(network.alphabet)
    cycles = [word for n in (1, 2, 3) for word in itertools.product(range(symbols), repeat=n)][:MOST_CYCLES]
    bases = access_words(machine)[:MOST_CYCLES]
    slowest: tuple[tuple[int, ...], float] = (), -1.0
    starts = []
    for base in bases:
        state = network.start[None]
        for symbol in base:
            state = network.step(Points(state), np.array([symbol])).center
        starts.append(state[0])
    for cycle in cycles:
        states = np.stack(starts)
        for _ in range(REPETITIONS // len(cycle)):
            for symbol in cycle:
                states = network.step(Points(states), np.full(len(states), symbol)).center
        product = np.broadcast_to(np.eye(network.size), (len(states), network.size, network.size))
        for symbol in cycle:
            product = jacobians(network, states, symbol) @ product
            states = network.step(Points(states), np.full(len(states), symbol)).center
        radius = float(np.abs(np.linalg.eigvals(product)).max()) ** (1 / len(cycle))
        if radius > slowest[1] + 1e-9:
            slowest = cycle, radius
    return tuple(network.alphabet[symbol] for symbol in slowest[0]), slowest[1]
