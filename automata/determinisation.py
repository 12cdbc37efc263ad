"""Subset construction and Hopcroft's minimisation for boolean automata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from automata.errors import InputError, LimitReached
from automata.operations import remove_epsilon, trim
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA

MOST_STATES = 1 << 14
"""Maximum number of states of the subset construction.

A deterministic automaton with more states is still accepted.
"""
MOST_ARROWS = 1 << 22
"""Maximum number of transitions of the determinised automaton; symbols that share a matrix count once."""
MOST_WORDS = 1 << 27
"""Memory limit of all sets of the subset construction, in 8-byte words; see :meth:`Sets.words`."""
FEW_STATES = 1024
"""Up to this many states, a set of states is an integer bit mask."""
Set: TypeAlias = Any
"""A set of states: an ``int`` whose bits are its members, or a ``frozenset``.

Both support ``&`` and ``|``, and both are falsy if empty.
"""


class TooManyStates(LimitReached):
    """Raised if a subset construction exceeds its limits."""


@dataclass(frozen=True)
class Sets:
    """A boolean automaton that runs on sets of states, where each set is an integer bit mask.

    Attributes:
        initial, final: sets.
        successors: for each state, a dictionary from matrix index to the set of successors. Empty sets are
            omitted.
        num_matrices: the number of matrices.
    """

    initial: Set
    final: Set
    successors: Sequence[Mapping[int, Set]]
    num_matrices: int

    @property
    def single(self) -> bool:
        """Whether the automaton is deterministic: all sets in its attributes have at most one state."""
        return all(
            self.size(states) <= 1
            for states in (self.initial, *(s for q in self.successors for s in q.values()))
        )

    def after(self, states: Set) -> Mapping[int, Set]:
        """Return the nonempty set of successors of a set of states for each matrix index, as a dictionary."""
        if self._joined is None:
            return self._after(states)
        reached, joined = 0, self._joined
        while states:
            low = states & -states
            reached |= joined[low.bit_length() - 1]
            states ^= low
        moved, index, n = {}, 0, len(joined)
        mask = (1 << n) - 1
        while reached:
            if targets := reached & mask:
                moved[index] = targets
            reached >>= n
            index += 1
        return moved

    @cached_property
    def _joined(self) -> list[int] | None:
        """For each state, the bit masks of its successors by all symbols, concatenated into one integer.

        ``None`` if the integers would be too long.
        """
        n = len(self.successors)
        if n * self.num_matrices > FEW_STATES:
            return None
        return [sum(targets << n * index for index, targets in own.items()) for own in self.successors]

    def _after(self, states: Set) -> Mapping[int, Set]:
        if self.size(states) == 1:
            return self.successors[next(self.members(states))]
        moved: dict[int, Set] = {}
        for q in self.members(states):
            for index, targets in self.successors[q].items():
                moved[index] = moved[index] | targets if index in moved else targets
        return moved

    @staticmethod
    def members(states: Set) -> Iterator[int]:
        """Yield the states of a set, smallest first."""
        while states:
            low = states & -states
            yield low.bit_length() - 1
            states ^= low

    @staticmethod
    def size(states: Set) -> int:
        """Return the number of states in a set."""
        return int(states.bit_count())

    @staticmethod
    def words(states: Set) -> int:
        """Return the approximate memory of a set, in 8-byte words."""
        return 4 + int(states.bit_length()) // 60

    @staticmethod
    def within(part: Set, superset: Set) -> bool:
        """Return whether one set is a subset of another."""
        return bool(part & ~superset == 0)

    @staticmethod
    def shifted(states: Set, by: int) -> Set:
        """Return the set with ``by`` added to each of its states."""
        return states << by

    @staticmethod
    def of(states: Iterable[int]) -> Set:
        """Return the bit mask of these states."""
        bits = 0
        for q in states:
            bits |= 1 << q
        return bits


class SparseSets(Sets):
    """A boolean automaton that runs on frozen sets, for automata with many states and small sets."""

    @property
    def _joined(self) -> None:
        return None

    @staticmethod
    def members(states: Set) -> Iterator[int]:
        return iter(states)

    @staticmethod
    def size(states: Set) -> int:
        return len(states)

    @staticmethod
    def words(states: Set) -> int:
        return 16 + 5 * len(states)

    @staticmethod
    def within(part: Set, superset: Set) -> bool:
        return bool(part <= superset)

    @staticmethod
    def shifted(states: Set, by: int) -> Set:
        return frozenset(q + by for q in states)

    @staticmethod
    def of(states: Iterable[int]) -> Set:
        return frozenset(states)


def sets(automaton: WFSA, indices: Sequence[int] | None = None, few: bool | None = None) -> Sets:
    """Convert an epsilon-free boolean automaton to one that runs on sets of states.

    Args:
        automaton: the automaton.
        indices: the indices of the matrices to use; all by default.
        few: whether to represent the sets by bit masks; by default, if there are few states.
    """
    kind = Sets if (automaton.states <= FEW_STATES if few is None else few) else SparseSets
    tables = automaton.tables if indices is None else [automaton.tables[index] for index in indices]
    initial, final = (kind.of(np.flatnonzero(part).tolist()) for part in (automaton.initial, automaton.final))
    targets: list[dict[int, list[int]]] = [{} for _ in range(automaton.states)]
    for index, table in enumerate(tables):
        for q, r in zip(table.rows.tolist(), table.columns.tolist(), strict=True):
            targets[q].setdefault(index, []).append(r)
    successors = [{index: kind.of(several) for index, several in own.items()} for own in targets]
    return kind(initial, final, successors, len(tables))


def determinise(automaton: WFSA, most: int = MOST_STATES) -> WFSA:
    """Return the deterministic automaton on the nonempty reachable sets of states (subset construction).

    >>> from automata.semirings import BOOLEAN
    >>> both = WFSA(BOOLEAN, [True, False], [False, True], {"a": [[True, True], [False, False]]})
    >>> determinise(both)
    <WFSA: 2 states, 1 symbol, boolean semiring, exact>

    Raises:
        InputError: If the automaton is not boolean.
        TooManyStates: If there are more than ``most`` sets, or a limit on transitions or memory is
            exceeded.
    """
    if not automaton.semiring.is_boolean:
        raise InputError(
            f"determinise: the automaton must be boolean, got one over the {automaton.semiring.name} semiring"
        )
    plain, most_arrows = trim(remove_epsilon(automaton)), MOST_ARROWS
    if is_deterministic(plain):  # each reachable set is a single state
        most, most_arrows = max(most, plain.states), max(most_arrows, sum(map(len, plain.tables)))
    on = sets(plain)
    numbers: dict[Set, int] = {on.initial: 0} if on.initial else {}
    arrows: Arrows = [([], []) for _ in plain.tables]
    queue, count, words = list(numbers), 0, 0
    for source, states in enumerate(queue):
        moved = on.after(states)
        count, words = count + len(moved), words + on.words(states)
        if count > most_arrows:
            raise TooManyStates(f"the deterministic automaton has more than {most_arrows:,} transitions")
        if words > MOST_WORDS:
            raise TooManyStates(
                f"the sets of states of the deterministic automaton use more than {MOST_WORDS:,} 8-byte words"
            )
        for index in sorted(moved):
            following = moved[index]
            if following not in numbers:
                numbers[following] = len(queue)
                queue.append(following)
                if len(queue) > most:
                    raise TooManyStates(f"the deterministic automaton has more than {most:,} states")
            arrows[index][0].append(source)
            arrows[index][1].append(numbers[following])
    return _built(plain, len(queue), 0, [q for q, states in enumerate(queue) if states & on.final], arrows)


def is_deterministic(automaton: WFSA) -> bool:
    """Return whether the automaton is deterministic.

    It then has at most one initial state, no epsilon transitions, and at most one transition per
    state and symbol.
    """
    one_start = int((automaton.initial != automaton.semiring.zero).sum()) <= 1
    return (
        one_start
        and not automaton.has_epsilon
        and all(bool((np.diff(table.rows) > 0).all()) for table in automaton.tables)
    )


def minimal(automaton: WFSA, most: int = MOST_STATES) -> WFSA:
    """Return the minimal deterministic automaton of the same language, without a dead state.

    States are numbered in the order in which strings reach them. Two automata with the same language and the
    same ordered alphabet therefore give identical results.


    >>> from automata.semirings import BOOLEAN
    >>> minimal(WFSA(BOOLEAN, [True, True], [True, True], {"a": [[True, True], [True, True]]}))
    <WFSA: 1 state, 1 symbol, boolean semiring, exact>
    """
    trimmed = trim(determinise(automaton, most))
    steps = targets(trimmed)
    block = hopcroft(trimmed.states, np.flatnonzero(trimmed.final).tolist(), steps)
    start = np.flatnonzero(trimmed.initial).tolist()
    quotient: dict[int, dict[int, int]] = {b: {} for b in block}
    for a in dict.fromkeys(trimmed.index.values()):  # in the alphabet's order, not the matrices'
        for q, r in steps[a].items():
            quotient[block[q]][a] = block[r]
    order: dict[int, int] = {block[q]: 0 for q in start}
    queue = list(order)
    for b in queue:
        for following in quotient[b].values():
            if following not in order:
                order[following] = len(queue)
                queue.append(following)
    final = {order[block[q]] for q in np.flatnonzero(trimmed.final).tolist()}
    arrows: Arrows = [([], []) for _ in steps]
    for b, row in quotient.items():
        for a, c in row.items():
            arrows[a][0].append(order[b])
            arrows[a][1].append(order[c])
    return _built(trimmed, len(queue), 0, sorted(final), arrows)


def targets(automaton: WFSA) -> list[dict[int, int]]:
    """Return, for each distinct matrix of a deterministic automaton, a dictionary from state to successor."""
    return [dict(zip(t.rows.tolist(), t.columns.tolist(), strict=True)) for t in automaton.tables]


def hopcroft(states: int, final: Iterable[int], steps: Sequence[Mapping[int, int]]) -> list[int]:
    """Return each state's block in the coarsest partition that is stable under transitions (Hopcroft).

    The automaton must be complete or trim. In a trim automaton, a state without a transition by some symbol
    differs from a state with one. No dead state is needed, because the predecessors of the first blocks split
    such states off.

    Returns:
        The block number of each state; the numbers have no order.
    """
    before: list[dict[int, list[int]]] = []
    reading: list[list[int]] = [[] for _ in range(states)]  # the symbols that lead to each state
    for a, table in enumerate(steps):
        inverse: dict[int, list[int]] = defaultdict(list)
        for q, r in table.items():
            inverse[r].append(q)
        before.append(inverse)
        for r in inverse:
            reading[r].append(a)
    blocks = [set(final), set(range(states)) - set(final)]
    block = [0 if q in blocks[0] else 1 for q in range(states)]
    # without a dead state, both first blocks must split; "the smaller half" is valid only for later splits
    waiting = [(b, a) for b in range(2) for a in {a for r in blocks[b] for a in reading[r]}]
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
            # If the old block is waiting, both halves now wait; otherwise the smaller half is enough.
            # A symbol that leads to none of its states splits nothing.
            waiting += [(fresh, a) for a in {a for q in small for a in reading[q]}]
    return block


Arrows: TypeAlias = list[tuple[list[int], list[int]]]
"""The sources and targets of the transitions of each distinct matrix."""


def _built(like: WFSA, states: int, start: int, final: list[int], arrows: Arrows) -> WFSA:
    initial, last = np.zeros(states, dtype=bool), np.zeros(states, dtype=bool)
    if states:
        initial[start] = True
    last[final] = True
    tables = [
        SparseMatrix.of_entries(states, sources, targets, np.ones(len(sources), dtype=bool))
        for sources, targets in arrows
    ]
    return like.replace(initial=initial, final=last, tables=tables)
