"""Changes of an automaton that preserve all its scores, and one that changes a weight minimally.

Each function takes Hypothesis's ``draw`` and an automaton, and returns an automaton. Renaming changes the
symbols of the strings. Over the log semiring, the changes do not cause any rounding.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from automata.operations import reverse
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, Semiring
from automata.symbols import EPSILON
from automata.testing.strategies import symbols
from automata.wfsa import WFSA

Rows = list[tuple[int, int, Any, Any]]
START, END = -1, -2
"""In the rows of :func:`rows_of`, initial weights are transitions from START, and final weights to END."""


def rows_of(automaton: WFSA) -> Rows:
    """Return all nonzero weights as rows (source, target, symbol, weight)."""
    k = automaton.semiring
    exact = automaton if k is LOG else automaton.to_exact()
    starts = [(START, q, None, w) for q, w in enumerate(exact.initial.tolist()) if w != k.zero]
    ends = [(q, END, None, w) for q, w in enumerate(exact.final.tolist()) if w != k.zero]
    return [*starts, *ends, *((e.source, e.target, e.symbol, e.weight) for e in exact.edges())]


def automaton_of(k: Semiring, n: int, alphabet: Iterable[Any], rows: Rows) -> WFSA:
    """Return the automaton with these weights; equal rows are parallel paths."""
    starts = [(q, w) for p, q, _, w in rows if p == START]
    ends = [(p, w) for p, q, _, w in rows if q == END]
    return WFSA.from_edges(
        k, n, alphabet, starts, ends, [row for row in rows if row[0] != START and row[1] != END]
    )


def connected(automaton: WFSA) -> WFSA:
    """Return the automaton, with states or transitions added if no string has a path."""
    k, n, names = automaton.semiring, automaton.states, automaton.alphabet
    rows, there = rows_of(automaton), {row[:2] for row in rows_of(automaton)}
    way = [(START, 0), *((q, q + 1) for q in range(n - 1) if names), (n - 1, END)] if n else []
    return automaton_of(
        k,
        n,
        names,
        [
            *rows,
            *((p, q, names[0] if min(p, q) >= 0 else None, k.one) for p, q in way if (p, q) not in there),
        ],
    )


def renamed(draw: st.DrawFn, automaton: WFSA) -> dict[Any, str]:
    """Return the automaton with new symbols: names of all kinds, or a permutation of the old symbols."""
    names = automaton.alphabet
    several = st.lists(symbols(encodable=True), min_size=len(names), max_size=len(names), unique=True)
    return dict(zip(names, draw(several | st.permutations(list(names))), strict=True))


def rename(automaton: WFSA, names: dict[Any, str]) -> WFSA:
    """Return the automaton with its symbols renamed and their order preserved."""
    return automaton.replace(index={names[s]: index for s, index in automaton.index.items()})


def reorder_symbols(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with its alphabet permuted, and therefore with another order of strings."""
    return automaton.replace(
        index={s: automaton.index[s] for s in draw(st.permutations(list(automaton.index)))}
    )


