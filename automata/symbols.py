"""Symbols of alphabets: the one that is kept for epsilon, and the error for one that an alphabet lacks."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import islice

from automata.errors import UnknownSymbol
from automata.number_text import shorten

EPSILON = ""
"""The label of a transition that reads nothing; no alphabet may contain it."""


def unknown_symbol(alphabet: Collection[Hashable], symbol: Hashable, where: str = "") -> UnknownSymbol:
    """The error for a symbol that the alphabet lacks."""
    known = ", ".join(map(shorten, islice(alphabet, 8))) + (", ..." if len(alphabet) > 8 else "")
    return UnknownSymbol(f"{where}symbol {shorten(symbol)} is not in the alphabet, which is {{{known}}}")
