"""Boolean automata: subset construction, and Hopcroft's minimisation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from automata.aliases import Weights
from automata.errors import InputError
from automata.operations import remove_epsilon, trim
from automata.semirings import BOOLEAN
from automata.table import Table
from automata.wfsa import MOST_BOOLEANS, WFSA

MOST_STATES = 1 << 14
"""The most states that the subset construction may make; of a deterministic automaton it makes no more than
there are.
"""
FEW_STATES = 1024
"""Up to so many, sets of states are the bits of a number."""


class TooManyStates(InputError):
    """The subset construction makes more states than it may."""


@dataclass(frozen=True)
class Sets:
    """A boolean automaton on sets of states, each an integer whose bits are its members.

    Attributes:
        initial, final: sets.
        successors: for each distinct matrix, for each state, the set of its successors.
    """

    initial: int
    final: int
    successors: list[list[int]]

    @property
    def single(self) -> bool:
        """Is every set that a string reaches empty, or a single state?"""
        return all(
            states & (states - 1) == 0
            for states in (self.initial, *(s for table in self.successors for s in table))
        )

    def step(self, states: int, place: int) -> int:
        """The successors of a set by the symbols that have that matrix."""
        table, targets = self.successors[place], 0
        while states:
            low = states & -states
            targets |= table[low.bit_length() - 1]
            states ^= low
        return targets


def sets(automaton: WFSA, matrices: Sequence[Weights] | None = None) -> Sets:
    """The automaton on sets: with the given matrices, or its own distinct ones."""
    tables = automaton.matrices if matrices is None else matrices
    return Sets(
        _bits(automaton.initial), _bits(automaton.final), [[_bits(row) for row in table] for table in tables]
    )


@dataclass(frozen=True)
class SparseSets:
    """The same of many states, where sets are small: as frozen sets.

    Attributes:
        initial, final: sets.
        successors: for each distinct matrix, for each state that has some, its successors.
    """

    initial: frozenset[int]
    final: frozenset[int]
    successors: list[dict[int, list[int]]]

    def step(self, states: frozenset[int], place: int) -> frozenset[int]:
        """The successors of a set by the symbols that have that matrix."""
        table = self.successors[place]
        return frozenset(r for q in states for r in table.get(q, ()))


def sparse_sets(automaton: WFSA) -> SparseSets:
    """The automaton on sets, by its own distinct matrices."""
    successors: list[dict[int, list[int]]] = []
    for table in automaton.tables:
        targets: dict[int, list[int]] = {}
        for q, r in zip(table.rows.tolist(), table.columns.tolist(), strict=True):
            targets.setdefault(q, []).append(r)
        successors.append(targets)
    initial, final = (
        frozenset(np.flatnonzero(part).tolist()) for part in (automaton.initial, automaton.final)
    )
    return SparseSets(initial, final, successors)


def _bits(row: Weights) -> int:
    return int.from_bytes(np.packbits(np.asarray(row, dtype=bool), bitorder="little").tobytes(), "little")


def determinise(automaton: WFSA, most: int = MOST_STATES) -> WFSA:
    """The subset construction: the deterministic automaton on the sets that some string reaches, the empty
    set left out.

    >>> both = WFSA(BOOLEAN, [True, False], [False, True], {"a": [[True, True], [False, False]]})
    >>> determinise(both)
    <WFSA: 2 states, 1 symbol, boolean semiring, exact>

    Raises:
        InputError: it is not boolean, or has more such sets than ``most``, or than there is room for in
            matrices.
    """
    if automaton.semiring is not BOOLEAN:
        raise InputError(
            f"the subset construction is for boolean automata; this one is over the {automaton.semiring.name}"
            " semiring"
        )
    plain = trim(remove_epsilon(automaton))
    most = min(most, isqrt(MOST_BOOLEANS // max(1, len(plain.tables))))
    if is_deterministic(plain):
        most = max(most, plain.states)  # its sets are its states
    on = sets(plain) if plain.states <= FEW_STATES else sparse_sets(plain)
    numbers: dict[Any, int] = {on.initial: 0} if on.initial else {}
    arrows: list[tuple[int, int, int]] = []
    queue = list(numbers)
    for source, states in enumerate(queue):
        for place in range(len(on.successors)):
            following = on.step(states, place)
            if following and following not in numbers:
                numbers[following] = len(queue)
                queue.append(following)
                if len(queue) > most:
                    raise TooManyStates(f"the deterministic automaton has more than {most:,} states")
            if following:
                arrows.append((place, source, numbers[following]))
    return _built(plain, len(queue), 0, [q for q, states in enumerate(queue) if states & on.final], arrows)


def is_deterministic(automaton: WFSA) -> bool:
    """At most one initial state, no epsilon, and from each state at most one transition for each symbol? Of
    any semiring.
    """
    one_start = int((automaton.initial != automaton.semiring.zero).sum()) <= 1
    return (
        one_start
        and automaton.silent is None
        and all(bool((np.diff(table.rows) > 0).all()) for table in automaton.tables)
    )


def minimal(automaton: WFSA, most: int = MOST_STATES) -> WFSA:
    """The least deterministic automaton of the same language, without a dead state.

    Its states are in the order in which strings reach them, so two automata with one language and one
    alphabet give the very same result.

    >>> minimal(WFSA(BOOLEAN, [True, True], [True, True], {"a": [[True, True], [True, True]]}))
    <WFSA: 1 state, 1 symbol, boolean semiring, exact>
    """
    whole = trim(determinise(automaton, most))
    steps = [dict(zip(t.rows.tolist(), t.columns.tolist(), strict=True)) for t in whole.tables]
    block = hopcroft(whole.states, np.flatnonzero(whole.final).tolist(), steps)
    start = np.flatnonzero(whole.initial).tolist()
    quotient = {(a, block[q]): block[r] for a, table in enumerate(steps) for q, r in table.items()}
    order: dict[int, int] = {block[q]: 0 for q in start}
    queue = list(order)
    for b in queue:
        for a in dict.fromkeys(
            whole.index.values()
        ):  # in the alphabet's order, whatever the matrices' order is
            following = quotient.get((a, b))
            if following is not None and following not in order:
                order[following] = len(queue)
                queue.append(following)
    final = {order[block[q]] for q in np.flatnonzero(whole.final).tolist()}
    return _built(
        whole, len(queue), 0, sorted(final), [(a, order[b], order[c]) for (a, b), c in quotient.items()]
    )


def targets(table: Weights) -> dict[int, int]:
    """For each state the one that a deterministic automaton's matrix leads to, where it leads anywhere."""
    return {int(q): int(r) for q, r in zip(*np.nonzero(table), strict=True)}


