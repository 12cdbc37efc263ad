"""Viterbi's algorithm, which finds the best path for a string.

>>> from automata.semirings import MAX_PLUS
>>> from automata.wfsa import WFSA
>>> best = viterbi(WFSA(MAX_PLUS, [0, "-inf"], ["-inf", 0], {"a": [[0, 3], ["-inf", 1]]}), "aa")
>>> best.score, [(e.source, e.target) for e in best.edges]
(Fraction(4, 1), [(0, 1), (1, 1)])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from automata.aliases import String, Symbol, Weight, Weights
from automata.errors import InputError
from automata.semirings import Semiring
from automata.sparse_matrix import SparseMatrix
from automata.sparse_runs import is_large
from automata.strings import Batch, encode
from automata.symbols import EPSILON
from automata.wfsa import WFSA, Edge


@dataclass(frozen=True)
class BestPath:
    """A best path: its score, the first state and the transitions, including epsilon."""

    score: Weight
    start: int
    edges: tuple[Edge, ...]


def viterbi(automaton: WFSA, string: String) -> BestPath | None:
    """Return the best path that derives ``string``, or ``None`` if there is none.

    Ties are broken from the last state to the first, in favour of the lowest state.

    Raises:
        InputError: If plus is not selective, because a score then does not belong to a single path.
    """
    return viterbi_batch(automaton, [string])[0]


def viterbi_batch(automaton: WFSA, strings: Sequence[String]) -> list[BestPath | None]:
    """Return the best path of each string, computed for all strings at once; see :func:`viterbi`."""
    if not automaton.semiring.selective:
        raise InputError(
            "Viterbi: the semiring must be max-plus, min-plus, max-times or boolean, got"
            f" {automaton.semiring.name}, whose scores are sums over paths"
        )
    batch = encode(automaton.index, strings)
    best_paths: list[BestPath | None] = [None] * len(strings)
    if is_large(automaton):
        paths = (best_path(automaton, x) for x in strings)
        return [None if path is None else BestPath(path[0], path[1], tuple(path[2])) for path in paths]
    if automaton.states:
        traces = _Traces(automaton, batch)
        for row, position in enumerate(batch.order.tolist()):
            best_paths[position] = traces.back(row, strings[position])
    return best_paths


class _Traces:
    """The best scores of a batch, with back pointers."""

    def __init__(self, automaton: WFSA, batch: Batch) -> None:
        self.automaton, self.batch = automaton, batch
        self.best, self.before = _best_epsilon_paths(automaton)
        rows = np.broadcast_to(automaton.initial, (len(batch), automaton.states))
        omega, start = self._after_epsilon(rows)
        self.omegas, self.before_epsilon, self.read = [omega], [start], []
        for active, symbols in batch.steps():
            stepped, came_from = _best(automaton, omega[:active, :, None], automaton.matrices[symbols])
            omega, start = self._after_epsilon(stepped)
            self.read.append(came_from)
            self.omegas.append(omega)
            self.before_epsilon.append(start)

    def _after_epsilon(self, omega: Weights) -> tuple[Weights, Weights]:
        if not self.automaton.has_epsilon:
            return omega, np.broadcast_to(np.arange(omega.shape[1]), omega.shape)
        return _best(self.automaton, omega[:, :, None], self.best[None])

    def back(self, row: int, string: String) -> BestPath | None:
        """Trace back the best path of one string of the batch.

        Args:
            row: The index of the string in the batch.
            string: The string.

        Returns:
            The path, or ``None`` if the best score is zero.
        """
        automaton, k = self.automaton, self.automaton.semiring
        last = k.times(self.omegas[len(string)][row], automaton.final)
        state = int(_argbest(k, last, 0))
        score = last[state]
        if score == k.zero:
            return None
        edges: list[Edge] = []
        for t in range(len(string), -1, -1):
            entered = int(self.before_epsilon[t][row, state])
            while state != entered:
                came = int(self.before[entered, state])
                edges.append(Edge(came, state, EPSILON, automaton.epsilon[came, state]))  # type: ignore[index]
                state = came
            if t:
                came = int(self.read[t - 1][row, state])
                edges.append(Edge(came, state, string[t - 1], automaton.matrix(string[t - 1])[came, state]))
                state = came
        return BestPath(score, state, tuple(edges[::-1]))


def _argbest(k: Semiring, values: Weights, axis: int) -> Weights:
    return np.asarray(values.argmin(axis=axis) if k.add is np.minimum else values.argmax(axis=axis))


def _best(automaton: WFSA, omega: Weights, tables: Weights) -> tuple[Weights, Weights]:
    """Return, for each state q, the maximum over q' of omega(q') (x) tables(q', q), and the maximising q'."""
    scores = np.asarray(automaton.semiring.times(omega, tables))
    which = _argbest(automaton.semiring, scores, 1)
    return np.take_along_axis(scores, which[:, None, :], axis=1)[:, 0, :], which


def _best_epsilon_paths(automaton: WFSA) -> tuple[Weights, Weights]:
    """Return the best epsilon paths between all pairs of states (Bellman-Ford).

    The results are the weight of each path, and the state before its last state.
    """
    k, n = automaton.semiring, automaton.states
    best = k.identity(n, exact=automaton.exact)
    before = np.broadcast_to(np.arange(n)[:, None], (n, n)).copy()
    if not automaton.has_epsilon:
        return best, before
    for _ in range(n):
        longer, came = _best(automaton, best[:, :, None], automaton.epsilon_table.dense(k)[None])
        better = np.asarray((k.plus(best, longer) != best), dtype=bool)
        if not better.any():
            break
        best, before = np.where(better, longer, best), np.where(better, came, before)
    return best, before


Best = dict[int, tuple[Weight, Edge | None]]
"""The best weight of each reachable state, and the last transition of a path with this weight."""


def best_path(automaton: WFSA, string: String) -> tuple[Weight, int, list[Edge]] | None:
    """Return the score, first state and transitions of a best path; ``None`` if there is no path."""
    k = automaton.semiring
    starts: Best = {q: (w, None) for q, w in enumerate(automaton.initial.tolist()) if w != k.zero}
    read: list[tuple[Best, Best]] = [(dict(starts), _after_epsilon(automaton, starts))]
    for symbol in string:
        entered: Best = {}
        _relax(k, automaton.table(symbol), symbol, read[-1][1], sorted(read[-1][1]), entered)
        read.append((entered, _after_epsilon(automaton, entered)))
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
    improved: Callable[[int], None] = lambda state: None,
) -> None:
    """Update the best weights ``after`` by one transition from each of ``states``.

    Call ``improved`` with each state whose best weight improves.
    """
    for q in states:
        for to, w in zip(*(part.tolist() for part in table.row(q)), strict=True):
            weight = k.times(before[q][0], w)
            if weight != k.zero and (to not in after or _is_better(k, weight, after[to][0])):
                after[to] = weight, Edge(q, to, symbol, w)
                improved(to)


def _after_epsilon(automaton: WFSA, entered: Best) -> Best:
    """Return the best weights after any number of epsilon transitions.

    No epsilon cycle improves a path, because the automaton has a closure.
    """
    if not automaton.has_epsilon:
        return entered
    after = dict(entered)
    waiting = deque(sorted(after))
    while waiting:
        q = waiting.popleft()
        _relax(automaton.semiring, automaton.epsilon_table, EPSILON, after, [q], after, waiting.append)
    return after
