"""The sum over all paths, by enumeration (Definitions 3 and 4, Peng et al. 2018): the oracle that Forward is
held to.

It follows the definitions word by word and knows no matrix and no closure; the time is exponential in the
string.
"""

from __future__ import annotations

from collections.abc import Iterator

from automata.aliases import String, Weight
from automata.symbols import EPSILON
from automata.wfsa import WFSA, Edge

Path = tuple[int, tuple[Edge, ...]]
"""The first state, and the transitions."""


def paths(automaton: WFSA, string: String, silent_steps: int | None = None) -> Iterator[Path]:
    """Every path that derives ``string`` and whose weights are none of them zero; the empty string's empty
    paths too.

    (Definition 3 as printed has a path of at least one transition; then the empty string would have no
    score.)

    Args:
        automaton: the automaton.
        string: what the path reads.
        silent_steps: how many epsilon transitions may follow one another; without it, as many as there are
            states less one, which is all of them where there is no epsilon cycle.
    """
    most = max(automaton.states - 1, 0) if silent_steps is None else silent_steps
    out: dict[int, list[Edge]] = {q: [] for q in range(automaton.states)}
    for edge in automaton.edges():
        out[edge.source].append(edge)
    zero = automaton.semiring.zero

    def go_on(state: int, place: int, silent: int, edges: tuple[Edge, ...]) -> Iterator[tuple[Edge, ...]]:
        if place == len(string) and automaton.final[state] != zero:
            yield edges
        for edge in out[state]:
            if edge.symbol == EPSILON and silent < most:
                yield from go_on(edge.target, place, silent + 1, (*edges, edge))
            elif place < len(string) and edge.symbol != EPSILON and edge.symbol == string[place]:
                yield from go_on(edge.target, place + 1, 0, (*edges, edge))

    for start in range(automaton.states):
        if automaton.initial[start] != zero:
            yield from ((start, edges) for edges in go_on(start, 0, 0, ()))


def path_score(automaton: WFSA, path: Path) -> Weight:
    """A[pi] = lambda(first state) (x) the weights of the transitions (x) rho(last state) (eq. 1)."""
    start, edges = path
    k = automaton.semiring
    total = automaton.initial[start]
    for edge in edges:
        total = k.times(total, edge.weight)
    return k.times(total, automaton.final[edges[-1].target if edges else start])


def score(automaton: WFSA, string: String, silent_steps: int | None = None) -> Weight:
    """A[x], the sum of the scores of all paths that derive x (eq. 2)."""
    total = automaton.semiring.zero
    for path in paths(automaton, string, silent_steps):
        total = automaton.semiring.plus(total, path_score(automaton, path))
    return total
