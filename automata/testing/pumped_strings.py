"""Test strings ``u v^n w``: repeating ``v`` amplifies small errors of trained networks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice, product
from random import Random

from automata.aliases import Symbols
from automata.dfa import DFA
from automata.testing.distinguishing_strings import access_strings

LENGTHS = (8, 20, 60, 150, 400)
"""Numbers of symbols to which the repetition ``v^n`` is cut."""
LONGEST_CYCLE, MOST_CYCLES = 3, 100
"""Maximum length of the repeated word ``v``, and the maximum number of such words."""
MOST_STRINGS = 1_500


def pumped_strings(dfa: DFA, most: int = MOST_STRINGS) -> list[Symbols]:
    """Return strings ``u v^n w``, shortest first.

    ``u`` leads to a state, ``v`` is a short word, and ``w`` has at most one symbol. The repetition ``v^n`` is
    cut to one of the lengths 8, 20, 60, 150 and 400, so its last ``v`` may be incomplete.

    >>> one = DFA(("a",), 0, ((0,),), frozenset({0}))
    >>> [len(string) for string in pumped_strings(one)][:4]
    [8, 9, 20, 21]

    Args:
        dfa: The automaton.
        most: Maximum number of strings. If there are more, return a random choice.
    """
    strings = sorted(set(_pumped(dfa)), key=len)
    if len(strings) > most:
        strings = sorted(Random(0).sample(strings, most), key=len)
    return strings


def _pumped(dfa: DFA) -> Iterator[Symbols]:
    words = [word for n in range(1, LONGEST_CYCLE + 1) for word in product(dfa.alphabet, repeat=n)]
    endings = [(), *((symbol,) for symbol in dfa.alphabet)]
    for base, word in product(access_strings(dfa.minimal()), words[:MOST_CYCLES]):
        for length, ending in product(LENGTHS, endings):
            yield (*base, *islice(cycle(word), length), *ending)
