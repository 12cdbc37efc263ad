"""Strings as arrays: many strings of unequal length, read side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from automata.aliases import String as String
from automata.errors import InputError
from automata.symbols import unknown_symbol
from automata.text.number_text import shorten


def symbols_of(string: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The symbols of a string, which may be an iterator.

    >>> symbols_of(5)
    Traceback (most recent call last):
    automata.errors.InputError: 5 is of type int, where a string is right: text, or a sequence of symbols
    """
    try:
        symbols = tuple(string)
    except TypeError:
        raise InputError(
            f"{shorten(string)} is of type {type(string).__name__}, where a string is right: text, or a"
            " sequence of symbols"
        ) from None
    for place, symbol in enumerate(symbols):
        try:
            hash(symbol)
        except TypeError:
            raise InputError(
                f"place {place}: {shorten(symbol)} is of type {type(symbol).__name__}, where a symbol is"
                " right"
            ) from None
    return symbols


@dataclass(frozen=True)
class Batch:
    """Strings as symbol numbers, longest first, so that the strings still being read are always the first
    rows.

    Attributes:
        codes: symbol numbers, shape ``(strings, longest)``, -1 behind a string's end.
        lengths: shape ``(strings,)``, falling.
        order: ``order[k]`` is the place that row k had among the strings as given.
    """

    codes: NDArray[np.intp]
    lengths: NDArray[np.intp]
    order: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.lengths)

    def steps(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """For each time step: how many strings still go on, and the symbols that they read."""
        for t in range(self.codes.shape[1]):
            active = int(np.searchsorted(-self.lengths, -t, side="left"))
            yield active, self.codes[:active, t]


def encode(alphabet: Mapping[Hashable, int], strings: Sequence[String]) -> Batch:
    """Encode the strings by the alphabet's numbers; raise UnknownSymbol with string and place."""
    lengths = np.fromiter(map(len, strings), dtype=np.intp, count=len(strings))
    order = np.argsort(-lengths, kind="stable")
    codes = np.full((len(strings), int(lengths.max(initial=0))), -1, dtype=np.intp)
    try:
        numbers = _numbers(alphabet, [strings[k] for k in order.tolist()], int(lengths.sum()))
        codes[np.arange(codes.shape[1]) < lengths[order, None]] = numbers
    except KeyError:
        k, place = next(
            (k, i) for k, x in enumerate(strings) for i, symbol in enumerate(x) if symbol not in alphabet
        )
        raise unknown_symbol(alphabet, strings[k][place], f"string {k}, place {place}: ") from None
    return Batch(codes, lengths[order], order)


def _numbers(alphabet: Mapping[Hashable, int], strings: list[String], symbols: int) -> NDArray[np.intp]:
    """The numbers of all symbols, one string after the other; ``KeyError`` where one has none."""
    texts = [x for x in strings if isinstance(x, str)]
    if len(texts) < len(strings):
        return np.fromiter(
            map(alphabet.__getitem__, chain.from_iterable(strings)), dtype=np.intp, count=symbols
        )
    # Python strings: look all characters up at once, by their code points
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    present = np.flatnonzero(np.bincount(points))
    table = np.zeros(int(present.max(initial=0)) + 1, dtype=np.intp)
    table[present] = [alphabet[chr(point)] for point in present.tolist()]
    return np.asarray(table[points])


def prefixes(string: String) -> list[String]:
    """The prefixes of a string, from the empty one to itself.

    >>> prefixes("ab")
    ['', 'a', 'ab']
    """
    return [string[:t] for t in range(len(string) + 1)]