def permute_states(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    order = [*draw(st.permutations(range(automaton.states))), END, START]  # START and END remain unchanged
    rows = [(order[p], order[q], s, w) for p, q, s, w in rows_of(automaton)]
    return automaton_of(automaton.semiring, automaton.states, automaton.alphabet, rows)


def parts(draw: st.DrawFn, k: Semiring, weight: Any, on_cycle: bool) -> tuple[Any, Any]:
    """Draw two weights whose sum is ``weight``.

    If ``on_cycle`` is true, both weights are smaller than ``weight``, so that epsilon cycles converge.
    """
    if k in (BOOLEAN, LOG):
        other = weight if k is BOOLEAN and draw(st.booleans()) else k.zero
    elif k is COUNTING:
        other = draw(st.integers(0, int(weight)))
        weight -= other
    elif k is REAL:
        other = (
            weight / Fraction(2)
            if on_cycle
            else draw(st.sampled_from([Fraction(1), Fraction(-2, 3), weight, weight / Fraction(2)]))
        )
        weight -= other
    else:
        lower = {MAX_PLUS: weight - 1, MIN_PLUS: weight + 1, MAX_TIMES: weight / Fraction(2)}[k]
        other = draw(st.sampled_from([weight, lower, k.zero]))
    return (weight, other) if draw(st.booleans()) else (other, weight)


def split_weights(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with some weights split into two parallel paths."""
    rows: Rows = []
    for p, q, s, w in rows_of(automaton):
        several = parts(draw, automaton.semiring, w, s == EPSILON) if draw(st.booleans()) else (w,)
        rows += [(p, q, s, part) for part in several]
    return automaton_of(automaton.semiring, automaton.states, automaton.alphabet, rows)


def split_a_state(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with one state split in two; incoming weights are divided, outgoing weights
    copied.
    """
    n = automaton.states
    if not n:
        return automaton
    state = draw(st.integers(0, n - 1))
    rows: Rows = []
    for p, q, s, w in rows_of(automaton):
        for source in [p, n] if p == state else [p]:
            if q == state:
                one, other = parts(draw, automaton.semiring, w, s == EPSILON)
                rows += [(source, state, s, one), (source, n, s, other)]
            else:
                rows.append((source, q, s, w))
    return automaton_of(automaton.semiring, n + 1, automaton.alphabet, rows)


def push_weights(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with each weight divided by its source's potential and multiplied by its
    target's.
    """
    k = automaton.semiring
    if k.divide_numbers is None or k is LOG:
        return automaton
    worths = [
        Fraction(w)
        for w in ("1", "2", "1/3", "5", *(["-1", "-2/3"] if k in (REAL, MAX_PLUS, MIN_PLUS) else []))
    ]
    many = automaton.states
    worth = [*draw(st.lists(st.sampled_from(worths), min_size=many, max_size=many)), k.one, k.one]
    rows = [(p, q, s, k.times(k.divide_numbers(w, worth[p]), worth[q])) for p, q, s, w in rows_of(automaton)]
    return automaton_of(k, many, automaton.alphabet, rows)


def add_useless_states(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with an additional unreachable state and a dead end."""
    k, n = automaton.semiring, automaton.states
    unreached, dead = n, n + 1
    weight = st.sampled_from([k.one, k.zero] if k in (BOOLEAN, LOG) else [k.one, k.one + 1])
    rows = rows_of(automaton)
    for s in automaton.alphabet:
        for p, q in [
            (unreached, unreached),
            (unreached, dead),
            (dead, dead),
            *((unreached, q) for q in range(n)),
            *((q, dead) for q in range(n)),
        ]:
            if draw(st.booleans()):
                rows.append((p, q, s, draw(weight)))
    ends = [(unreached, END, None, k.one), (START, dead, None, k.one)]
    return automaton_of(k, n + 2, automaton.alphabet, [*rows, *ends])


def reverse_twice(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    return reverse(reverse(automaton))


CHANGES: dict[str, Callable[[st.DrawFn, WFSA], WFSA]] = {
    change.__name__: change
    for change in (
        permute_states,
        split_weights,
        split_a_state,
        push_weights,
        add_useless_states,
        reverse_twice,
    )
}


def changed(draw: st.DrawFn, automaton: WFSA, most: int = 3) -> WFSA:
    """Return the automaton after up to ``most`` random changes that preserve its scores."""
    for name in draw(st.lists(st.sampled_from(list(CHANGES)), max_size=most)):
        automaton = CHANGES[name](draw, automaton)
    return automaton


def nudged(draw: st.DrawFn, automaton: WFSA) -> WFSA:
    """Return the automaton with one nonzero weight changed minimally, or removed if it is a boolean."""
    k = automaton.semiring
    rows = [row for row in rows_of(automaton) if row[2] != EPSILON]
    if not rows:
        return automaton
    chosen = draw(st.sampled_from(rows))
    p, q, s, w = chosen
    least: Any = {
        BOOLEAN: lambda: False,
        COUNTING: lambda: w + 1,
        LOG: lambda: float(np.nextafter(w, np.inf)),
    }.get(k, lambda: w + Fraction(1, 2 ** draw(st.sampled_from([60, 1100]))))()
    kept = [row for row in rows_of(automaton) if row != chosen]
    return automaton_of(k, automaton.states, automaton.alphabet, [*kept, (p, q, s, least)])
