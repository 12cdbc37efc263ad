"""Viterbi on sparse vectors, for large automata of which a string reaches few states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from automata.aliases import String, Symbol, Weight
from automata.semirings import Semiring
from automata.sparse_matrix import SparseMatrix
from automata.symbols import EPSILON
from automata.wfsa import WFSA, Edge

Best = dict[int, tuple[Weight, Edge | None]]
"""For each state that can be reached, the best weight, and the last transition of a path that has it."""


def best_path(automaton: WFSA, string: String) -> tuple[Weight, int, list[Edge]] | None:
    """The score, the first state and the transitions of a best path; ``None`` where there is no path."""
    k = automaton.semiring
    starts: Best = {q: (w, None) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero}
    read: list[tuple[Best, Best]] = [(dict(starts), _silently(automaton, starts))]
    for symbol in string:
        entered: Best = {}
        _relax(k, automaton.table(symbol), symbol, read[-1][1], sorted(read[-1][1]), entered)
        read.append((entered, _silently(automaton, entered)))
    ends = [(k.times(w, automaton.final[q]), q) for q, (w, _) in sorted(read[-1][1].items())]
    ends = [(w, q) for w, q in ends if w != k.zero]
    if not ends:
        return None
    score, state = ends[0]
    for w, q in ends:
        if _is_better(k, w, score):
            score, state = w, q
    edges: list[Edge] = []
    for t in range(len(string), -1, -1):
        entered, after = read[t]
        edge = after[state][1]
        while edge is not None and edge.symbol == EPSILON:
            edges.append(edge)
            state = edge.source
            edge = after[state][1]
        if edge is not None:
            edges.append(edge)
            state = edge.source
    return score, state, edges[::-1]


def _is_better(k: Semiring, one: Weight, other: Weight) -> bool:
    return bool(one != other and k.plus(one, other) == one)


def _relax(
    k: Semiring,
    table: SparseMatrix,
    symbol: Symbol,
    before: Best,
    states: list[int],
    after: Best,
    tell: Callable[[int], None] = lambda state: None,
) -> None:
    """Follow the transitions from those states; ``tell`` hears of each state that is better off."""
    for q in states:
        for to, w in zip(*(part.tolist() for part in table.row(q)), strict=True):
            weight = k.times(before[q][0], w)
            if weight != k.zero and (to not in after or _is_better(k, weight, after[to][0])):
                after[to] = weight, Edge(q, to, symbol, w)
                tell(to)


def _silently(automaton: WFSA, entered: Best) -> Best:
    """The same after silent ways; a cycle of them is no better than none, or it would have no closure."""
    if not automaton.has_epsilon:
        return entered
    after = dict(entered)
    waiting = deque(sorted(after))
    while waiting:
        q = waiting.popleft()
        _relax(automaton.semiring, automaton.epsilon_table, EPSILON, after, [q], after, waiting.append)
    return after
