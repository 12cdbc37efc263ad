"""Enumeration of all paths (Definitions 3 and 4, Peng et al. 2018), the oracle for Forward.

It follows the definitions literally, without matrices or closures, and takes time exponential in
the string's length.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import flint

from automata.aliases import String, Weight
from automata.symbols import EPSILON
from automata.wfsa import WFSA, Edge

Path = tuple[int, tuple[Edge, ...]]
"""A path: its first state and its transitions."""


def paths(automaton: WFSA, string: String, epsilon_steps: int | None = None) -> Iterator[Path]:
    """Yield every path with nonzero weights that derives ``string``, including empty paths.

    Definition 3 as printed requires at least one transition, which would leave the empty string
    without a score.

    Args:
        automaton: the automaton.
        string: the symbols that the path reads.
        epsilon_steps: the maximum number of consecutive epsilon transitions. The default, the number
            of states minus one, covers all paths if there is no epsilon cycle.
    """
    most = max(automaton.states - 1, 0) if epsilon_steps is None else epsilon_steps
    out: dict[int, list[Edge]] = {q: [] for q in range(automaton.states)}
    for edge in automaton.edges():
        out[edge.source].append(edge)
    zero = automaton.semiring.zero

    def go_on(
        state: int, position: int, epsilons: int, edges: tuple[Edge, ...]
    ) -> Iterator[tuple[Edge, ...]]:
        if position == len(string) and automaton.final[state] != zero:
            yield edges
        for edge in out[state]:
            if edge.symbol == EPSILON and epsilons < most:
                yield from go_on(edge.target, position, epsilons + 1, (*edges, edge))
            elif position < len(string) and edge.symbol != EPSILON and edge.symbol == string[position]:
                yield from go_on(edge.target, position + 1, 0, (*edges, edge))

    for start in range(automaton.states):
        if automaton.initial[start] != zero:
            yield from ((start, edges) for edges in go_on(start, 0, 0, ()))


def path_score(automaton: WFSA, path: Path) -> Weight:
    """Return A[pi] = lambda(first state) (x) the transitions' weights (x) rho(last state).

    This is equation 1 of Peng et al. 2018.
    """
    start, edges = path
    k = automaton.semiring
    total = automaton.initial[start]
    for edge in edges:
        total = k.times(total, edge.weight)
    return k.times(total, automaton.final[edges[-1].target if edges else start])


def score(automaton: WFSA, string: String, epsilon_steps: int | None = None) -> Weight:
    """Return A[x], the sum of the scores of all paths that derive x (Peng et al. 2018, eq. 2)."""
    total = automaton.semiring.zero
    for path in paths(automaton, string, epsilon_steps):
        total = automaton.semiring.plus(total, path_score(automaton, path))
    return total


def limit(automaton: WFSA, string: String) -> Weight:
    """Return the exact A[x] over the reals, even if epsilon transitions form cycles.

    This is the limit, as N grows, of the sums over paths with at most N consecutive epsilon transitions. Let
    V_i(q) be the weight from state q to the end of the string after i symbols. By its first transition,
    V_i(q) is rho(q) at the end, plus the sums of tau(q, q', epsilon) V_i(q') and of tau(q, q', x_{i+1})
    V_{i+1}(q'). This is one linear system for each position. It has one solution if the sums converge, which
    :attr:`~automata.wfsa.WFSA.closure` ensures for every automaton.


    >>> from automata.semirings import REAL
    >>> half = WFSA(REAL, [1], [1], {"a": [[1]]}, epsilon=[["1/2"]])
    >>> limit(half, "a"), score(half, "a", epsilon_steps=3)  # 2 * 2; 15/8 * 15/8
    (Fraction(4, 1), Fraction(225, 64))
    """
    n = automaton.states
    epsilon = [[0] * n for _ in range(n)] if automaton.epsilon is None else automaton.epsilon.tolist()
    system = flint.fmpq_mat(n, n, [_fmpq(int(p == q) - epsilon[p][q]) for p in range(n) for q in range(n)])

    def solved(ends: list[Weight]) -> list[Fraction]:
        values = system.solve(flint.fmpq_mat(n, 1, [_fmpq(end) for end in ends])).entries() if n else []
        return [Fraction(int(v.p), int(v.q)) for v in values]

    after = solved(automaton.final.tolist())
    for symbol in reversed(list(string)):
        rows = automaton.matrix(symbol).tolist()
        after = solved([sum(w * v for w, v in zip(row, after, strict=True)) for row in rows])
    return sum((w * v for w, v in zip(automaton.initial.tolist(), after, strict=True)), Fraction(0))


def _fmpq(value: Weight) -> flint.fmpq:
    exact = Fraction(value)
    return flint.fmpq(exact.numerator, exact.denominator)
