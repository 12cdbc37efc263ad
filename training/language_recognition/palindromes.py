"""Palindromes w w^R over the letters a to z, and other strings.

See Wang & Niepert 2019, section 4.2, Tables 3 and 11.

The paper does not define its negative strings, and the error rate depends on them. We use three kinds: random
strings, palindromes with one changed letter, and palindromes in which two letters at positions of the same
parity are exchanged. The last kind has separate columns in the tables, because a network that only compares
alternating sums of letters cannot distinguish it from palindromes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from training.language_recognition.strings import LETTERS, TRIES, DrawnStrings, Strings, collect

ALPHABET = LETTERS


@dataclass(frozen=True)
class PalindromeColumn:
    """A set of strings, which is a column of the tables.

    Attributes:
        name: the name in the tables.
        lengths: the minimum and the maximum length; palindromes have even lengths.
        kinds: the kinds of the negative strings.
    """

    name: str
    lengths: tuple[int, int]
    kinds: tuple[str, ...]


USUAL = ("random", "one letter")
EXCHANGES = ("exchanged",)
TRAINING_LENGTHS, DEV_LENGTHS = (1, 25), (26, 50)
"""The minimum and the maximum length of training and dev strings (Table 10)."""
COLUMNS = tuple(
    PalindromeColumn(f"l {most}{suffix}", (50, most), kinds)
    for kinds, suffix in ((USUAL, ""), (EXCHANGES, ", exchanged"))
    for most in (100, 200, 500)
)
"""The columns of Table 3, first with the usual negative strings, then with exchanged letters only."""
SIZES = ((115040, 114944), (25000, 25000))
"""The numbers of positive and negative strings for training and for the dev set (Table 9)."""


def is_palindrome(tokens: list[int]) -> bool:
    """Return whether the string is w w^R.

    >>> is_palindrome([0, 1, 1, 0]), is_palindrome([0, 1, 0]), is_palindrome([])
    (True, False, True)
    """
    return len(tokens) % 2 == 0 and tokens == tokens[::-1]


def draw(column: PalindromeColumn, positive: int, negative: int, rng: np.random.Generator) -> Strings:
    """Draw distinct strings, if there are enough; all kinds of negative strings have equal shares."""
    drawn: dict[tuple[int, ...], DrawnStrings] = {}
    shares = {kind: negative // len(column.kinds) for kind in column.kinds}
    shares[column.kinds[0]] += negative - sum(shares.values())
    for kind, many in {"palindrome": positive, **shares}.items():
        collect(drawn, many, partial(_some, column, kind, rng))
    return Strings.of(list(drawn.values()))


def _some(column: PalindromeColumn, kind: str, rng: np.random.Generator, many: int) -> Iterator[DrawnStrings]:
    for _ in range(many):
        if kind == "random":
            length = int(rng.integers(column.lengths[0], column.lengths[1] + 1))
            tokens: list[int] | None = rng.integers(len(LETTERS), size=length).tolist()
        else:
            half = int(rng.integers((column.lengths[0] + 1) // 2, column.lengths[1] // 2 + 1))
            word = rng.integers(len(LETTERS), size=half).tolist()
            tokens = VARIANTS[kind](word + word[::-1], rng)
        if tokens is not None and is_palindrome(tokens) == (kind == "palindrome"):
            yield DrawnStrings(tokens, kind == "palindrome", kind)


def _changed(tokens: list[int], rng: np.random.Generator) -> list[int]:
    index = int(rng.integers(len(tokens)))
    tokens[index] = (tokens[index] + int(rng.integers(1, len(LETTERS)))) % len(LETTERS)
    return tokens


def _exchanged(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """Return the string with two different letters exchanged at positions of equal parity, or ``None``."""
    for _ in range(TRIES if len(tokens) > 2 else 0):
        first = int(rng.integers(len(tokens)))
        second = int(rng.choice(np.arange(first % 2, len(tokens), 2)))
        changed = list(tokens)
        changed[first], changed[second] = tokens[second], tokens[first]
        if changed != changed[::-1]:
            return changed
    return None


VARIANTS: dict[str, Callable[[list[int], np.random.Generator], list[int] | None]] = {
    "palindrome": lambda tokens, rng: tokens,
    "one letter": _changed,
    "exchanged": _exchanged,
}
"""For each kind of string, the function that converts a palindrome to it."""
