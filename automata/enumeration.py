"""Strings whose score is not zero, in shortlex order, and the total score of all strings of a length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from automata import determinisation
from automata.aliases import Symbols, Weight
from automata.equivalence import Different, Unknown, equivalent
from automata.errors import LimitReached
from automata.minimise import minimise
from automata.operations import remove_epsilon, trim
from automata.semirings import COUNTING, Semiring
from automata.wfsa import WFSA

MOST_STEPS = 1_000_000
"""Maximum number of prefixes to extend."""
Row = dict[int, Weight]
"""The nonzero weights, keyed by state."""


def nonzero_strings(automaton: WFSA) -> Iterator[tuple[Symbols, Weight]]:
    """Yield the strings whose score is not zero, with their scores, in shortlex order of the alphabet.

    >>> from automata.semirings import COUNTING
    >>> ways = WFSA(COUNTING, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[0, 0], [0, 0]]})
    >>> strings = nonzero_strings(ways)
    >>> next(strings), next(strings)
    ((('a',), 1), (('a', 'a'), 2))

    Raises :class:`~automata.errors.LimitReached` after :data:`MOST_STEPS` prefixes.
    """
    k = automaton.semiring
    # If weights cancel, minimise: from each state of a minimal automaton, some string has a nonzero score.
    plain = trim(remove_epsilon(minimise(automaton).automaton if k.signed else automaton))
    arrows = {symbol: _rows(plain, symbol) for symbol in plain.alphabet}
    sources: dict[int, set[int]] = defaultdict(set)
    for rows in arrows.values():
        for q, targets in rows.items():
            for r, _ in targets:
                sources[r].add(q)
    final = {q: w for q, w in enumerate(plain.final.tolist()) if w != k.zero}
    start = {q: w for q, w in enumerate(plain.initial.tolist()) if w != k.zero}
    ends = [frozenset(final)]  # ends[n]: the states from which n more symbols can lead to a final state
    steps = empty = 0
    while ends[-1]:
        length, more = len(ends) - 1, False
        stack: list[tuple[Symbols, Row]] = [((), start)] if start.keys() & ends[length] else []
        while stack:
            string, row = stack.pop()
            if len(string) == length:
                more = True
                score = k.zero
                for q in row.keys() & final.keys():
                    score = k.plus(score, k.times(row[q], final[q]))
                if score != k.zero:
                    yield string, score
                continue
            steps += 1
            if steps > MOST_STEPS:
                raise LimitReached(
                    f"listing the strings requires more than the limit of {MOST_STEPS:,} prefixes"
                )
            useful = ends[length - len(string) - 1]
            for symbol in reversed(plain.alphabet):
                after = _product(k, row, arrows[symbol])
                if after.keys() & useful:
                    stack.append(((*string, symbol), after))
        # over a field, the scores are 0 for all longer strings if they are 0 for n consecutive lengths
        empty = 0 if more else empty + 1
        if k.signed and empty > plain.states:
            return
        ends.append(frozenset(q for r in ends[-1] for q in sources[r]))


def shortest(automaton: WFSA) -> tuple[Symbols, Weight] | None:
    """Return the shortlex-least string whose score is not zero and its score; ``None`` if there is none.

    Raises :class:`~automata.errors.LimitReached` if the search exceeds :data:`MOST_STEPS` prefixes.
    """
    k = automaton.semiring
    if not k.signed:
        return next(nonzero_strings(automaton), None)
    answer = equivalent(automaton, WFSA.from_edges(k, 0, automaton.alphabet, [], [], []))
    if isinstance(answer, Unknown):
        raise LimitReached(answer.why)
    return (answer.word, answer.scores[0]) if isinstance(answer, Different) else None


def total_weight(automaton: WFSA, length: int) -> Weight:
    """Return the sum of the scores of all strings of a length.

    Over the boolean semiring, return the number of accepted strings of this length instead.

    >>> from automata.semirings import BOOLEAN
    >>> total_weight(WFSA(BOOLEAN, [True], [True], {"a": [[True]], "b": [[True]]}), 10)
    1024
    """
    if automaton.semiring.is_boolean:
        automaton = _counting(determinisation.minimal(automaton))
    plain = trim(remove_epsilon(automaton))
    k = plain.semiring
    rows: dict[int, list[tuple[int, Weight]]] = defaultdict(list)
    for symbol in plain.alphabet:
        for q, row in _rows(plain, symbol).items():
            rows[q] += row
    reached = {q: w for q, w in enumerate(plain.initial.tolist()) if w != k.zero}
    for _ in range(length):
        reached = _product(k, reached, rows)
    total = k.zero
    for q, weight in reached.items():
        total = k.plus(total, k.times(weight, plain.final[q]))
    return total


def _counting(automaton: WFSA) -> WFSA:
    """Convert a deterministic boolean automaton to the counting semiring, where each path weighs 1."""
    edges = [(e.source, e.target, e.symbol, 1) for e in automaton.edges()]
    initial, final = (
        [(int(q), 1) for q in part.nonzero()[0]] for part in (automaton.initial, automaton.final)
    )
    return WFSA.from_edges(COUNTING, automaton.states, automaton.alphabet, initial, final, edges)


def _rows(automaton: WFSA, symbol: object) -> dict[int, list[tuple[int, Weight]]]:
    table = automaton.table(symbol)
    rows: dict[int, list[tuple[int, Weight]]] = defaultdict(list)
    for q, r, w in zip(table.rows.tolist(), table.columns.tolist(), table.weights.tolist(), strict=True):
        rows[q].append((r, w))
    return rows


def _product(k: Semiring, row: Row, rows: dict[int, list[tuple[int, Weight]]]) -> Row:
    result: Row = {}
    for q, weight in row.items():
        for r, w in rows.get(q, ()):
            term = k.times(weight, w)
            result[r] = k.plus(result[r], term) if r in result else term
    return {q: w for q, w in result.items() if w != k.zero}
