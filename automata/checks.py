"""Checks of the alphabets and states that users pass, with one-line error messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from automata.aliases import Symbols
from automata.errors import InputError
from automata.symbols import EPSILON
from automata.text.number_text import shorten

Item = TypeVar("Item")


def checked_alphabet(symbols: Iterable[Hashable]) -> Symbols:
    """Return the symbols as a tuple.

    Raises:
        InputError: If a symbol is duplicated, empty or unhashable, or if the symbols are a set.
    """
    order = listed(ordered(symbols), "the alphabet")
    known: set[Hashable] = set()
    for symbol in order:
        try:
            twice = symbol in known
            known.add(symbol)
        except TypeError:
            raise InputError(f"the symbols of the alphabet must be hashable, got {shorten(symbol)}") from None
        if twice:
            raise InputError(f"the symbols of the alphabet must be distinct, got {shorten(symbol)} twice")
        if symbol == EPSILON:
            raise InputError('the alphabet must not contain "", which is reserved for epsilon')
    return tuple(order)


def ordered(symbols: Iterable[Item]) -> Iterable[Item]:
    """Return the symbols of an alphabet; raise InputError if they are a set."""
    if isinstance(symbols, (set, frozenset)):
        raise InputError(
            f"the alphabet must be a sequence, because a set has no order, got {shorten(symbols)}"
        )
    return symbols


def listed(values: Iterable[Item], what: str) -> list[Item]:
    """Return the values as a list; raise InputError if they are not iterable."""
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{what} must be a sequence, got {shorten(values)}") from None


def checked_integer(name: str, value: object, least: int = 1) -> int:
    """Return the value as a Python integer; raise InputError unless it is one of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} must be an integer of at least {least}, got {shorten(value)}")
    return int(value)


def checked_state(value: object, n: int, where: str) -> int:
    """Return the state as a Python integer; raise InputError unless it is in 0 to n - 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < n:
        raise InputError(f"{where}: a state must be between 0 and {n - 1}, got {shorten(value)}")
    return int(value)
