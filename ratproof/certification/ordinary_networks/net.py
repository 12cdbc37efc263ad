"""A net of the states that a network reaches: new states near a known one are merged with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Array, Points
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

CANDIDATES = 40
"""Number of nearest nodes for which the distance in the node's own metric is computed."""
Key = tuple[int, int, tuple[int, ...]]


@dataclass
class Reference:
    """Metrics at the nodes of a coarser net: a state uses that of the nearest node with its automaton state.

    Attributes:
        centers: Shape ``(N, D)``.
        states: The automaton's states, of shape ``(N,)``.
        factors: Upper triangular matrices T with the metric ``T.T @ T``, of shape ``(N, D, D)``.
    """

    centers: Array
    states: np.ndarray
    factors: Array

    def __post_init__(self) -> None:
        self._nodes = {q: np.flatnonzero(self.states == q) for q in set(self.states.tolist())}

    def nearest(self, state: int, vector: Array) -> int:
        """Return the nearest node with this automaton state, or -1."""
        nodes = self._nodes.get(state)
        if nodes is None:
            return -1
        return int(nodes[((self.centers[nodes] - vector) ** 2).sum(1).argmin()])


@dataclass
class Net:
    """The nodes of a breadth-first search.

    Attributes:
        centers: A state of the network for each node, of shape ``(N, D)``. Node 0 is the start.
        states: The automaton's states, of shape ``(N,)``.
        edges: The successors, of shape ``(N, symbols)``.
        keyed: Whether a node stands for all states with the same last symbols, of shape ``(N,)``.
        origins: The nearest node of the reference, or -1, of shape ``(N,)``.
        parents: The node and the symbol by which each node was reached first; (-1, -1) for node 0.
    """

    centers: Array
    states: np.ndarray
    edges: np.ndarray
    keyed: np.ndarray
    origins: np.ndarray
    parents: list[tuple[int, int]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.states)

    def access(self, node: int) -> list[int]:
        """Return the symbols of the string by which the search reached a node."""
        word = []
        while node > 0:
            node, symbol = self.parents[node]
            word.append(symbol)
        return word[::-1]


@dataclass
class WrongDecision(Exception):
    """The network decides otherwise than the automaton after this string.

    Attributes:
        word: The symbols' indices.
    """

    word: list[int]


def explore(
    network: OrdinaryNetwork,
    machine: Moore,
    spacing: Array,
    reference: Reference | None,
    keyed: dict[int, int],
    most: int,
) -> Net:
    """Return a net of the reached states.

    Args:
        network: The network.
        machine: The automaton, with the expected decision as the output of each state.
        spacing: For each automaton state, the distance up to which a new state is merged with a node.
        reference: Metrics for distances; the Euclidean distance without them.
        keyed: The automaton states whose nodes are keyed by the symbols since they were entered, with the
            number of the last symbols in the key.
        most: Maximum number of nodes.

    Raises:
        LimitReached: If there are more nodes.
        WrongDecision: If the decision at a new node is wrong.
    """
    size, symbols = network.size, len(machine.alphabet)
    centers, states = np.zeros((most + 1, size)), np.zeros(most + 1, int)
    factors = np.zeros((most + 1, size, size)) if reference is not None else None
    origins, is_keyed = np.full(most + 1, -1), np.zeros(most + 1, bool)
    edges, parents = np.zeros((most + 1, symbols), int), [(-1, -1)]
    keys: dict[int, Key] = {}
    by_key: dict[Key, int] = {}
    members: list[list[int]] = [[] for _ in range(machine.states)]
    states[0], count, first = machine.start, 1, 0

    def build() -> Net:
        return Net(centers[:count], states[:count], edges[:count], is_keyed[:count], origins[:count], parents)

    while first < count:
        old, last = centers[first:count], count
        for symbol in range(symbols):
            vectors = network.step(Points(old), np.full(len(old), symbol)).center
            decisions = network.decide(vectors)
            for node in range(first, last):
                vector, state = vectors[node - first], machine.table[states[node]][symbol]
                key = _next_key(keys.get(node), int(states[node]), state, symbol, keyed)
                target = None
                if key is not None:
                    target = by_key.get(key)
                elif members[state]:
                    target = _near(members[state], centers, factors, vector, float(spacing[state]))
                wrong = decisions[node - first] != machine.outputs[state]
                if target is None or wrong:
                    if count > most and not wrong:
                        raise LimitReached(f"there are more than {most} nodes")
                    target, count = min(count, most), min(count, most) + 1
                    centers[target], states[target] = vector, state
                    parents[target:] = [(node, symbol)]
                    if wrong:
                        raise WrongDecision(build().access(target))
                    if key is not None:
                        keys[target], by_key[key], is_keyed[target] = key, target, True
                    else:
                        members[state].append(target)
                    if reference is not None and factors is not None:
                        origin = origins[target] = reference.nearest(state, vector)
                        factors[target] = reference.factors[origin] if origin >= 0 else np.eye(size)
                edges[node, symbol] = target
        first = last
    return build()


def _next_key(key: Key | None, before: int, state: int, symbol: int, keyed: dict[int, int]) -> Key | None:
    """Return the key of the next node: its state, where the state was entered, and the last symbols since."""
    if state not in keyed:
        return None
    length = keyed[state]
    word = (symbol,) if key is None or before != state else (*key[2], symbol)
    entered = before if key is None or before != state else key[1]
    return (state, entered, word) if len(word) <= length else (state, -1, word[-length:])


def _near(
    members: list[int], centers: Array, factors: Array | None, vector: Array, spacing: float
) -> int | None:
    """Return the nearest of the nodes if it is within the distance."""
    nodes = np.array(members)
    differences = centers[nodes] - vector
    squares = np.einsum("nd,nd->n", differences, differences)
    if factors is not None:
        if len(nodes) > CANDIDATES:
            chosen = np.argpartition(squares, CANDIDATES)[:CANDIDATES]
            nodes, differences = nodes[chosen], differences[chosen]
        moved = np.matmul(factors[nodes], differences[:, :, None])[..., 0]
        squares = np.einsum("nd,nd->n", moved, moved)
    best = int(squares.argmin())
    return int(nodes[best]) if squares[best] <= spacing**2 else None
