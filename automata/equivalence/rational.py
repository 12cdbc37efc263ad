"""Over the rationals, which of two methods decides: one with dense matrices, or one with sparse ones."""

from __future__ import annotations

from collections.abc import Callable

from automata.equivalence import field
from automata.equivalence.answers import Answer, first_answer
from automata.wfsa import WFSA

SMALL = 300
"""So many states are decided by :mod:`automata.equivalence.field`, whatever their transitions."""
DENSE = 16
"""So are automata in which every so many-th weight is other than zero, up to :data:`field.MOST_DENSE`
states."""


def are_large(*automata: WFSA) -> bool:
    """Are automata together large?"""
    n = sum(automaton.states for automaton in automata)
    if n <= SMALL:
        return False
    weights = sum(len(table) for automaton in automata for table in automaton.tables)
    cells = sum(automaton.states**2 * len(automaton.tables) for automaton in automata)
    return n > field.MOST_DENSE or DENSE * weights < cells


def decide_rational(a: WFSA, b: WFSA, tell: Callable[[str], None]) -> Answer:
    """Decide whether two automata over the rationals, with one alphabet in one order, are equivalent."""

    def sparse() -> Answer:
        from automata.equivalence import sparse  # here, since numba takes long to import

        return sparse.decide(a, b, tell)

    dense = [] if are_large(a, b) else [lambda: field.decide(a, b, tell)]
    return first_answer([*dense, sparse])
