"""Which states of an automaton lead where, by transitions whose weights are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Weights
from automata.sparse_matrix import SMALL, Places

if TYPE_CHECKING:
    from automata.wfsa import WFSA

Edges = tuple[Places, Places]
"""The sources and the targets of transitions."""


def transition_edges(automaton: WFSA) -> Edges:
    """The transitions, epsilon among them, without their symbols."""
    if "matrices" in automaton.__dict__:  # arrays: each edge once, whatever number of symbols it reads
        zero = automaton.semiring.zero
        step = (automaton.matrices != zero).any(axis=0)
        step[automaton.epsilon_table.rows, automaton.epsilon_table.columns] = True
        sources, targets = np.nonzero(step)
        return sources, targets
    tables = [*automaton.tables, automaton.epsilon_table]
    return np.concatenate([t.rows for t in tables]), np.concatenate([t.columns for t in tables])


def reachable(states: Weights, edges: Edges) -> NDArray[np.bool_]:
    """The states that the edges lead to from ``states``, these among them; both of shape ``(n,)``."""
    known = np.asarray(states, dtype=bool)
    sources, targets = edges
    if len(known) > SMALL:
        return _searched(known, sources, targets)
    while True:
        larger = known.copy()
        larger[targets[known[sources]]] = True
        if (larger == known).all():
            return known
        known = larger


def _searched(known: NDArray[np.bool_], sources: Places, targets: Places) -> NDArray[np.bool_]:
    """The same breadth first, from one more state that leads to all that are known."""
    from scipy.sparse import coo_array  # here, since scipy takes long to import
    from scipy.sparse.csgraph import breadth_first_order

    n, first = len(known), np.flatnonzero(known)
    rows = np.concatenate([sources, np.full(len(first), n)])
    columns = np.concatenate([targets, first])
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n + 1, n + 1)).tocsr()
    order = breadth_first_order(graph, n, directed=True, return_predecessors=False)
    result = np.zeros(n + 1, dtype=bool)
    result[order] = True
    return result[:n]


def useful_states(automaton: WFSA) -> NDArray[np.bool_]:
    """Return for each state whether it is on a path from an initial to a final state, shape ``(n,)``."""
    zero, (sources, targets) = automaton.semiring.zero, transition_edges(automaton)
    forth = reachable(automaton.initial != zero, (sources, targets))
    return forth & reachable(automaton.final != zero, (targets, sources))


def dead_states(automaton: WFSA) -> NDArray[np.bool_]:
    """Return for each state whether no path leads to a final state, shape ``(n,)``."""
    sources, targets = transition_edges(automaton)
    return ~reachable(automaton.final != automaton.semiring.zero, (targets, sources))


def components(nodes: int, sources: Places, targets: Places) -> tuple[Places, Places]:
    """For each node the number of its strongly connected part: an edge leads to the same part, or to one of a
    higher number. And the nodes, sorted by that.

    >>> parts, order = components(4, np.array([2, 0, 1]), np.array([0, 1, 0]))  # 2 -> 0 <-> 1, and 3 alone
    >>> bool(parts[0] == parts[1]), bool(parts[2] < parts[0]), len(set(parts.tolist()))
    (True, True, 3)
    """
    from scipy.sparse import coo_array  # here, since scipy takes long to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(sources), dtype=np.int8), (sources, targets)), shape=(nodes, nodes))
    count, label = connected_components(graph.tocsr(), directed=True, connection="strong")
    one, two = label[sources], label[targets]
    between = one != two
    pairs = np.unique(np.stack([one[between], two[between]]), axis=1)
    after: list[list[int]] = [[] for _ in range(count)]
    for i, j in pairs.T.tolist():
        after[i].append(j)
    waits = np.bincount(pairs[1], minlength=count).tolist()
    ready, rank = [i for i in range(count) if not waits[i]], np.zeros(count, dtype=np.intp)
    for place, i in enumerate(ready):  # grows
        rank[i] = place
        for j in after[i]:
            waits[j] -= 1
            if not waits[j]:
                ready.append(j)
    parts = rank[label]
    return parts, np.argsort(parts, kind="stable")
