"""Tests of graph searches against the transitive closure of the edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import reachability

NODES = st.integers(1, 9)


def graphs(nodes: int):
    """Draw edges between this many nodes; edges may be repeated."""
    edge = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    return st.tuples(st.just(nodes), st.lists(edge, max_size=20))


def closure(nodes: int, edges) -> np.ndarray:
    """Return the transitive closure: whether a path leads from node i to node j, shape ``(nodes, nodes)``."""
    paths = np.eye(nodes, dtype=bool)
    for i, j in edges:
        paths[i, j] = True
    for _ in range(nodes):
        paths = paths @ paths
    return paths


def columns(edges):
    """Return the sources and the targets of the edges as two arrays."""
    return tuple(np.array(edges, dtype=np.intp).reshape(-1, 2).T)


@given(NODES.flatmap(graphs))
def test_components_are_strongly_connected_and_in_topological_order(graph):
    nodes, edges = graph
    parts, order = reachability.components(nodes, *columns(edges))
    paths = closure(nodes, edges)
    assert ((parts[:, None] == parts) == (paths & paths.T)).all()
    assert all(parts[i] <= parts[j] for i, j in edges)
    assert sorted(order.tolist()) == list(range(nodes)) and (np.diff(parts[order]) >= 0).all()
    assert set(parts.tolist()) == set(range(len(set(parts.tolist()))))


@pytest.mark.parametrize("small", [0, 64], ids=["compiled", "numpy"])
@given(NODES.flatmap(lambda n: st.tuples(graphs(n), st.sets(st.integers(0, n - 1)))))
def test_reachable_states_are_the_ends_of_paths(small, case):
    (nodes, edges), first = case
    known = np.isin(np.arange(nodes), list(first))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reachability, "SMALL", small)
        reached = reachability.reachable(known, columns(edges))
    assert (reached == closure(nodes, edges)[known].any(axis=0)).all()


def test_a_long_chain_takes_no_recursion():
    nodes = 200_000
    chain = np.arange(nodes - 1), np.arange(1, nodes)
    assert reachability.reachable(np.arange(nodes) == 0, chain).all()
    assert (reachability.components(nodes, *chain)[0] == np.arange(nodes)).all()
