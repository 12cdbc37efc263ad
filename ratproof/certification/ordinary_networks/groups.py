"""Groups of symbols that an automaton does not distinguish, such as the words that no rule mentions.

A proof treats a group as one symbol: the input of the first layer is the center of the group's inputs, with
an error that covers all of them. For an alphabet of hundreds of words, a proof for each word would be too
slow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import UNIT
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

Groups = list[list[int]]
ROOM = 1e-6
"""The share by which errors are larger than needed in float64, because the checker rounds outwards."""


def symbol_groups(machine: Moore) -> Groups:
    """Return the indices of the symbols, in groups of symbols that lead from each state to the same state.

    >>> symbol_groups(Moore(("a", "b", "c"), 0, ((0, 1, 0), (1, 1, 1)), (0, 1)))
    [[0, 2], [1]]
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for symbol, column in enumerate(zip(*machine.table, strict=True)):
        groups.setdefault(column, []).append(symbol)
    return list(groups.values())


def grouped(network: OrdinaryNetwork, machine: Moore, groups: Groups) -> tuple[OrdinaryNetwork, Moore]:
    """Return the network and the automaton over the first symbol of each group."""
    first = [group[0] for group in groups]
    alphabet = tuple(network.alphabet[symbol] for symbol in first)
    table = tuple(tuple(row[symbol] for symbol in first) for row in machine.table)
    layer, centers, spread = network.layers[0], [], []
    for group in groups:
        vectors = network.embeddings[group]
        center = vectors.mean(0)
        distances = np.abs((vectors - center) @ layer.input_weight.T).max(0)
        # the rounding of a symbol's input may be larger than that of the center, which the step adds
        terms = vectors.shape[1] + network.units + 6
        rounding = terms * UNIT * (np.abs(vectors - center) @ np.abs(layer.input_weight).T).max(0)
        centers.append(center)
        spread.append((1 + ROOM) * (distances + rounding))
    joined = replace(network, embeddings=np.array(centers), alphabet=alphabet, spread=np.array(spread))
    return joined, replace(machine, alphabet=alphabet, table=table)
