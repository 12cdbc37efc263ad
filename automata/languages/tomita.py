"""The seven Tomita grammars (Table 15, Wang & Niepert 2019), each as a predicate and as its minimal DFA."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import groupby, pairwise

from automata.aliases import String
from automata.dfa import DFA
from automata.errors import InputError
from automata.symbols import known_symbols
from automata.text.number_text import shorten

ALPHABET = ("0", "1")


@dataclass(frozen=True)
class Grammar:
    """A language over ``"0"`` and ``"1"``.

    Attributes:
        number: 1 to 7.
        description: the wording of Table 15, corrected and clarified.
        rule: the same language as a predicate on text; :meth:`contains` accepts any sequence of symbols.
        dfa: the minimal complete DFA, with states in the order in which strings reach them
            (shortlex).
    """

    number: int
    description: str
    rule: Callable[[str], bool]
    dfa: DFA

    def contains(self, string: String) -> bool:
        """Return whether the string is in the language, by its rule instead of the DFA."""
        return self.rule("".join(known_symbols(ALPHABET, string)))


def tomita(number: int) -> Grammar:
    """Return the Tomita grammar with this number.

    >>> tomita(4).description, tomita(4).contains("1001"), tomita(4).dfa.accepts("10001")
    ('Strings that do not contain the substring "000"', True, False)

    Raises:
        InputError: If the number is not 1 to 7.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number not in GRAMMARS:
        raise InputError(f"the number of a Tomita grammar must be between 1 and 7, got {shorten(number)}")
    return GRAMMARS[number]


def _odd_ones_then_even_zeros(text: str) -> bool:
    """Return whether no maximal odd run of 1s is directly followed by a maximal odd run of 0s."""
    runs = [(symbol, len(list(run))) for symbol, run in groupby(text)]
    return not any(
        one == "1" and ones % 2 == 1 and zeros % 2 == 1 for (one, ones), (_, zeros) in pairwise(runs)
    )


def _dfa(table: tuple[tuple[int, int], ...], final: Collection[int]) -> DFA:
    return DFA(ALPHABET, 0, table, frozenset(final))


GRAMMARS = {
    grammar.number: grammar
    for grammar in (
        # states: only 1s so far; a 0 was read
        Grammar(1, "1*", lambda x: bool(re.fullmatch("1*", x)), _dfa(((1, 0), (1, 1)), {0})),
        # states: complete pairs; dead; a 1 waits for its 0
        Grammar(2, "(10)*", lambda x: bool(re.fullmatch("(10)*", x)), _dfa(((1, 2), (1, 1), (0, 1)), {0})),
        # states: no odd run of 1s at the end; an odd run of 1s; then an odd or an even run of 0s; dead
        Grammar(
            3,
            "An odd number of consecutive 1s is followed by an even number of consecutive 0s "
            "(runs are maximal, and zero is an even number)",
            _odd_ones_then_even_zeros,
            _dfa(((0, 1), (2, 0), (3, 4), (2, 1), (4, 4)), {0, 1, 3}),
        ),
        # states: the number of trailing 0s
        Grammar(
            4,
            'Strings that do not contain the substring "000"',
            lambda x: "000" not in x,
            _dfa(((1, 0), (2, 0), (3, 0), (3, 3)), {0, 1, 2}),
        ),
        # states: (0s, 1s) are (even, even); (odd, even); (even, odd); (odd, odd)
        Grammar(
            5,
            "The numbers of 1s and 0s are even",
            lambda x: x.count("1") % 2 == 0 == x.count("0") % 2,
            _dfa(((1, 2), (0, 3), (3, 0), (2, 1)), {0}),
        ),
        # states: 0s less 1s modulo 3 are 0; 1; 2
        Grammar(
            6,
            "The difference of the numbers of 1s and 0s is a multiple of 3",
            lambda x: (x.count("1") - x.count("0")) % 3 == 0,
            _dfa(((1, 2), (2, 0), (0, 1)), {0}),
        ),
        # states: reading the first 0s; the first 1s; the second 0s; the second 1s; dead
        Grammar(
            7,
            "0*1*0*1*",
            lambda x: bool(re.fullmatch("0*1*0*1*", x)),
            _dfa(((0, 1), (2, 1), (2, 3), (4, 3), (4, 4)), {0, 1, 2, 3}),
        ),
    )
}
"""The grammars by number."""
