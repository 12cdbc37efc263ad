"""Random pairs of large, sparse, equal automata over the rationals, for tests and benchmarks.

>>> rng = np.random.default_rng(0)
>>> a, b = permuted(rng, 5)
>>> a.states, b.states, a.transitions == b.transitions
(5, 5, True)
>>> changed(rng, a).transitions == a.transitions
True
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from automata.reachability import reachable
from automata.semirings import REAL
from automata.wfsa import WFSA

SYMBOLS = "abcd"
Generator = np.random.Generator
Edge = tuple[int, int, str, Fraction]
Parts = tuple[int, dict[int, Fraction], dict[int, Fraction], list[Edge]]
"""An automaton: the number of states, the initial and final weights by state, and the transitions."""


def weight(rng: Generator) -> Fraction:
    """Return a nonzero fraction of small integers."""
    sign = -1 if rng.random() < 0.5 else 1
    return sign * Fraction(int(rng.integers(1, 10)), int(rng.integers(1, 8)))


def _random(rng: Generator, states: int, initial: int = 1) -> Parts:
    """Return a random automaton with four transitions per state and a tenth of the states final."""
    edges = {}
    for q in range(states):
        if q:
            edges[int(rng.integers(0, q)), q, SYMBOLS[int(rng.integers(4))]] = weight(rng)
        for _ in range(3 if q else 4):
            edges[q, int(rng.integers(states)), SYMBOLS[int(rng.integers(4))]] = weight(rng)
    final = {q: weight(rng) for q in range(states) if rng.random() < 0.1 or q == states - 1}
    starts = {q: weight(rng) for q in range(min(initial, states))}
    return states, starts, final, [(p, q, s, w) for (p, q, s), w in edges.items()]


def _automaton(parts: Parts) -> WFSA:
    states, initial, final, edges = parts
    return WFSA.from_edges(REAL, states, SYMBOLS, initial.items(), final.items(), edges)


def _renamed(rng: Generator, parts: Parts) -> Parts:
    states, initial, final, edges = parts
    new = rng.permutation(states).tolist()
    return (
        states,
        {new[q]: w for q, w in initial.items()},
        {new[q]: w for q, w in final.items()},
        [(new[p], new[q], s, w) for p, q, s, w in edges],
    )


def _scaled(rng: Generator, parts: Parts) -> Parts:
    """Return the automaton after a change of basis by a diagonal matrix (weight pushing)."""
    states, initial, final, edges = parts
    d = [weight(rng) for _ in range(states)]
    return (
        states,
        {q: w * d[q] for q, w in initial.items()},
        {q: w / d[q] for q, w in final.items()},
        [(p, q, s, w / d[p] * d[q]) for p, q, s, w in edges],
    )


def _split(rng: Generator, parts: Parts, share: float = 0.1) -> Parts:
    """Split some states in two, and divide the incoming weights between the copies."""
    states, initial, final, edges = parts
    twin: dict[int, int] = {}
    for q in range(states):
        if rng.random() < share:
            twin[q] = states + len(twin)
    part = {q: Fraction(int(rng.integers(1, 5)), 5) for q in twin}

    def divided(q: int, w: Fraction) -> list[tuple[int, Fraction]]:
        return [(q, w * part[q]), (twin[q], w * (1 - part[q]))] if q in twin else [(q, w)]

    outgoing = {**final, **{twin[q]: w for q, w in final.items() if q in twin}}
    split = []
    for p, q, s, w in edges:
        for source in (p, twin[p]) if p in twin else (p,):
            split += [(source, target, s, v) for target, v in divided(q, w)]
    starts = {r: v for q, w in initial.items() for r, v in divided(q, w)}
    return states + len(twin), starts, outgoing, split


def _mirrored(parts: Parts) -> Parts:
    states, initial, final, edges = parts
    return states, final, initial, [(q, p, s, w) for p, q, s, w in edges]


def permuted(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a random automaton, and the same automaton with its states in another order."""
    parts = _random(rng, states)
    return _automaton(parts), _automaton(_renamed(rng, parts))


