"""Which automata are large: decided by sparse matrices alone (:mod:`automata.equivalence.sparse`)."""

from __future__ import annotations

from automata.wfsa import WFSA

SMALL = 300
"""So many states are decided by :mod:`automata.equivalence.field`, whatever their transitions."""
DENSE = 16
"""So are automata in which every so many-th weight is other than zero,"""
MOST_DENSE = 1500
"""up to this many states; and of what a chain of links leaves, at most so many are computed with as
arrays."""


def are_large(a: WFSA, b: WFSA) -> bool:
    """Are two automata large?"""
    n = a.states + b.states
    if n <= SMALL:
        return False
    weights = sum(len(table) for side in (a, b) for table in side.tables)
    cells = sum(side.states**2 * len(side.tables) for side in (a, b))
    return n > MOST_DENSE or DENSE * weights < cells
