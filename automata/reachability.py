"""Reachability of states by transitions with nonzero weight."""

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
    """Return for each state whether it is one of ``states`` or reachable from them.

    The argument ``states`` and the result are boolean arrays of shape ``(n,)``.
    """
    known = np.asarray(states, dtype=bool)
    sources, targets = edges
    if len(known) > SMALL:
        from automata.graph_loops import reached  # imported here because numba is slow to import

        return reached(known, *_by_source(len(known), sources, targets))
    while True:
        larger = known.copy()
        larger[targets[known[sources]]] = True
        if (larger == known).all():
            return known
        known = larger


def useful_states(automaton: WFSA) -> NDArray[np.bool_]:
    """Return for each state whether it is on a path from an initial to a final state, shape ``(n,)``."""
    zero, (sources, targets) = automaton.semiring.zero, transition_edges(automaton)
    from_start = reachable(automaton.initial != zero, (sources, targets))
    return from_start & reachable(automaton.final != zero, (targets, sources))


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
    from automata.graph_loops import strong_components  # imported here because numba is slow to import

    parts = strong_components(*_by_source(nodes, sources, targets))
    return parts, np.argsort(parts, kind="stable")


def _by_source(nodes: int, sources: Places, targets: Places) -> Edges:
    """Return the edges in the format of :mod:`automata.graph_loops`."""
    offsets = np.zeros(nodes + 1, dtype=np.intp)
    np.cumsum(np.bincount(sources, minlength=nodes), out=offsets[1:])
    return offsets, np.asarray(targets, dtype=np.intp)[np.argsort(sources, kind="stable")]
