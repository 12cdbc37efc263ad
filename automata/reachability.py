"""Reachability of states by transitions of nonzero weight."""

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
    """Return the transitions, including epsilon, without their symbols."""
    if "matrices" in automaton.__dict__:  # dense: each edge once, even if it reads several symbols
        zero = automaton.semiring.zero
        step = (automaton.matrices != zero).any(axis=0)
        step[automaton.epsilon_table.rows, automaton.epsilon_table.columns] = True
        sources, targets = np.nonzero(step)
        return sources, targets
    tables = [*automaton.tables, automaton.epsilon_table]
    return np.concatenate([t.rows for t in tables]), np.concatenate([t.columns for t in tables])


def reachable(states: Weights, edges: Edges) -> NDArray[np.bool_]:
    """Return the states that are reachable from ``states``, which are included; both of shape ``(n,)``."""
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
    """Return the reachable states by breadth-first search from an extra state before all known ones."""
    from scipy.sparse import coo_array  # imported here because scipy is slow to import
    from scipy.sparse.csgraph import breadth_first_order

    n, first = len(known), np.flatnonzero(known)
    rows = np.concatenate([sources, np.full(len(first), n)])
    columns = np.concatenate([targets, first])
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n + 1, n + 1)).tocsr()
    order = breadth_first_order(graph, n, directed=True, return_predecessors=False)
    result = np.zeros(n + 1, dtype=bool)
    result[order] = True
    return result[:n]


def dead_states(automaton: WFSA) -> NDArray[np.bool_]:
    """Return for each state whether no path leads to a final state, shape ``(n,)``."""
    sources, targets = transition_edges(automaton)
    return ~reachable(automaton.final != automaton.semiring.zero, (targets, sources))


def components(nodes: int, sources: Places, targets: Places) -> tuple[Places, Places]:
    """Return each node's strongly connected component, and the nodes sorted by component.

    Components are numbered topologically: an edge leads to the same component or to a higher
    number.

    >>> parts, order = components(4, np.array([2, 0, 1]), np.array([0, 1, 0]))  # 2 -> 0 <-> 1, and 3 alone
    >>> bool(parts[0] == parts[1]), bool(parts[2] < parts[0]), len(set(parts.tolist()))
    (True, True, 3)
    """
    from scipy.sparse import coo_array  # imported here because scipy is slow to import
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
    for number, i in enumerate(ready):  # grows
        rank[i] = number
        for j in after[i]:
            waits[j] -= 1
            if not waits[j]:
                ready.append(j)
    parts = rank[label]
    return parts, np.argsort(parts, kind="stable")
