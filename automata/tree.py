"""The scores of all strings at once, level by level down the tree of strings: each prefix is read only
once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from automata.aliases import Weights
from automata.operations import remove_epsilon
from automata.wfsa import WFSA


def levels(automaton: WFSA, longest: int) -> Iterator[Weights]:
    """For each length from 0 to ``longest`` the scores of all strings of that length, in the alphabet's
    order.

    >>> from automata.semirings import COUNTING
    >>> counts_a = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> [level.tolist() for level in levels(counts_a, 2)]
    [[0], [1, 0], [2, 1, 1, 0]]
    """
    plain = remove_epsilon(automaton)
    k = plain.semiring
    tables = plain.matrices[list(plain.index.values())]
    omega = plain.initial[None, :]
    yield k.sum(k.times(omega, plain.final), axis=1)
    for _ in range(longest):
        # (strings, 1, n, 1) (x) (1, symbols, n, n), summed over the state left
        after = k.sum(k.times(omega[:, None, :, None], tables[None]), axis=2)
        omega = np.asarray(after).reshape(len(omega) * len(tables), plain.states)
        yield k.sum(k.times(omega, plain.final), axis=1)
