"""A finite set of reached states (a net), in which nearby states are merged."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from automata.errors import LimitReached
from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Array, Points
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

CANDIDATES = 40
"""Number of nearest nodes for which the distance in the node's own metric is computed."""
AT_ONCE = 200
"""Number of states that are compared with the nodes at a time, which limits the memory for metrics."""
Key = tuple[int, int, tuple[int, ...]]


@dataclass
class Reference:
    """Metrics at the nodes of a coarser net; a state uses the metric of the nearest suitable node.

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
        keyed: Whether a node represents all states with the same last symbols, of shape ``(N,)``.
        origins: The nearest node of the coarser net (see :class:`Reference`), or -1, of shape ``(N,)``.
    """

    centers: Array
    states: np.ndarray
    edges: np.ndarray
    keyed: np.ndarray
    origins: np.ndarray

    def __len__(self) -> int:
        return len(self.states)


@dataclass
class WrongDecision(Exception):
    """Raised if the decisions of the network and the automaton differ after a string.

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
    until: float,
) -> Net:
    """Return a net of the reached states.

    Args:
        network: The network.
        machine: The automaton, with the expected decision as the output of each state.
        spacing: For each automaton state, the distance up to which a new state is merged with a node.
        reference: The metrics in which distances are measured; Euclidean distances if None.
        keyed: The automaton states whose nodes are keyed by the symbols since the state was entered, each
            with the maximum number of symbols in a key.
        most: Maximum number of nodes.
        until: The value of ``time.monotonic()`` at which to stop.

    Raises:
        LimitReached: If there are more than ``most`` nodes, or the time is up.
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
    table, outputs = np.array(machine.table), np.array(machine.outputs)
    states[0], count, first = machine.start, 1, 0

    while first < count:
        old, last = centers[first:count], count
        for symbol in range(symbols):
            if time.monotonic() > until:
                raise LimitReached("the time limit was reached")
            vectors = network.step(Points(old), np.full(len(old), symbol)).center
            following = table[states[first:last], symbol]
            wrong = np.flatnonzero(network.decide(vectors) != outputs[following])
            if len(wrong):
                raise WrongDecision([*_access(parents, first + int(wrong[0])), symbol])
            known = np.full(len(old), -1)
            for state in set(following.tolist()) - set(keyed):
                if members[state]:
                    rows = np.flatnonzero(following == state)
                    for some in np.array_split(rows, 1 + len(rows) // AT_ONCE):
                        near = _near(members[state], centers, factors, vectors[some], float(spacing[state]))
                        known[some] = near
            edges[first:last, symbol] = known
            for node in (first + np.flatnonzero(known < 0)).tolist():
                vector, state = vectors[node - first], int(following[node - first])
                key = _next_key(keys.get(node), int(states[node]), state, symbol, keyed)
                target = -1
                if key is not None:
                    target = by_key.get(key, -1)
                elif members[state]:
                    # this level may have added nodes
                    target = int(
                        _near(members[state], centers, factors, vector[None], float(spacing[state]))[0]
                    )
                if target < 0:
                    if count > most:
                        raise LimitReached(f"a finer partition would need more than {most} regions")
                    target, count = count, count + 1
                    centers[target], states[target] = vector, state
                    parents.append((node, symbol))
                    if key is not None:
                        keys[target], by_key[key], is_keyed[target] = key, target, True
                    else:
                        members[state].append(target)
                    if reference is not None and factors is not None:
                        origin = origins[target] = reference.nearest(state, vector)
                        factors[target] = reference.factors[origin] if origin >= 0 else np.eye(size)
                edges[node, symbol] = target
        first = last
    return Net(centers[:count], states[:count], edges[:count], is_keyed[:count], origins[:count])


def _access(parents: Sequence[tuple[int, int]], node: int) -> list[int]:
    """Return the symbols of the string by which the search reached a node."""
    word = []
    while node > 0:
        node, symbol = parents[node]
        word.append(symbol)
    return word[::-1]


def _next_key(key: Key | None, before: int, state: int, symbol: int, keyed: dict[int, int]) -> Key | None:
    """Return the key of the next node, or None if its state is not keyed.

    A key has the state, the state before it was entered (-1 if the word is cut), and the last symbols since
    then.
    """
    if state not in keyed:
        return None
    length = keyed[state]
    word = (symbol,) if key is None or before != state else (*key[2], symbol)
    entered = before if key is None or before != state else key[1]
    return (state, entered, word) if len(word) <= length else (state, -1, word[-length:])


def _near(
    members: list[int], centers: Array, factors: Array | None, vectors: Array, spacing: float
) -> np.ndarray:
    """Return, for each vector, the nearest node among ``members``, or -1 if none is within ``spacing``."""
    nodes = np.array(members)
    squares = (
        (vectors**2).sum(1)[:, None] - 2 * vectors @ centers[nodes].T + (centers[nodes] ** 2).sum(1)[None, :]
    )
    few = min(CANDIDATES, len(nodes))
    chosen = nodes[np.argpartition(squares, few - 1, axis=1)[:, :few]]
    differences = vectors[:, None, :] - centers[chosen]
    if factors is not None:
        differences = np.matmul(factors[chosen], differences[..., None])[..., 0]
    squares = np.einsum("nkd,nkd->nk", differences, differences)
    best = squares.argmin(1)
    rows = np.arange(len(vectors))
    return np.where(squares[rows, best] <= spacing**2, chosen[rows, best], -1)
