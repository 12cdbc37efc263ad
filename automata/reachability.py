"""Which states of an automaton lead where, by transitions whose weights are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Weights

if TYPE_CHECKING:
    from automata.wfsa import WFSA


def steps(automaton: WFSA) -> NDArray[np.bool_]:
    """For each pair of states: does a transition lead from the one to the other? Shape ``(n, n)``."""
    zero = automaton.semiring.zero
    step = (automaton.matrices != zero).any(axis=0)
    if automaton.epsilon is not None:
        step = step | (automaton.epsilon != zero)
    return np.asarray(step, dtype=bool)


def reachable(states: Weights, step: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The states that ``step`` leads to from ``states``, these among them; shapes ``(n,)`` and ``(n, n)``."""
    known = np.asarray(states, dtype=bool)
    while True:
        larger = known | step[known].any(axis=0)
        if (larger == known).all():
            return known
        known = larger


def dead_states(automaton: WFSA) -> NDArray[np.bool_]:
    """For each state: does no path whose weights are none of them zero lead to a final state? Shape
    ``(n,)``.
    """
    return ~reachable(automaton.final != automaton.semiring.zero, steps(automaton).T)
