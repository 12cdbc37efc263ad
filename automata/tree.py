"""The scores of all strings at once, level by level down the tree of strings: each prefix is read only
once.
"""

from __future__ import annotations

from collections.abc import Iterator

import flint
import numpy as np

from automata.aliases import Weights
from automata.fraction_matrices import cleared, common_denominator, fractions
from automata.operations import remove_epsilon
from automata.semirings import REAL
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
    if k is REAL and plain.exact and plain.states:
        yield from _levels_in_integers(plain, tables, longest)
        return
    omega = plain.initial[None, :]
    yield k.sum(k.times(omega, plain.final), axis=1)
    for _ in range(longest):
        # (strings, 1, n, 1) (x) (1, symbols, n, n), summed over the state left
        after = k.sum(k.times(omega[:, None, :, None], tables[None]), axis=2)
        omega = np.asarray(after).reshape(len(omega) * len(tables), plain.states)
        yield k.sum(k.times(omega, plain.final), axis=1)


def _levels_in_integers(plain: WFSA, tables: Weights, longest: int) -> Iterator[Weights]:
    """The same over the rationals, a matrix product a level: all numbers of a level have one denominator."""
    of_step, of_final = common_denominator([tables]), common_denominator([plain.final])
    denominator = common_denominator([plain.initial])
    omega = cleared(plain.initial[None, :], denominator)
    final = cleared(plain.final[:, None], of_final)
    # (n, symbols * n): from each state, for each symbol, to each state
    step = cleared(tables.transpose(1, 0, 2).reshape(plain.states, -1), of_step)
    yield fractions(omega * final, denominator * of_final)[:, 0]
    for _ in range(longest):
        strings = omega.nrows() * len(tables)
        omega = flint.fmpz_mat(strings, plain.states, (omega * step).entries())
        denominator *= of_step
        yield fractions(omega * final, denominator * of_final)[:, 0]
