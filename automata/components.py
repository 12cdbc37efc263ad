"""Strongly connected parts of a graph, in topological order.

>>> parts, order = components(4, np.array([2, 0, 1]), np.array([0, 1, 0]))  # 2 -> 0 <-> 1, and 3 alone
>>> bool(parts[0] == parts[1]), bool(parts[2] < parts[0]), len(set(parts.tolist()))
(True, True, 3)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]


def components(nodes: int, sources: Places, targets: Places) -> tuple[Places, Places]:
    """For each node the number of its strongly connected part: an edge leads to the same part, or to one of a
    higher number. And the nodes, sorted by that.

    Args:
        nodes: how many.
        sources: of the edges.
        targets: of the edges.
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
