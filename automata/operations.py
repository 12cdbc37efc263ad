"""Operations on automata: trim, reverse, sum, Hadamard product, scalar multiple, epsilon removal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from automata.aliases import Symbol, Weight
from automata.errors import InputError
from automata.reachability import dead_states, useful_states
from automata.sparse_matrix import SMALL, Places, SparseMatrix, numbers_of
from automata.weights import as_float, as_weight
from automata.wfsa import WFSA, Summands


def trim(automaton: WFSA) -> WFSA:
    """Restrict the automaton to the states on paths with nonzero weights from initial to final states."""
    useful = useful_states(automaton)
    return automaton if useful.all() else restricted(automaton, np.flatnonzero(useful))


def restricted(automaton: WFSA, keep: Places) -> WFSA:
    """Return the automaton without the states that are not in ``keep``.

    ``keep`` must be in increasing order. Its states are renumbered from 0.
    """
    size, numbers = len(keep), numbers_of(automaton.states, keep)
    return automaton.with_tables(
        lambda table: table.renumbered(size, numbers),
        initial=automaton.initial[keep],
        final=automaton.final[keep],
    )


def without_dead_ends(automaton: WFSA) -> WFSA:
    """Remove transitions and initial weights that lead to dead states, without renumbering states."""
    k, dead = automaton.semiring, dead_states(automaton)
    if not dead.any():
        return automaton
    initial = automaton.initial.copy()
    initial[dead] = k.zero
    return automaton.with_tables(lambda table: table.without_columns(dead), initial=initial)


def reverse(automaton: WFSA) -> WFSA:
    """Return the automaton that scores each string as ``automaton`` scores its mirror image."""
    return automaton.with_tables(
        lambda table: table.transposed, initial=automaton.final.copy(), final=automaton.initial.copy()
    )


def sum_of(left: WFSA, right: WFSA) -> WFSA:
    """Return the automaton with the scores A[x] (+) B[x], over the union of the alphabets.

    Its states are the disjoint union of the states of the two automata.
    """
    left, right = _aligned(left, right)
    tables, index = _paired(left, right, SparseMatrix.block_diagonal)
    return left.replace(
        initial=np.concatenate([left.initial, right.initial]),
        final=np.concatenate([left.final, right.final]),
        tables=tables,
        index=index,
        epsilon=left.epsilon_table.block_diagonal(right.epsilon_table),
        summands=_summands(left, right),
    )


def hadamard(left: WFSA, right: WFSA) -> WFSA:
    """Return the automaton with the scores A[x] (x) B[x], on pairs of states; epsilon is removed first."""
    left, right = map(remove_epsilon, _aligned(left, right))
    k = left.semiring

    tables, index = _paired(left, right, lambda a, b: a.kronecker(k, b))
    return left.replace(
        initial=np.asarray(k.times(left.initial[:, None], right.initial)).reshape(-1),
        final=np.asarray(k.times(left.final[:, None], right.final)).reshape(-1),
        tables=tables,
        index=index,
        summands=_summands(left, right),
    )


def _summands(left: WFSA, right: WFSA) -> frozenset[Summands] | None:
    """Return the summands of an automaton that combines both: none, or unknown if one of them has any."""
    return frozenset[Summands]() if left.summands == right.summands == frozenset() else None


def scale(automaton: WFSA, weight: Weight) -> WFSA:
    """Return the automaton that scores weight (x) A[x]."""
    k = automaton.semiring
    number = as_weight(k, weight)
    factor = k.exact(number) if automaton.exact else as_float(number)
    return automaton.replace(initial=np.asarray(k.times(factor, automaton.initial)))


def remove_epsilon(automaton: WFSA) -> WFSA:
    """Return an automaton with the same scores and without epsilon transitions.

    The initial vector lambda becomes lambda E*, and each transition matrix tau becomes tau E*.
    """
    closure = automaton.epsilon_closure
    if closure is None:
        return automaton
    k = automaton.semiring
    if automaton.states > SMALL:
        tables = [closure.row_products(table) for table in automaton.tables]
        return automaton.replace(initial=closure.product(automaton.initial), tables=tables, epsilon=None)
    return automaton.replace(
        initial=k.matmul(automaton.initial[None, :], closure.matrix)[0],
        matrices=(
            np.stack([k.matmul(m, closure.matrix) for m in automaton.matrices])
            if len(automaton.matrices)
            else automaton.matrices
        ),
        epsilon=None,
    )


def _aligned(left: WFSA, right: WFSA) -> tuple[WFSA, WFSA]:
    """Return both automata over the joint alphabet, with weights of the same dtype."""
    if left.semiring is not right.semiring:
        raise InputError(
            f"both automata must be over the same semiring, got {left.semiring.name} and"
            f" {right.semiring.name}"
        )
    both = dict.fromkeys([*left.alphabet, *right.alphabet])
    if left.exact != right.exact:
        left, right = left.to_exact(), right.to_exact()
    return left.over(both), right.over(both)


def _paired(
    left: WFSA, right: WFSA, join: Callable[[SparseMatrix, SparseMatrix], SparseMatrix]
) -> tuple[list[SparseMatrix], dict[Symbol, int]]:
    """Apply ``join`` to the two matrices of each symbol.

    Return the results, and the index of each symbol's result. Symbols with the same two matrices share a
    result.
    """
    number: dict[tuple[int, int], int] = {}
    index = {s: number.setdefault((left.index[s], right.index[s]), len(number)) for s in left.index}
    return [join(left.tables[i], right.tables[j]) for i, j in number], index