def hopcroft(states: int, final: Iterable[int], steps: Sequence[Mapping[int, int]]) -> list[int]:
    """The number of each state's block in the coarsest partition that the steps respect: Hopcroft's
    algorithm.

    The automaton is complete, or it is trim: then a state without a step by some symbol differs from one with
    it, and the symbols' domains need no dead state, for the sets of predecessors of the first blocks split
    them off.

    Args:
        states: their number, n.
        final: the final ones.
        steps: for each symbol the state after each state.

    Returns:
        For each state the number of its block; the numbers have no order.
    """
    before: list[dict[int, list[int]]] = []
    for table in steps:
        inverse: dict[int, list[int]] = defaultdict(list)
        for q, r in table.items():
            inverse[r].append(q)
        before.append(inverse)
    blocks = [set(final), set(range(states)) - set(final)]
    block = [0 if q in blocks[0] else 1 for q in range(states)]
    # without a dead state both first blocks have to split: "the smaller half" is right only for what is split
    # later
    waiting = [(b, a) for b in range(2) for a in range(len(steps))]
    while waiting:
        splitter = waiting.pop()
        into: dict[int, set[int]] = defaultdict(set)
        for r in list(blocks[splitter[0]]):
            for q in before[splitter[1]].get(r, ()):
                into[block[q]].add(q)
        for b, inside in into.items():
            if len(inside) == len(blocks[b]):
                continue
            blocks[b] -= inside
            fresh = len(blocks)
            small, large = (inside, blocks[b]) if len(inside) <= len(blocks[b]) else (blocks[b], inside)
            blocks[b] = large
            blocks.append(small)
            for q in small:
                block[q] = fresh
            # where the old number waits, both halves wait now; where it does not, the smaller half is enough
            waiting += [(fresh, a) for a in range(len(steps))]
    return block


def _built(like: WFSA, states: int, start: int, final: list[int], arrows: list[tuple[int, int, int]]) -> WFSA:
    initial, last = np.zeros(states, dtype=bool), np.zeros(states, dtype=bool)
    if states:
        initial[start] = True
    last[final] = True
    by_place: list[tuple[list[int], list[int]]] = [([], []) for _ in like.tables]
    for place, source, target in arrows:
        by_place[place][0].append(source)
        by_place[place][1].append(target)
    tables = [
        Table.of_entries(states, sources, targets, np.ones(len(sources), dtype=bool))
        for sources, targets in by_place
    ]
    return like.replace(initial=initial, final=last, tables=tables)
