"""Forward on sparse vectors, for large automata with few reachable states for each string.

The run time depends on the transitions that it follows, not on the number of states.

>>> from automata.semirings import COUNTING
>>> ways = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]]})
>>> [(states.tolist(), weights.tolist()) for states, weights in run(ways, map(ways.table, "aa"))]
[([0], [1]), ([0, 1], [1, 1]), ([0, 1], [1, 2])]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from automata.aliases import Weight
from automata.sparse_matrix import SMALL, SparseMatrix, Vector
from automata.wfsa import WFSA

MOST_FLOAT_CELLS = 1 << 22
"""If float64 matrices have at most this many weights in total, loops over dense arrays are faster."""


def is_large(automaton: WFSA) -> bool:
    """Return whether sparse runs are faster: the matrices are large and mostly zero."""
    n = automaton.states
    if n <= SMALL or (not automaton.exact and n * n * len(automaton.tables) <= MOST_FLOAT_CELLS):
        return False
    return 4 * sum(map(len, automaton.tables)) < n * n * len(automaton.tables)


def start(automaton: WFSA) -> Vector:
    """Return the Forward vector before the first symbol, Omega_0 (see ``automata.forward.start``)."""
    present = np.flatnonzero(automaton.initial != automaton.semiring.zero)
    return _after_epsilon(automaton, (present, automaton.initial[present]))


def step(automaton: WFSA, omega: Vector, table: SparseMatrix) -> Vector:
    """Return the Forward vector after one more symbol, given the matrix ``table`` of the symbol."""
    return _after_epsilon(automaton, table.sparse_product(automaton.semiring, omega))


def read_out(automaton: WFSA, omega: Vector) -> Weight:
    """Return the score of the symbols read so far: the product of Omega and the final weights."""
    k, (states, weights) = automaton.semiring, omega
    return k.sum(k.times(weights, automaton.final[states]))


def run(automaton: WFSA, tables: Iterable[SparseMatrix]) -> Iterator[Vector]:
    """Yield the Forward vectors of all prefixes of a string, given the matrix of each of its symbols."""
    omega = start(automaton)
    yield omega
    for table in tables:
        omega = step(automaton, omega, table)
        yield omega


def _after_epsilon(automaton: WFSA, omega: Vector) -> Vector:
    closure = automaton.epsilon_closure
    return omega if closure is None else closure.sparse_product(omega)