def split_and_pushed(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a random automaton A, and an equivalent one with split states and pushed weights."""
    parts = _random(rng, states)
    halves = _mirrored(_split(rng, _mirrored(_split(rng, parts, 0.05)), 0.05))
    return _automaton(parts), _automaton(_renamed(rng, _scaled(rng, halves)))


def with_useless_parts(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a random automaton A, and an equivalent one with useless states.

    The second automaton has unreachable and dead states. It also has two copies of a part that is not in A,
    with scores that cancel.
    """
    parts = states_of, initial, final, edges = _random(rng, max(1, states * 7 // 10))
    extra = max(1, states // 10)
    n, more = states_of, list(edges)
    starts, ends = dict(initial), dict(final)
    for sign in (1, -1):  # the same part twice, entered with opposite signs
        source = np.random.default_rng(states)
        size, first, last, inner = _random(source, extra)
        more += [(p + n, q + n, s, w) for p, q, s, w in inner]
        starts |= {q + n: sign * w for q, w in first.items()}
        ends |= {q + n: w for q, w in last.items()}
        n += size
    for kind in ("unreached", "dead"):
        size, _, last, inner = _random(rng, max(1, extra // 2))
        more += [(p + n, q + n, s, w) for p, q, s, w in inner]
        here, there = int(rng.integers(n, n + size)), int(rng.integers(states_of))
        more.append(
            (here, there, "a", weight(rng)) if kind == "unreached" else (there, here, "a", weight(rng))
        )
        if kind == "unreached":
            ends |= {q + n: w for q, w in last.items()}
        n += size
    merged: dict[tuple[int, int, str], Fraction] = {}
    for p, q, s, w in more:
        merged[p, q, s] = merged.get((p, q, s), Fraction(0)) + w
    wide = n, starts, ends, [(p, q, s, w) for (p, q, s), w in merged.items() if w]
    return _automaton(parts), _automaton(_renamed(rng, wide))


def trie_and_minimal(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a trie of random words with about ``states`` states, and the minimal DFA of the words."""
    children: list[dict[str, int]] = [{}]
    ends = set()
    while len(children) < states:
        q = 0
        for _ in range(int(rng.integers(4, 12))):
            s = SYMBOLS[int(rng.integers(4))]
            if s not in children[q]:
                children[q][s] = len(children)
                children.append({})
            q = children[q][s]
        ends.add(q)
    classes: dict[object, int] = {}
    of = [0] * len(children)
    for q in range(len(children) - 1, -1, -1):  # children have larger numbers
        look = q in ends, tuple(sorted((s, of[r]) for s, r in children[q].items()))
        of[q] = classes.setdefault(look, len(classes))
    one = Fraction(1)
    least = {(of[q], of[r], s) for q, row in enumerate(children) for s, r in row.items()}
    trie = [(q, r, s, one) for q, row in enumerate(children) for s, r in row.items()]
    parts = len(classes), {of[0]: one}, {of[q]: one for q in ends}, [(*e, one) for e in sorted(least)]
    return _automaton((len(children), {0: one}, dict.fromkeys(ends, one), trie)), _automaton(parts)


def determinised(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a deterministic automaton of about ``states`` states, and an equal nondeterministic one.

    Both consist of small automata, each of which follows its own word. The states of a deterministic one are
    the numbers of paths to the states of the nondeterministic one.
    """
    one = Fraction(1)
    sides: list[Parts] = [(1, {0: one}, {}, []), (1, {0: one}, {}, [])]
    blocks = 0
    while max(side[0] for side in sides) < states:
        small = 8
        table = {
            (q, s): {int(rng.integers(small)) for _ in range(1 + (rng.random() < 0.3))}
            for q in range(small)
            for s in SYMBOLS
            if rng.random() < 0.7
        }
        ends = {q: weight(rng) for q in range(small) if rng.random() < 0.5}
        counted = _counted(table, ends)
        if counted is None:
            continue
        arrows = [(q, r, s, one) for (q, s), targets in table.items() for r in sorted(targets)]
        word = [SYMBOLS[(blocks >> 2 * i) & 3] for i in range(8)]
        blocks += 1
        pairs = zip(sides, (counted, (small, {0: one}, ends, arrows)), strict=True)
        sides = [_behind(word, side, block) for side, block in pairs]
    return _automaton(sides[0]), _automaton(sides[1])


def _counted(table: dict[tuple[int, str], set[int]], ends: dict[int, Fraction]) -> Parts | None:
    """Return the deterministic automaton whose states are path counts; ``None`` if it is too large."""
    numbers: dict[tuple[tuple[int, int], ...], int] = {((0, 1),): 0}
    edges: list[Edge] = []
    for vector in (order := [*numbers]):  # the list grows
        for s in SYMBOLS:
            image: dict[int, int] = {}
            for q, count in vector:
                for r in table.get((q, s), ()):
                    image[r] = image.get(r, 0) + count
            key = tuple(sorted(image.items()))
            if key and key not in numbers:
                numbers[key] = len(numbers)
                order.append(key)
            if key:
                edges.append((numbers[vector], numbers[key], s, Fraction(1)))
        if len(order) > 60:
            return None
    final = {i: sum((c * ends.get(q, Fraction(0)) for q, c in v), Fraction(0)) for i, v in enumerate(order)}
    return len(order), {0: Fraction(1)}, {q: w for q, w in final.items() if w}, edges


def _behind(word: list[str], side: Parts, block: Parts) -> Parts:
    """Join two automata by a path for a word, from the start of the first to the start of the second."""
    n, initial, final, edges = side
    path = [0, *range(n, n + len(word))]
    here = path[-1]
    edges += [(p, q, s, Fraction(1)) for p, q, s in zip(path, path[1:], word, strict=False)]
    edges += [(p + here, q + here, s, w) for p, q, s, w in block[3]]
    return here + block[0], initial, final | {q + here: w for q, w in block[2].items()}, edges


def in_another_basis(rng: Generator, states: int) -> tuple[WFSA, WFSA]:
    """Return a random automaton, and an equivalent one after ``states // 10`` elementary changes of basis."""
    parts = _random(rng, states)
    n, initial, final, edges = parts
    start, end = dict(initial), dict(final)
    rows: dict[str, dict[int, dict[int, Fraction]]] = {s: {} for s in SYMBOLS}
    columns: dict[str, dict[int, set[int]]] = {s: {} for s in SYMBOLS}
    for p, q, s, w in edges:
        rows[s].setdefault(p, {})[q] = w
        columns[s].setdefault(q, set()).add(p)
    for _ in range(n // 10):
        i, j = (int(q) for q in rng.choice(n, 2, replace=False))
        factor = weight(rng)
        for s in SYMBOLS:
            table, entering = rows[s], columns[s]
            for q, w in list(table.get(j, {}).items()):  # row i += factor row j
                _add(table, entering, i, q, factor * w)
            for p in list(entering.get(i, ())):  # column j -= factor column i
                _add(table, entering, p, j, -factor * table[p][i])
        end[i] = end.get(i, Fraction(0)) + factor * end.get(j, Fraction(0))
        start[j] = start.get(j, Fraction(0)) - factor * start.get(i, Fraction(0))
    new = [(p, q, s, w) for s in SYMBOLS for p, row in rows[s].items() for q, w in row.items()]
    wide = n, {q: w for q, w in start.items() if w}, {q: w for q, w in end.items() if w}, new
    return _automaton(parts), _automaton(_renamed(rng, wide))


def _add(
    table: dict[int, dict[int, Fraction]], entering: dict[int, set[int]], p: int, q: int, w: Fraction
) -> None:
    row = table.setdefault(p, {})
    row[q] = row.get(q, Fraction(0)) + w
    if row[q]:
        entering.setdefault(q, set()).add(p)
    else:
        del row[q]
        entering[q].discard(p)


FAMILIES: dict[str, Callable[[Generator, int], tuple[WFSA, WFSA]]] = {
    "permuted": permuted,
    "split and pushed": split_and_pushed,
    "useless parts": with_useless_parts,
    "trie and minimal": trie_and_minimal,
    "determinised": determinised,
    "another basis": in_another_basis,
}
"""The families by name.

Each takes a generator and the approximate number of states of the larger automaton, at least two.
"""


def changed(rng: Generator, automaton: WFSA) -> WFSA:
    """Return the automaton with one transition's weight changed slightly.

    The transition is on a path from an initial to a final state, if there is one.
    """
    edges = list(automaton.edges())
    sources, targets = np.array([(e.source, e.target) for e in edges]).T
    reached = reachable(automaton.initial != 0, (sources, targets))
    leads = reachable(automaton.final != 0, (targets, sources))
    useful = np.flatnonzero(reached[sources] & leads[targets])
    index = int(rng.choice(useful if len(useful) else len(edges)))
    old = edges[index].weight
    new = Fraction(old.numerator * 10**6 + 1, old.denominator * 10**6)
    edges[index] = edges[index]._replace(weight=new)
    ends = [
        [(q, w) for q, w in enumerate(vector.tolist()) if w]
        for vector in (automaton.initial, automaton.final)
    ]
    return WFSA.from_edges(automaton.semiring, automaton.states, automaton.alphabet, ends[0], ends[1], edges)
