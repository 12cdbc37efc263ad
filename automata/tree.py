"""Computation of the scores of all strings up to a length, level by level in the tree of prefixes."""

from __future__ import annotations

from collections.abc import Iterator

import flint
import numpy as np

from automata.aliases import Weights
from automata.fraction_matrices import cleared, common_denominator, fractions
from automata.operations import remove_epsilon
from automata.sparse_matrix import Vector
from automata.sparse_runs import is_large, read_out, start, step
from automata.wfsa import WFSA, require_cells, require_room

MOST_CELLS = 1 << 24
"""Size limit of one array of shape ``(strings, symbols, n, n)``; larger levels are split."""
FOR_A_VECTOR = 32
"""Memory overhead of a sparse vector, in weights."""


def levels(automaton: WFSA, longest: int) -> Iterator[Weights]:
    """Yield one array for each length up to ``longest``: the scores of all strings of this length.

    The strings of a length are in lexicographic order, with the symbols in the alphabet's order.

    >>> from automata.semirings import COUNTING
    >>> counts_a = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> [level.tolist() for level in levels(counts_a, 2)]
    [[0], [1, 0], [2, 1, 1, 0]]

    Raises:
        LimitReached: If the vectors of all strings of one length have too many weights.
    """
    if is_large(automaton):
        yield from _levels_of_many_states(automaton, longest)
        return
    plain = remove_epsilon(automaton)
    k = plain.semiring
    require_room(k, plain.states, len(plain.index), plain.exact)
    tables = plain.matrices[list(plain.index.values())]
    if k.is_field and not k.exact_only and plain.exact and plain.states:
        yield from _levels_in_integers(plain, tables, longest)
        return
    omega = plain.initial[None, :]
    yield k.sum(k.times(omega, plain.final), axis=1)
    portion = max(1, MOST_CELLS // max(1, tables.size))
    for _ in range(longest):
        strings = len(omega) * len(tables)
        _require(plain, strings * plain.states)
        after = np.empty((len(omega), len(tables), plain.states), dtype=omega.dtype)
        for low in range(0, len(omega), portion):
            # (strings, 1, n, 1) (x) (1, symbols, n, n), summed over the source state
            terms = k.times(omega[low : low + portion, None, :, None], tables[None])
            after[low : low + portion] = k.sum(terms, axis=2)
        omega = after.reshape(strings, plain.states)
        yield k.sum(k.times(omega, plain.final), axis=1)


def _require(automaton: WFSA, weights: int) -> None:
    require_cells(automaton.semiring, weights, automaton.exact, "the vectors of all strings of one length")


def _levels_of_many_states(automaton: WFSA, longest: int) -> Iterator[Weights]:
    """Yield what :func:`levels` yields, computed on sparse vectors."""
    tables = [automaton.table(symbol) for symbol in automaton.index]
    vectors = [start(automaton)]
    for length in range(longest + 1):
        scores = np.empty(len(vectors), dtype=automaton.initial.dtype)
        for i, vector in enumerate(vectors):
            scores[i] = read_out(automaton, vector)
        yield scores
        if length == longest:
            return
        _require(automaton, FOR_A_VECTOR * len(vectors) * len(tables))
        following: list[Vector] = []
        weights = 0
        for vector in vectors:
            for table in tables:
                following.append(step(automaton, vector, table))
                weights += FOR_A_VECTOR + len(following[-1][0])
            _require(automaton, weights)
        vectors = following


def _levels_in_integers(plain: WFSA, tables: Weights, longest: int) -> Iterator[Weights]:
    """Yield what :func:`levels` yields for rational weights, by one integer matrix product for each length.

    The integers have a common denominator.
    """
    of_step, of_final = common_denominator([tables]), common_denominator([plain.final])
    denominator = common_denominator([plain.initial])
    omega = cleared(plain.initial[None, :], denominator)
    final = cleared(plain.final[:, None], of_final)
    # shape (n, symbols * n): source state, symbol, target state
    step = cleared(tables.transpose(1, 0, 2).reshape(plain.states, -1), of_step)
    yield fractions(omega * final, denominator * of_final)[:, 0]
    for _ in range(longest):
        strings = omega.nrows() * len(tables)
        _require(plain, strings * plain.states)
        omega = flint.fmpz_mat(strings, plain.states, (omega * step).entries())
        denominator *= of_step
        yield fractions(omega * final, denominator * of_final)[:, 0]
