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
    values[batch.order] = _scores(automaton, batch)
    return values


def _scores(automaton: WFSA, batch: Batch) -> Weights:
    """Return the score of each string, in the order of ``batch``."""
    if is_large(automaton):
        return _sparse_scores(automaton, batch)
    plain = remove_epsilon(automaton)
    if not automaton.exact:
        from automata.compiled_loops import loop_for  # imported here because numba is slow to import

        parts = plain.initial, plain.final, plain.matrices
        loop = loop_for(automaton.semiring, parts, batch.codes.shape[1])
        if loop is not None:
            initial, final, matrices = map(np.ascontiguousarray, parts)
            return loop(initial, final, matrices, batch.codes, batch.lengths)
    k, n = plain.semiring, plain.states
    omega = np.tile(plain.initial, (len(batch), 1))
    last = np.empty_like(omega)
    portion = max(1, MOST_CELLS // max(1, n * n))
    for active, symbols in batch.steps():
        last[active : len(omega)] = omega[active:]  # the strings that have ended
        after = np.empty((active, n), dtype=omega.dtype)
        for low in range(0, active, portion):
            rows = slice(low, min(active, low + portion))
            after[rows] = k.sum(k.times(omega[rows][:, :, None], plain.matrices[symbols[rows]]), axis=1)
        omega = after
    last[: len(omega)] = omega
    return np.asarray(k.sum(k.times(last, plain.final), axis=1))


def _sparse_scores(automaton: WFSA, batch: Batch) -> Weights:
    """Return the scores, computed string by string on sparse vectors."""
    values = np.empty(len(batch), dtype=automaton.initial.dtype)
    for row, (codes, length) in enumerate(zip(batch.codes, batch.lengths.tolist(), strict=True)):
        *_, omega = run(automaton, (automaton.tables[code] for code in codes[:length].tolist()))
        values[row] = read_out(automaton, omega)
    return values
