"""Viterbi's algorithm, which finds the best path for a string.

>>> from automata.semirings import MAX_PLUS
>>> from automata.wfsa import WFSA
>>> best = viterbi(WFSA(MAX_PLUS, [0, "-inf"], ["-inf", 0], {"a": [[0, 3], ["-inf", 1]]}), "aa")
>>> best.score, [(e.source, e.target) for e in best.edges]
(Fraction(4, 1), [(0, 1), (1, 1)])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from automata.aliases import String, Symbol, Weight
from automata.errors import InputError
from automata.semirings import Semiring
from automata.sparse_matrix import SMALL, SparseMatrix
from automata.symbols import EPSILON, known_symbols
from automata.wfsa import WFSA, Edge


@dataclass(frozen=True)
class BestPath:
    """A best path: its score, the first state and the transitions, including epsilon."""

    score: Weight
    start: int
    edges: tuple[Edge, ...]


LinkedPath: TypeAlias = "int | tuple[LinkedPath, Edge]"
"""A path as its start state, or as a shorter path and its last transition."""
Best = dict[int, tuple[Weight, LinkedPath]]
"""The best weight of each reachable state, and a path with this weight."""


def viterbi(automaton: WFSA, string: String) -> BestPath | None:
    """Return the best path that derives ``string``, or ``None`` if there is none.

    Ties are broken from the last state to the first, in favour of the lowest state. In a tie between paths
    with epsilon transitions, the first path that is found wins.

    Raises:
        InputError: If plus is not selective, because a score then does not belong to a single path.
    """
    k = automaton.semiring
    if not k.selective:
        raise InputError(
            "Viterbi: the semiring must be max-plus, min-plus, max-times or boolean, got"
            f" {k.name}, whose scores are sums over paths"
        )
    best: Best = {q: (w, q) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero}
    best = _after_epsilon(automaton, best)
    for symbol in known_symbols(automaton.index, string):
        entered: Best = {}
        _relax(k, automaton.table(symbol), symbol, best, sorted(best), entered)
        best = _after_epsilon(automaton, entered)
    ends: Best = {}
    for q, (weight, path) in sorted(best.items()):
        score = k.times(weight, automaton.final[q])
        if score != k.zero and (not ends or _is_better(k, score, ends[0][0])):
            ends[0] = score, path
    if not ends:
        return None
    score, path = ends[0]
    edges: list[Edge] = []
    while not isinstance(path, int):
        path, edge = path
        edges.append(edge)
    return BestPath(score, path, tuple(edges[::-1]))


def _is_better(k: Semiring, one: Weight, other: Weight) -> bool:
    return bool(k.add_numbers(other, one) != other)


def _relax(
    k: Semiring, table: SparseMatrix, symbol: Symbol, before: Best, states: Iterable[int], after: Best
) -> set[int]:
    """Improve the paths ``after`` by one transition from each of ``states``; return the improved states."""
    improved = set()
    for q in states:
        weight_before, path = before[q]
        # rows of large tables are looked up, because most strings visit few of them
        few = table.size <= SMALL
        entries = table.by_row[q] if few else zip(*(part.tolist() for part in table.row(q)), strict=True)
        for to, w in entries:
            weight = k.multiply_numbers(weight_before, w)
            if weight != k.zero and (to not in after or _is_better(k, weight, after[to][0])):
                after[to] = weight, (path, Edge(q, to, symbol, w))
                improved.add(to)
    return improved


def _after_epsilon(automaton: WFSA, entered: Best) -> Best:
    """Return the best paths after any number of epsilon transitions.

    No cycle improves a path, because the automaton has a closure. In float64, a cycle may seem to improve a
    path by rounding, so the number of transitions is limited.
    """
    if not automaton.has_epsilon:
        return entered
    after, improved = dict(entered), set(entered)
    for _ in range(automaton.num_states - 1):
        if not improved:
            break
        improved = _relax(
            automaton.semiring, automaton.epsilon_table, EPSILON, after, sorted(improved), after
        )
    return after
