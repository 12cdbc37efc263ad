"""Forward for many strings of unequal length at once.

Float64 semirings with a compiled inner loop (``automata/compiled_loops.py``) use it. All others, including
exact numbers, process all strings at once in NumPy. Both return the same results as
``automata/forward.py``, over the reals up to the order of summation. If float64 overflows, the result is
infinity or NaN; over the reals, the order of summation decides which.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from automata.aliases import String, Weights
from automata.operations import remove_epsilon
from automata.sparse_runs import is_large, read_out, run
from automata.strings import Batch, encode
from automata.wfsa import WFSA

MOST_CELLS = 1 << 24  # size limit of one gathered (strings, n, n) array; more strings are processed in chunks


def scores(automaton: WFSA, strings: Sequence[String]) -> Weights:
    """Return the score of each string, shape ``(len(strings),)``.

    >>> from automata.semirings import COUNTING
    >>> ways = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]]})
    >>> scores(ways, ["", "a", "aaaa"])
    array([0, 1, 4], dtype=object)
    """
    batch = encode(automaton.index, strings)
    values = np.empty(len(strings), dtype=automaton.initial.dtype)
    values[batch.order] = prefix_table(automaton, batch, every=False)[np.arange(len(batch)), batch.lengths]
    return values


def prefix_scores(automaton: WFSA, strings: Sequence[String] | Batch) -> list[Weights]:
    """Return the scores of all prefixes of each string, shape ``(T + 1,)``."""
    batch = strings if isinstance(strings, Batch) else encode(automaton.index, strings)
    table = prefix_table(automaton, batch)
    rows: list[Weights] = [None] * len(batch)  # type: ignore[list-item]
    for row, position in enumerate(batch.order.tolist()):
        rows[position] = table[row, : batch.lengths[row] + 1]
    return rows


def prefix_table(automaton: WFSA, batch: Batch, every: bool = True) -> Weights:
    """Return the scores of all prefixes of each string, shape ``(strings, longest + 1)``.

    The strings are in the order of ``batch``.

    Entries after a string's end are undefined. If ``every`` is false, only the scores of complete strings are
    defined.
    """
    if is_large(automaton):
        return _sparse_table(automaton, batch, every)
    epsilon_free = remove_epsilon(automaton)
    loop = None
    if not automaton.exact:
        from automata.compiled_loops import loop_for  # imported here because numba is slow to import

        parts = (epsilon_free.initial, epsilon_free.final, epsilon_free.matrices)
        loop = loop_for(automaton.semiring, parts, batch.codes.shape[1])
    if loop is not None:
        initial, final, matrices = map(np.ascontiguousarray, parts)
        return loop(initial, final, matrices, batch.codes, batch.lengths, every)
    k = automaton.semiring
    table = np.empty((len(batch), batch.codes.shape[1] + 1), dtype=automaton.initial.dtype)
    for t, omega in enumerate(_vectors(epsilon_free, batch)):
        table[: len(omega), t] = k.sum(k.times(omega, automaton.final), axis=1)
    return table


def _sparse_table(automaton: WFSA, batch: Batch, every: bool) -> Weights:
    """Return the prefix scores, computed string by string on sparse vectors."""
    table = np.empty((len(batch), batch.codes.shape[1] + 1), dtype=automaton.initial.dtype)
    for row, (codes, length) in enumerate(zip(batch.codes, batch.lengths.tolist(), strict=True)):
        read = (automaton.tables[code] for code in codes[:length].tolist())
        for t, omega in enumerate(run(automaton, read)):
            if every or t == length:
                table[row, t] = read_out(automaton, omega)
    return table


def _vectors(automaton: WFSA, batch: Batch) -> list[Weights]:
    """Return an array of shape ``(active, n)`` for each time step t = 0, 1, ..., in a list.

    It contains the Forward vectors Omega_t of the strings with at least t symbols.
    """
    k, n = automaton.semiring, automaton.states
    omegas = [np.tile(automaton.initial, (len(batch), 1))]
    portion = max(1, MOST_CELLS // max(1, n * n))
    for active, symbols in batch.steps():
        after = np.empty((active, n), dtype=automaton.initial.dtype)
        for low in range(0, active, portion):
            rows = slice(low, min(active, low + portion))
            tables = automaton.matrices[symbols[rows]]
            after[rows] = k.sum(k.times(omegas[-1][:active][rows][:, :, None], tables), axis=1)
        omegas.append(after)
    return omegas
