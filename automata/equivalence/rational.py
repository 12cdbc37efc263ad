"""The decision over a field, for automata of any size."""

from __future__ import annotations

from collections.abc import Callable

from automata.equivalence import field
from automata.equivalence.answers import Answer, first_answer
from automata.wfsa import WFSA


def decide_rational(a: WFSA, b: WFSA, tell: Callable[[str], None]) -> Answer:
    """Decide whether two automata over the rationals, with one alphabet in one order, are equivalent."""

    def sparse() -> Answer:
        from automata.equivalence import sparse  # here, since numba takes long to import

        return sparse.decide(a, b, tell)

    dense = [] if field.are_large(a, b) else [lambda: field.decide(a, b, tell)]
    return first_answer([*dense, sparse])
