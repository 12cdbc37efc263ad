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


def are_large(*automata: WFSA) -> bool:
    """Are automata together large?"""
    n = sum(automaton.states for automaton in automata)
    if n <= SMALL:
        return False
    weights = sum(len(table) for automaton in automata for table in automaton.tables)
    cells = sum(automaton.states**2 * len(automaton.tables) for automaton in automata)
    return n > MOST_DENSE or DENSE * weights < cells
