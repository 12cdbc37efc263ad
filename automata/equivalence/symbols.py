"""Symbols that do the same in all automata that are compared are one symbol to a decision."""

from __future__ import annotations

from collections.abc import Sequence

from automata.aliases import Symbol
from automata.wfsa import WFSA


def kinds(automata: Sequence[WFSA]) -> tuple[list[tuple[int, ...]], list[Symbol], dict[Symbol, int]]:
    """The kinds of symbols of automata over one alphabet in one order.

    >>> from automata.semirings import REAL
    >>> same = [[1]]
    >>> kinds([WFSA(REAL, [1], [1], {"a": same, "b": same, "c": [[2]]})])
    ([(0,), (1,)], ['a', 'c'], {'a': 0, 'b': 0, 'c': 1})

    Returns:
        For each kind the place of its matrix in each automaton; the first symbol of each, in the alphabet's
        order; and for each symbol its kind.
    """
    places_of_kind: dict[tuple[int, ...], int] = {}
    first: list[Symbol] = []
    index: dict[Symbol, int] = {}
    for symbol in automata[0].index:
        places = tuple(automaton.index[symbol] for automaton in automata)
        if places not in places_of_kind:
            places_of_kind[places] = len(places_of_kind)
            first.append(symbol)
        index[symbol] = places_of_kind[places]
    return list(places_of_kind), first, index
