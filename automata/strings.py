"""Encoding of strings of unequal length as arrays, for processing them together."""

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
    """Return the symbols of a string, which may be an iterator.

    >>> symbols_of(5)
    Traceback (most recent call last):
    automata.errors.InputError: a string must be text or a sequence of symbols, got 5 of type int
    """
    try:
        symbols = tuple(string)
    except TypeError:
        raise InputError(
            f"a string must be text or a sequence of symbols, got {shorten(string)} of type"
            f" {type(string).__name__}"
        ) from None
    for position, symbol in enumerate(symbols):
        try:
            hash(symbol)
        except TypeError:
            raise InputError(
                f"string index {position}: a symbol must be hashable, got {shorten(symbol)} of type"
                f" {type(symbol).__name__}"
            ) from None
    return symbols


@dataclass(frozen=True)
class Batch:
    """Strings as symbol indices, longest first, so that active strings are always the first rows.

    Attributes:
        codes: symbol indices, shape ``(strings, longest)``; -1 after a string's end.
        lengths: shape ``(strings,)``, decreasing.
        order: ``order[k]`` is the original index of the string in row k.
    """

    codes: NDArray[np.intp]
    lengths: NDArray[np.intp]
    order: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.lengths)

    def steps(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield the number of active strings and the symbols that they read, for each time step."""
        for t in range(self.codes.shape[1]):
            active = int(np.searchsorted(-self.lengths, -t, side="left"))
            yield active, self.codes[:active, t]


def encode(alphabet: Mapping[Hashable, int], strings: Sequence[String]) -> Batch:
    """Encode strings as indices of symbols in the alphabet.

    Raises:
        UnknownSymbol: If a symbol is not in the alphabet. The message has the index of the string, and the
            index of the symbol in the string.
    """
    lengths = np.fromiter(map(len, strings), dtype=np.intp, count=len(strings))
    order = np.argsort(-lengths, kind="stable")
    codes = np.full((len(strings), int(lengths.max(initial=0))), -1, dtype=np.intp)
    try:
        numbers = _numbers(alphabet, [strings[k] for k in order.tolist()], int(lengths.sum()))
        codes[np.arange(codes.shape[1]) < lengths[order, None]] = numbers
    except KeyError:
        k, position = next(
            (k, i) for k, x in enumerate(strings) for i, symbol in enumerate(x) if symbol not in alphabet
        )
        raise unknown_symbol(alphabet, strings[k][position], f"string {k}, index {position}: ") from None
    return Batch(codes, lengths[order], order)


def _numbers(alphabet: Mapping[Hashable, int], strings: list[String], symbols: int) -> NDArray[np.intp]:
    """Return the indices of all symbols, concatenated; raise KeyError if a symbol is unknown."""
    texts = [x for x in strings if isinstance(x, str)]
    if len(texts) < len(strings):
        return np.fromiter(
            map(alphabet.__getitem__, chain.from_iterable(strings)), dtype=np.intp, count=symbols
        )
    # look up all characters of Python strings at once, by code point
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    present = np.flatnonzero(np.bincount(points))
    table = np.zeros(int(present.max(initial=0)) + 1, dtype=np.intp)
    table[present] = [alphabet[chr(point)] for point in present.tolist()]
    return np.asarray(table[points])


def prefixes(string: String) -> list[String]:
    """Return the prefixes of a string, from the empty one to the full string.

    >>> prefixes("ab")
    ['', 'a', 'ab']
    """
    return [string[:t] for t in range(len(string) + 1)]
