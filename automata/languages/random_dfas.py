"""Random minimal DFAs of a given size, from a seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from automata.checks import checked_alphabet
from automata.dfa import DFA
from automata.errors import InputError
from automata.text.number_text import shorten

MOST_TRIES = 1000
"""Maximum number of attempts; many random DFAs with all states reachable are minimal at any size."""


def random_minimal_dfa(states: int, alphabet: Iterable[Hashable], seed: int | np.random.Generator) -> DFA:
    """Return a random minimal complete DFA with exactly ``states`` states.

    States are numbered in shortlex order from the start state 0. Every such DFA has a positive probability,
    but the probabilities differ. A random tree of transitions makes all states reachable; all other
    transitions and the accept states are uniform. DFAs that are not minimal are rejected.


    >>> dfa = random_minimal_dfa(5, "ab", seed=0)
    >>> dfa.states, dfa == dfa.minimal(), dfa == random_minimal_dfa(5, "ab", seed=0)
    (5, True, True)

    Args:
        states: the number of states, including a dead state.
        alphabet: the symbols.
        seed: a seed, which determines the DFA, or a generator to draw from.

    Raises:
        InputError: If no such DFA exists (no state, or several without a symbol), or 1000 attempts failed.
    """
    symbols = checked_alphabet(alphabet)
    if isinstance(states, bool) or not isinstance(states, int) or states < 1:
        raise InputError(f"the number of states must be a positive integer, got {shorten(states)}")
    if states > 1 and not symbols:
        raise InputError(f"the alphabet must not be empty if the DFA has {states} states")
    rng = np.random.default_rng(seed)
    for _ in range(MOST_TRIES):
        table = rng.integers(states, size=(states, len(symbols)))
        # transitions of the tree's states that are not part of the tree yet
        free = [(0, a) for a in range(len(symbols))]
        for q in range(1, states):
            table[free.pop(int(rng.integers(len(free))))] = q
            free += [(q, a) for a in range(len(symbols))]
        final = frozenset(np.flatnonzero(rng.integers(2, size=states)).tolist())
        dfa = DFA(symbols, 0, tuple(tuple(row) for row in table.tolist()), final).minimal()
        if dfa.states == states:
            return dfa
    raise InputError(
        f"no minimal DFA with {states} states was found in {MOST_TRIES} attempts; use fewer states"
    )
