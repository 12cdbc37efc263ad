"""The symbol that is reserved for epsilon, and messages about unknown symbols."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from automata.errors import UnknownSymbol
from automata.text.number_text import shorten

EPSILON = ""
"""The label of an epsilon transition; it must not be in an alphabet."""


def unknown_symbol(alphabet: Collection[Hashable], symbol: Hashable, where: str = "") -> UnknownSymbol:
    """Return the error for a symbol that is not in the alphabet."""
    known = ", ".join(map(shorten, islice(alphabet, 8))) + (", ..." if len(alphabet) > 8 else "")
    return UnknownSymbol(f"{where}symbol {shorten(symbol)} is not in the alphabet [{known}]")


def known_symbols(alphabet: Collection[Hashable], string: Iterable[Any]) -> Iterator[Any]:
    """Yield the symbols of a string; raise UnknownSymbol, with the index, at one not in the alphabet."""
    for position, symbol in enumerate(string):
        if symbol not in alphabet:
            raise unknown_symbol(alphabet, symbol, f"string index {position}: ")
        yield symbol


def differences(one: Iterable[Hashable], other: Iterable[Hashable], names: tuple[str, str]) -> str:
    """Describe which symbols are in only one of two alphabets; return ``""`` if there are none.

    >>> differences("abc", "ad", ("A", "B"))
    "only A reads 'b', 'c' and only B reads 'd'"
    """
    mine, others = dict.fromkeys(one), dict.fromkeys(other)
    missing = {
        name: [s for s in a if s not in b]
        for name, a, b in zip(names, (mine, others), (others, mine), strict=True)
    }
    return " and ".join(
        f"only {name} reads {_listed(symbols)}" for name, symbols in missing.items() if symbols
    )


def _listed(symbols: Sequence[Hashable]) -> str:
    first = ", ".join(shorten(s) for s in symbols[:5])
    return first + (f" and {len(symbols) - 5} more" if len(symbols) > 5 else "")
