"""Searches of large graphs, compiled by numba.

A graph is ``(offsets, targets)``: the edges of node i go to ``targets[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from automata.compiled_loops import Places, compiled

_compiled = compiled()


@_compiled
def reached(known: NDArray[np.bool_], offsets: Places, targets: Places) -> NDArray[np.bool_]:
    """Return whether each node is reachable from ``known``, including those nodes, shape ``(n,)``."""
    seen, waiting, height = known.copy(), np.empty(len(known), np.intp), 0
    for node in range(len(known)):
        if known[node]:
            waiting[height] = node
            height += 1
    while height:
        height -= 1
        node = waiting[height]
        for edge in range(offsets[node], offsets[node + 1]):
            other = targets[edge]
            if not seen[other]:
                seen[other] = True
                waiting[height] = other
                height += 1
    return seen


@_compiled
def strong_components(offsets: Places, targets: Places) -> Places:
    """Return the index of each node's strongly connected component, shape ``(n,)``.

    No edge leads to a component with a lower number.

    References:
        Tarjan (1972), "Depth-first search and linear graph algorithms".
    """
    n = len(offsets) - 1
    index, low, component = np.full(n, -1, np.intp), np.zeros(n, np.intp), np.full(n, -1, np.intp)
    stack, path, edges = np.empty(n, np.intp), np.empty(n, np.intp), offsets[:-1].copy()
    height = visited = count = 0
    for root in range(n):
        depth = -1
        new = root if index[root] < 0 else -1
        while new >= 0 or depth >= 0:
            if new >= 0:
                index[new] = low[new] = visited
                visited += 1
                stack[height] = new
                height += 1
                depth += 1
                path[depth] = new
                new = -1
            node = path[depth]
            if edges[node] < offsets[node + 1]:
                other = targets[edges[node]]
                edges[node] += 1
                if index[other] < 0:
                    new = other
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            if low[node] == index[node]:
                while component[node] < 0:
                    height -= 1
                    component[stack[height]] = count
                count += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
    return count - 1 - component
