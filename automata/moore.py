"""Moore machines, which are deterministic automata with an output for each state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from automata.aliases import String, Symbols
from automata.checks import checked_alphabet
from automata.dfa import DFA


@dataclass(frozen=True)
class Moore:
    """A complete deterministic automaton with an output for each state.

    >>> parity = Moore(("a",), 0, ((1,), (0,)), ("even", "odd"))
    >>> parity.output("aaa")
    'odd'

    Args:
        alphabet: the symbols.
        start: the start state.
        table: ``table[q][a]`` is the state after state q and the a-th symbol.
        outputs: the output of each state.
    """

    alphabet: tuple[Hashable, ...]
    start: int
    table: tuple[tuple[int, ...], ...]
    outputs: tuple[Hashable, ...]

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.table)

    def output(self, string: String) -> Hashable:
        """Return the output of the state that the string leads to."""
        return self.outputs[self.accepting(frozenset()).run(string)[-1]]

    def accepting(self, final: frozenset[int]) -> DFA:
        """Return the DFA with the states and transitions of this machine, and these accept states."""
        return DFA(self.alphabet, self.start, self.table, final)

    def minimal(self) -> Moore:
        """Return the minimal machine with the same outputs on all strings.

        States are numbered in the order in which strings reach them.

        >>> Moore(("a",), 0, ((1,), (2,), (0,)), ("x", "x", "x")).minimal()
        Moore(alphabet=('a',), start=0, table=((0,),), outputs=('x',))
        """
        block = _numbered(self.outputs)
        while True:
            finer = _numbered([(block[q], *(block[r] for r in row)) for q, row in enumerate(self.table)])
            if max(finer) == max(block):
                break
            block = finer
        order, old = {block[self.start]: 0}, [self.start]
        for q in old:
            for r in self.table[q]:
                if block[r] not in order:
                    order[block[r]] = len(old)
                    old.append(r)
        table = tuple(tuple(order[block[r]] for r in self.table[q]) for q in old)
        return Moore(self.alphabet, 0, table, tuple(self.outputs[q] for q in old))

    def difference(self, other: Moore) -> Symbols | None:
        """Return the shortlex-least string after which the outputs differ; ``None`` if there is none.

        >>> Moore(("a",), 0, ((0,),), (1,)).difference(Moore(("a",), 0, ((1,), (1,)), (1, 2)))
        ('a',)
        """
        columns = [other.alphabet.index(symbol) for symbol in checked_alphabet(self.alphabet)]
        words: dict[tuple[int, int], Symbols] = {(self.start, other.start): ()}
        queue = list(words)
        for p, q in queue:
            if self.outputs[p] != other.outputs[q]:
                return words[p, q]
            for a, symbol in enumerate(self.alphabet):
                pair = self.table[p][a], other.table[q][columns[a]]
                if pair not in words:
                    words[pair] = (*words[p, q], symbol)
                    queue.append(pair)
        return None


def _numbered(values: Iterable[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
