"""Proof of equivalence over any semiring by lumping, which maps both automata to a smaller one.

Equality over max-plus is undecidable in general (Krob 1994). It is proved if a matrix X
intertwines two automata: lambda_A X = lambda_C, M_A(a) X = X M_C(a) for every symbol a, and rho_A =
X rho_C. Here X maps states to classes. States of the same class have equal final weights, and equal sums
of weights into each class for each symbol. The classes are the coarsest such partition, found by
refinement; states that reach no final state have no class.

If both automata map to one C in this way, directly or mirrored, they are equivalent. Otherwise, the
verdict is unknown.

Sums of logarithms are irrational. Over the log semiring, two sums count as equal only if their summands are
equal.

>>> from automata.semirings import MAX_PLUS
>>> from automata.wfsa import WFSA
>>> one = WFSA(MAX_PLUS, [0], [1], {"a": [[2]]})
>>> two = WFSA(MAX_PLUS, [0, -1], [1, 1], {"a": [[2, 0], [1, 2]]})
>>> answer = lump(one, two)
>>> answer.verdict, answer.certificate.through.states
('equivalent', 1)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce

from automata.aliases import Symbol, Weight
from automata.equivalence.answers import Equivalent
from automata.equivalence.arrows import Arrows, arrows, kinds
from automata.equivalence.certificates import Lumped
from automata.wfsa import WFSA

Classes = list[dict[int, int]]
"""The class of each state, for each automaton; some states have no class."""
State = tuple[int, int]
"""A state: the index of the automaton, and the index of its state."""
HOW = "lumping gives the same automaton for both"


def lump(a: WFSA, b: WFSA) -> Equivalent | None:
    """Return Equivalent if lumping shows that two epsilon-free automata are equal, otherwise ``None``.

    Both must have the same symbols in the same order.
    """
    both, _ = arrows([a, b])
    _, _, kind = kinds([a, b])
    add = _sums(a)
    for mirrored in (False, True):
        sides = [side.mirrored() for side in both] if mirrored else both
        classes = _refined(sides, add)
        if not _agree(sides, classes, add):
            continue
        if a.semiring.float_only:
            return Equivalent(HOW)
        through = _quotient(a, sides, classes, kind, mirrored)
        return Equivalent(HOW, Lumped(a, b, through, classes[0], classes[1], mirrored))
    return None


def _sums(a: WFSA) -> Callable[[list[Weight]], Hashable]:
    """Return the function that sums weights; over the log semiring it returns the sorted summands instead."""
    if a.semiring.float_only:
        return lambda weights: tuple(sorted(weights))
    return lambda weights: reduce(a.semiring.plus, weights)


def _sources(side: Arrows) -> dict[int, set[int]]:
    """Return the source states of the transitions into each state."""
    back: dict[int, set[int]] = {}
    for rows in side.mirrored().out:
        for r, row in rows.items():
            back.setdefault(r, set()).update(q for q, _ in row)
    return back


def _live(side: Arrows, back: dict[int, set[int]]) -> set[int]:
    """Return the states from which a final state is reachable, given the sources ``back`` of each state."""
    live, waiting = set(side.final), list(side.final)
    while waiting:
        more = back.get(waiting.pop(), set()) - live
        live |= more
        waiting += more
    return live


def _refined(sides: Sequence[Arrows], add: Callable[[list[Weight]], Hashable]) -> Classes:
    """Return the coarsest stable partition of the states of both automata.

    States of a class have equal final weights, and equal sums of weights into each class for each symbol.
    When a class splits, its largest part keeps the number of the class, so only the sources of the other
    parts are visited again.
    """
    back = [_sources(side) for side in sides]
    live = [_live(side, sources) for side, sources in zip(sides, back, strict=True)]
    classes = _numbered([{q: side.final.get(q) for q in own} for side, own in zip(sides, live, strict=True)])
    own_rows = [_rows_of(side) for side in sides]
    signatures: dict[State, Hashable] = {}
    members: dict[int, dict[Hashable, set[State]]] = {}

    def signature_of(state: State) -> Hashable:
        i, q = state
        reached = ((index, _into(row, classes[i], add)) for index, row in own_rows[i].get(q, ()))
        return tuple((index, into) for index, into in reached if into)

    waiting = {(i, q) for i, of_side in enumerate(classes) for q in of_side}
    while waiting:
        changed_classes: set[int] = set()
        for state in waiting:
            c = classes[state[0]][state[1]]
            parts = members.setdefault(c, {})
            if state in signatures:
                parts[signatures[state]].discard(state)
            signatures[state] = signature_of(state)
            parts.setdefault(signatures[state], set()).add(state)
            changed_classes.add(c)
        moved: list[State] = []
        for c in changed_classes:
            parts = {what: states for what, states in members[c].items() if states}
            largest = max(parts.values(), key=len)
            members[c] = {signatures[next(iter(largest))]: largest}
            for what, states in parts.items():
                if states is not largest:
                    fresh = len(members)
                    members[fresh] = {what: states}
                    moved += states
                    for i, q in states:
                        classes[i][q] = fresh
        waiting = {(i, p) for i, q in moved for p in back[i].get(q, ()) if p in live[i]}
    return _numbered(classes)


def _rows_of(side: Arrows) -> dict[int, list[tuple[int, list[tuple[int, Weight]]]]]:
    """Return, for each state, its transitions grouped by symbol index."""
    rows: dict[int, list[tuple[int, list[tuple[int, Weight]]]]] = {}
    for index, table in enumerate(side.out):
        for q, row in table.items():
            rows.setdefault(q, []).append((index, row))
    return rows


def _numbered(signatures: Iterable[Mapping[int, Hashable]]) -> Classes:
    """Return a class number for each signature; equal signatures share a number, counted from 0."""
    numbers: dict[Hashable, int] = {}
    return [
        {q: numbers.setdefault(signature, len(numbers)) for q, signature in sorted(side.items())}
        for side in signatures
    ]


def _into(
    row: Sequence[tuple[int, Weight]], classes: dict[int, int], add: Callable[[list[Weight]], Hashable]
) -> frozenset[tuple[int, Weight]]:
    """Return the total weight of the transitions in ``row`` into each class."""
    weights: dict[int, list[Weight]] = {}
    for r, weight in row:
        if r in classes:
            weights.setdefault(classes[r], []).append(weight)
    return frozenset((c, add(several)) for c, several in weights.items())


def _agree(sides: Sequence[Arrows], classes: Classes, add: Callable[[list[Weight]], Hashable]) -> bool:
    """Return whether both automata have the same total initial weight in each class."""
    first, second = (
        _into(list(side.initial.items()), of_side, add) for side, of_side in zip(sides, classes, strict=True)
    )
    return bool(first == second)


def _quotient(
    a: WFSA, sides: Sequence[Arrows], classes: Classes, kind: dict[Symbol, int], mirrored: bool
) -> WFSA:
    """Return the quotient automaton.

    If the classes are those of the reversed automaton (``mirrored``), the quotient is reversed again.
    """
    k = a.semiring
    members = {c: (side, q) for side in (1, 0) for q, c in classes[side].items()}

    def plus(weights: list[Weight]) -> Weight:
        return reduce(k.plus, weights)

    initial = list(_into(list(sides[0].initial.items()), classes[0], plus))
    final = [(c, sides[side].final[q]) for c, (side, q) in members.items() if q in sides[side].final]
    edges = []
    for c, (side, q) in members.items():
        for index, table in enumerate(sides[side].out):
            for target, weight in _into(table[q], classes[side], plus):
                edges.append((target, c, index, weight) if mirrored else (c, target, index, weight))
    first, last = (final, initial) if mirrored else (initial, final)
    # symbols of the same kind share a matrix
    of_kinds = WFSA.from_edges(k, len(members), range(len(sides[0].out)), first, last, edges)
    return of_kinds.replace(index={symbol: of_kinds.index[kind[symbol]] for symbol in a.alphabet})
