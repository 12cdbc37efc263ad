"""Random least DFAs of a given size, from a seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from automata.checks import checked_alphabet
from automata.dfa import DFA
from automata.errors import InputError
from automata.text.number_text import shorten

MOST_TRIES = 1000
"""Few are needed: of random DFAs whose states are all reached, a good part is minimal whatever their size."""


def random_minimal_dfa(states: int, alphabet: Iterable[Hashable], seed: int | np.random.Generator) -> DFA:
    """A random complete DFA that no smaller one replaces, with exactly ``states`` states; start state 0,
    numbered in shortlex order.

    Each is drawn with a positive chance, but not with the same one: a random tree of arrows makes sure that
    every state is reached, and what it leaves open, and which states accept, is uniform. What is not minimal
    is thrown away.

    >>> dfa = random_minimal_dfa(5, "ab", seed=0)
    >>> dfa.states, dfa == dfa.minimal(), dfa == random_minimal_dfa(5, "ab", seed=0)
    (5, True, True)

    Args:
        states: how many, the dead one (where there is one) counted.
        alphabet: the symbols.
        seed: the same seed gives the same DFA; or a generator, which is drawn from.

    Raises:
        InputError: there is no such DFA (no state, or several without a symbol), or none was found in 1000
            tries.
    """
    symbols = checked_alphabet(alphabet)
    if isinstance(states, bool) or not isinstance(states, int) or states < 1:
        raise InputError(f"the number of states is {shorten(states)}, where 1 or more is right")
    if states > 1 and not symbols:
        raise InputError(
            f"a DFA with {states} states that are all reached has at least one symbol, and the alphabet has"
            " none"
        )
    rng = np.random.default_rng(seed)
    for _ in range(MOST_TRIES):
        table = rng.integers(states, size=(states, len(symbols)))
        free = [
            (0, a) for a in range(len(symbols))
        ]  # arrows of the states in the tree that are not yet the tree's
        for q in range(1, states):
            table[free.pop(int(rng.integers(len(free))))] = q
            free += [(q, a) for a in range(len(symbols))]
        final = frozenset(np.flatnonzero(rng.integers(2, size=states)).tolist())
        dfa = DFA(symbols, 0, tuple(tuple(row) for row in table.tolist()), final).minimal()
        if dfa.states == states:
            return dfa
    raise InputError(
        f"no minimal DFA with {states} states was found in {MOST_TRIES} tries; ask for fewer states"
    )
