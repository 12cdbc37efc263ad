"""Forward on sparse vectors, for large automata of which a string reaches few states: its time is that of the
transitions it meets, and not of all states.

>>> from automata.semirings import COUNTING
>>> ways = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]]})
>>> [(places.tolist(), weights.tolist()) for places, weights in run(ways, map(ways.table, "aa"))]
[([0], [1]), ([0, 1], [1, 1]), ([0, 1], [1, 2])]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from automata.aliases import Weight
from automata.sparse_matrix import SMALL, SparseMatrix, Vector
from automata.wfsa import WFSA

MOST_FLOAT_CELLS = 1 << 22
"""Where float64 matrices have no more weights than this in all, the loops over arrays are faster."""


def is_large(automaton: WFSA) -> bool:
    """Is this the way to run it? It is where its matrices are large, and nearly all of their weights zero."""
    n = automaton.states
    if n <= SMALL or (not automaton.exact and n * n * len(automaton.tables) <= MOST_FLOAT_CELLS):
        return False
    return 4 * sum(map(len, automaton.tables)) < n * n * len(automaton.tables)


def start(automaton: WFSA) -> Vector:
    """Omega_0, as ``automata.forward.start`` has it."""
    present = np.flatnonzero(automaton.initial != automaton.semiring.zero)
    return _silently(automaton, (present, automaton.initial[present]))


def step(automaton: WFSA, omega: Vector, table: SparseMatrix) -> Vector:
    """Omega_{i+1} from Omega_i and the transitions that read x_{i+1}."""
    return _silently(automaton, table.sparse_product(automaton.semiring, omega))


def read_out(automaton: WFSA, omega: Vector) -> Weight:
    """The score of what was read."""
    k, (places, weights) = automaton.semiring, omega
    return k.sum(k.times(weights, automaton.final[places]))


def run(automaton: WFSA, tables: Iterable[SparseMatrix]) -> Iterator[Vector]:
    """Omega_0 to Omega_T, one after the other, by the transitions that read each symbol."""
    omega = start(automaton)
    yield omega
    for table in tables:
        omega = step(automaton, omega, table)
        yield omega


def _silently(automaton: WFSA, omega: Vector) -> Vector:
    closure = automaton.epsilon_closure
    return omega if closure is None else closure.sparse_product(omega)
