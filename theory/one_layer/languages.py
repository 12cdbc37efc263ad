"""The fifteen languages of the table: fourteen DFAs, and a^n b^n as a predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

from automata.aliases import String
from automata.dfa import DFA
from automata.languages.tomita import tomita
from theory.one_layer.machines import Map, Omega, Term, action, reachable


@dataclass(frozen=True, eq=False)
class Language:
    """A language, with its DFA if it is regular, and with a predicate that decides it (``rule``)."""

    name: str
    description: str
    dfa: DFA | None
    rule: Callable[[String], bool] = field(repr=False)

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The letters. The letters of a group are permutations of 1 to n as text."""
        return self.dfa.alphabet if self.dfa else ("a", "b")

    @cached_property
    def maps(self) -> dict[Any, Map]:
        """For each letter, the next state of each state of the DFA."""
        assert self.dfa is not None
        return {letter: tuple(row[a] for row in self.dfa.table) for a, letter in enumerate(self.alphabet)}

    def run(self, term: Term) -> int:
        """Return the state of the DFA after a term, that is, a word that may contain ω-powers."""
        assert self.dfa is not None
        state = self.dfa.start
        for part in term:
            state = (action((part,), self.maps) if isinstance(part, Omega) else self.maps[part])[state]
        return state

    def contains(self, term: Term) -> bool:
        """Return whether the term is in the language; a term may contain ω-powers only if there is a DFA."""
        return self.run(term) in self.dfa.final if self.dfa else self.rule(term)


def _explored(
    start: Any, alphabet: Iterable[Any], step: Callable[[Any, Any], Any], final: Callable[[Any], bool]
) -> DFA:
    states, maps = reachable(start, alphabet, step, 200)
    return DFA(
        tuple(maps),
        0,
        tuple(zip(*maps.values(), strict=True)),
        frozenset(q for q, state in enumerate(states) if final(state)),
    )


def _regular(name: str, description: str, dfa: DFA) -> Language:
    return Language(name, description, dfa, dfa.accepts)


def rearranged(items: tuple[Any, ...], letter: str) -> tuple[Any, ...]:
    """Return the items in the order that a letter names: its digits are indices from 1.

    >>> rearranged(("x", "y", "z"), "312")
    ('z', 'x', 'y')
    """
    return tuple(items[int(digit) - 1] for digit in letter)


def _group(name: str, description: str, n: int, alphabet: Iterable[str]) -> Language:
    start = tuple(range(1, n + 1))
    return _regular(name, description, _explored(start, alphabet, rearranged, start.__eq__))


def swaps(n: int) -> list[str]:
    """Return the swaps of neighbours among n items, each as a string of digits such as "213"."""
    rows = [list(range(1, n + 1)) for _ in range(n - 1)]
    for i, row in enumerate(rows):
        row[i], row[i + 1] = row[i + 1], row[i]
    return ["".join(map(str, row)) for row in rows]


def elements(n: int) -> list[str]:
    """Return all permutations of n items, each as a string of digits such as "231"."""
    return ["".join(map(str, p)) for p in permutations(range(1, n + 1))]


def _stack(stack: str | None, letter: str) -> str | None:
    if letter in "([":
        return None if stack is None or len(stack) == 3 else stack + letter
    return stack[:-1] if stack and stack[-1] + letter in ("()", "[]") else None


def _equal_blocks(string: String) -> bool:
    n = len(string) // 2
    return tuple(string) == ("a",) * n + ("b",) * n


def _counted(modulus: int, residue: int) -> DFA:
    return _explored(0, "ab", lambda q, letter: (q + (letter == "a")) % modulus, residue.__eq__)


LANGUAGES = {
    language.name: language
    for language in (
        *(
            _regular(f"T{i}", f"Tomita grammar {i}: {tomita(i).description}", tomita(i).dfa)
            for i in range(1, 8)
        ),
        _regular("parity", "an odd number of a, over a and b", _counted(2, 1)),
        _regular("mod 3", "the number of a is a multiple of 3, over a and b", _counted(3, 0)),
        _group("S₃ swaps", "swaps of neighbours among 3 items whose product is the identity", 3, swaps(3)),
        _group("S₃", "permutations of 3 items whose product is the identity", 3, elements(3)),
        _group("S₅ swaps", "swaps of neighbours among 5 items whose product is the identity", 5, swaps(5)),
        _group("S₅", "permutations of 5 items whose product is the identity", 5, elements(5)),
        _regular(
            "Dyck-(2,3)",
            "balanced brackets of 2 types, nested at most 3 deep",
            _explored("", "([)]", _stack, lambda stack: stack == ""),
        ),
        Language("aⁿbⁿ", "as many a as b, all a first", None, _equal_blocks),
    )
}
"""The languages of the table by name, in the order of its columns."""
