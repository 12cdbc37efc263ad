"""A complete, immutable deterministic finite automaton: runs, minimisation, shortest differences."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from automata.aliases import String, Symbols
from automata.checks import checked_alphabet, checked_state, listed
from automata.determinisation import determinise, hopcroft, targets
from automata.drawing import Drawable
from automata.errors import InputError, LimitReached
from automata.reachability import dead_states
from automata.semirings import BOOLEAN, Semiring
from automata.symbols import differences, known_symbols
from automata.text.number_text import shorten
from automata.wfsa import WFSA

MOST_PLACES = 1 << 25
"""Maximum number of states times symbols, which is the size of a DFA's table."""


@dataclass(frozen=True, init=False)
class DFA(Drawable):
    """A complete DFA <states, alphabet, delta, start, final>: each state reads each symbol.

    >>> even = DFA(("a", "b"), start=0, table=((1, 0), (0, 1)), final=frozenset({0}))
    >>> even.accepts("aba"), even.run("aba")
    (True, [0, 1, 1, 0])

    Lists, sets and NumPy integers are also accepted, and are converted to the types below.

    Args:
        alphabet: The symbols, any hashable values except ``""``.
        start: The start state.
        table: ``table[q][a]`` is the state after state q and the a-th symbol; n rows, each as long as the
            alphabet.
        final: The accept states.

    Raises:
        InputError: If a symbol occurs twice, a row does not have one entry per symbol, or a state is invalid.

    References:
        Wang & Niepert (2019), section 2, "DFA".
    """

    alphabet: tuple[Hashable, ...]
    start: int
    table: tuple[tuple[int, ...], ...]
    final: frozenset[int]

    def __init__(
        self, alphabet: Iterable[Hashable], start: int, table: Iterable[Iterable[int]], final: Iterable[int]
    ) -> None:
        symbols, rows = checked_alphabet(alphabet), listed(table, "the table")
        if not rows:
            raise InputError("the table must have at least one row, for the start state")
        lists = [listed(row, f"the row of state {q}") for q, row in enumerate(rows)]
        for q, row in enumerate(lists):
            if len(row) != len(symbols):
                raise InputError(
                    f"the row of state {q} must have {len(symbols)} states, one per symbol, got {len(row)}"
                )
        n = len(rows)
        states = tuple(
            tuple(
                checked_state(r, n, f"table, state {q}, symbol {shorten(s)}")
                for s, r in zip(symbols, row, strict=True)
            )
            for q, row in enumerate(lists)
        )
        for name, value in [
            ("alphabet", symbols),
            ("start", checked_state(start, n, "start")),
            ("table", states),
            ("final", frozenset(checked_state(q, n, "final") for q in listed(final, "final"))),
        ]:
            object.__setattr__(self, name, value)

    @property
    def states(self) -> int:
        """The number of states, n."""
        return len(self.table)

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The index of each symbol in the alphabet."""
        return {symbol: a for a, symbol in enumerate(self.alphabet)}

    def run(self, string: String) -> list[int]:
        """Return the T + 1 states that a string of T symbols visits, the start state first."""
        states = [self.start]
        for symbol in known_symbols(self.index, string):
            states.append(self.table[states[-1]][self.index[symbol]])
        return states

    def accepts(self, string: String) -> bool:
        """Return whether the string ends in an accept state."""
        return self.run(string)[-1] in self.final

    @property
    def dead(self) -> frozenset[int]:
        """The states from which no string leads to an accept state."""
        return frozenset(np.flatnonzero(dead_states(self.to_wfsa())).tolist())

    def to_wfsa(self, semiring: Semiring = BOOLEAN) -> WFSA:
        """Return the weighted automaton with weight one for each transition, start state and accept state.

        The weights are exact, and the numbers of the states do not change.

        >>> from automata.forward import score
        >>> from automata.semirings import REAL
        >>> score(DFA(("a",), 0, ((1,), (0,)), frozenset({0})).to_wfsa(REAL), "aa")
        Fraction(1, 1)
        """
        one = semiring.one
        arrows = [
            (q, r, s, one)
            for q, row in enumerate(self.table)
            for s, r in zip(self.alphabet, row, strict=True)
        ]
        final = [(q, one) for q in sorted(self.final)]
        return WFSA.from_edges(semiring, self.states, self.alphabet, [(self.start, one)], final, arrows)

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """Return a boolean automaton with the same language and the same states."""
        return self.to_wfsa()

    def state_automata(self, semiring: Semiring = BOOLEAN) -> tuple[WFSA, ...]:
        """Return, for each state, the automaton that scores one if a string ends there and zero otherwise."""
        automaton = self.to_wfsa(semiring)
        return tuple(
            automaton.replace(final=row) for row in semiring.identity(self.states, exact=automaton.exact)
        )

    @classmethod
    def from_wfsa(cls, automaton: WFSA) -> DFA:
        """Return the DFA of a boolean automaton by the subset construction.

        The automaton may be nondeterministic and may have epsilon transitions. The DFA has a dead state if it
        needs one. States are numbered in the order in which strings reach them. A file stores a DFA as a
        boolean automaton: ``DFA.from_wfsa(files.read("machine.json"))``.

        >>> DFA.from_wfsa(WFSA(BOOLEAN, [True, False], [False, True], {"a": [[True, True], [False, False]]}))
        DFA(alphabet=('a',), start=0, table=((1,), (1,)), final=frozenset({1}))

        Raises:
            InputError: If the automaton is not boolean, or has more than 16,384 sets of states.
            LimitReached: If the table would be too large.
        """
        sets = determinise(automaton)
        dead = sets.states
        if (dead + 1) * len(sets.index) > MOST_PLACES:
            raise LimitReached(
                f"the table of a DFA must have at most {MOST_PLACES:,} entries, got {dead + 1:,} states times"
                f" {len(sets.index):,} symbols"
            )
        steps = targets(sets)
        after = {s: steps[index] for s, index in sets.index.items()}
        # The first set is state 0. The dead state comes last; `reachable` drops it if nothing leads to it.
        table = tuple(tuple(after[s].get(q, dead) for s in sets.alphabet) for q in range(dead + 1))
        return cls(sets.alphabet, 0, table, frozenset(np.flatnonzero(sets.final).tolist())).reachable()[0]

    def reachable(self) -> tuple[DFA, tuple[int, ...]]:
        """Return this DFA without unreachable states, and the old number of each remaining state.

        The new numbers are those of a breadth-first search from the start state, which becomes state 0.
        """
        old = {self.start: 0}
        queue = [self.start]
        for q in queue:
            for r in self.table[q]:
                if r not in old:
                    old[r] = len(queue)
                    queue.append(r)
        table = tuple(tuple(old[r] for r in self.table[q]) for q in queue)
        return DFA(self.alphabet, 0, table, frozenset(old[q] for q in self.final if q in old)), tuple(queue)

    def minimal(self) -> DFA:
        """Return the smallest complete DFA of the language, by Hopcroft's algorithm.

        Two DFAs with the same language and alphabet give the same result. A dead state counts as a state;
        :func:`automata.determinisation.minimal` omits it.

        >>> DFA(("a",), 2, ((1,), (0,), (1,)), frozenset({0, 2})).minimal()
        DFA(alphabet=('a',), start=0, table=((1,), (0,)), final=frozenset({0}))
        """
        steps = [dict(enumerate(column)) for column in zip(*self.table, strict=True)]
        block = hopcroft(self.states, self.final, steps)
        rows = dict(zip(block, self.table, strict=True))  # one state represents its block
        number = {b: i for i, b in enumerate(rows)}
        table = tuple(tuple(number[block[r]] for r in row) for row in rows.values())
        final = frozenset(number[block[q]] for q in self.final)
        return DFA(self.alphabet, number[block[self.start]], table, final).reachable()[0]

    def over(self, alphabet: Iterable[Hashable], of: str = "the other") -> DFA:
        """Return this DFA with the symbols of its alphabet in the given order.

        Args:
            alphabet: the symbols of this DFA, in any order.
            of: a name for the automaton with this alphabet, for error messages.

        Raises:
            InputError: If ``alphabet`` does not have the same symbols.
        """
        order = checked_alphabet(alphabet)
        if set(order) != set(self.alphabet):
            difference = differences(self.alphabet, order, ("the automaton", of))
            raise InputError(f"the alphabets differ: {difference}; both automata must have the same symbols")
        return DFA(
            order,
            self.start,
            tuple(tuple(row[self.index[s]] for s in order) for row in self.table),
            self.final,
        )

    def shortest_difference(self, other: DFA) -> Symbols | None:
        """Return the shortlex-least string that exactly one of the two DFAs accepts, or ``None``.

        The order of the symbols is that of this DFA's alphabet.

        >>> even = DFA(("a",), 0, ((1,), (0,)), frozenset({0}))
        >>> every = DFA(("a",), 0, ((0,),), frozenset({0}))
        >>> even.shortest_difference(every)
        ('a',)

        Raises:
            InputError: If the alphabets of the two DFAs differ.
        """
        other = other.over(self.alphabet)
        pair = (self.start, other.start)
        came: dict[tuple[int, int], tuple[tuple[int, int], Hashable] | None] = {pair: None}
        queue = [pair]  # breadth first: each pair of states is reached by its shortlex-least string first
        for p, q in queue:
            if (p in self.final) != (q in other.final):
                word, step = [], came[p, q]
                while step is not None:
                    word.append(step[1])
                    step = came[step[0]]
                return tuple(word[::-1])
            for symbol, pair in zip(
                self.alphabet, zip(self.table[p], other.table[q], strict=True), strict=True
            ):
                if pair not in came:
                    came[pair] = (p, q), symbol
                    queue.append(pair)
        return None

    def equivalent(self, other: DFA) -> bool:
        """Return whether both DFAs accept the same strings; see also :meth:`shortest_difference`."""
        return self.minimal() == other.over(self.alphabet).minimal()

    def isomorphic(self, other: DFA) -> bool:
        """Return whether both DFAs are equal up to the numbering of states and unreachable states."""
        return self.reachable()[0] == other.over(self.alphabet).reachable()[0]
