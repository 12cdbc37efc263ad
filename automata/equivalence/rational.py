"""Choice between the dense and the sparse method over the rationals."""

from __future__ import annotations

from collections.abc import Callable

from automata.equivalence import field
from automata.equivalence.answers import Answer, first_answer
from automata.wfsa import WFSA

SMALL = 300
"""Up to this many states of both automata together, the dense method is used."""
DENSE = 16
"""Up to field.MOST_DENSE states, the dense method is used if at least one in this many weights is nonzero."""


def are_large(*automata: WFSA) -> bool:
    """Return whether the automata together are too large for the dense method."""
    n = sum(automaton.states for automaton in automata)
    if n <= SMALL:
        return False
    weights = sum(len(table) for automaton in automata for table in automaton.tables)
    cells = sum(automaton.states**2 * len(automaton.tables) for automaton in automata)
    return n > field.MOST_DENSE or DENSE * weights < cells


def decide_rational(a: WFSA, b: WFSA, progress: Callable[[str], None]) -> Answer:
    """Decide whether two rational automata with the same alphabet, in the same order, are equivalent."""

    def sparse() -> Answer:
        from automata.equivalence import sparse  # imported here because numba is slow to import

        return sparse.decide(a, b, progress)

    dense = [] if are_large(a, b) else [lambda: field.decide(a, b, progress)]
    return first_answer([*dense, sparse])
