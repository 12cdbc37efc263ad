"""Strings of balanced parentheses among letters, and other strings.

See Wang & Niepert 2019, section 4.2.

The data sets are the paper's large set, its small set, and the test sets of Table 1. A string is positive if
no prefix closes more parentheses than it opens, and all parentheses are closed at the end. Half of the
negative strings are random. The other half are balanced strings with one error: a bracket is flipped, moved
or dropped, or two brackets are exchanged. After an exchange, a prefix closes more parentheses than it opens,
but the whole string closes as many as it opens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from automata.languages import parentheses
from training.language_recognition.dyck_paths import dyck_paths
from training.language_recognition.strings import LETTERS, TRIES, DrawnStrings, Strings, collect

ALPHABET = (*LETTERS, "(", ")")
OPEN, CLOSE = len(LETTERS), len(LETTERS) + 1


@dataclass(frozen=True)
class ParenthesesColumn:
    """The depths and lengths of a set of strings, which is a column of the tables.

    Attributes:
        name: the name in the tables.
        depths: the minimum and the maximum depth.
        lengths: the minimum and the maximum length.
    """

    name: str
    depths: tuple[int, int]
    lengths: tuple[int, int]


TRAINING = ParenthesesColumn("training", (0, 5), (0, 100))
DEV = ParenthesesColumn("dev", (6, 10), (0, 100))
COLUMNS = (
    ParenthesesColumn("d 1-10, l 100", (1, 10), (0, 100)),
    ParenthesesColumn("d 10-20, l 100", (10, 20), (0, 100)),
    ParenthesesColumn("d 10-20, l 200", (10, 20), (0, 200)),
    ParenthesesColumn("d 5, l 200", (5, 5), (0, 200)),
    ParenthesesColumn("d 10, l 200", (10, 10), (0, 200)),
    ParenthesesColumn("d 20, l 1000", (20, 20), (0, 1000)),
)
"""The columns of Table 1."""
DEEP = ParenthesesColumn("d 50, l 1000", (50, 50), (1000, 1000))
"""An additional test set, which is not in the paper."""
SIZES = {"large": ((13025, 9261), (3582, 3122)), "small": ((601, 407), (142, 126))}
"""The numbers of positive and negative strings for training and for the dev set (section 4.2)."""


def is_balanced(tokens: list[int]) -> bool:
    """Return whether the string of tokens is in the language.

    >>> is_balanced([0, OPEN, OPEN, CLOSE, 3, CLOSE]), is_balanced([CLOSE, OPEN]), is_balanced([])
    (True, False, True)
    """
    return parentheses.is_balanced(tuple(ALPHABET[token] for token in tokens))


def draw(column: ParenthesesColumn, positive: int, negative: int, rng: np.random.Generator) -> Strings:
    """Draw distinct strings, if there are enough.

    Half of the negative strings are balanced strings of this column with one error.
    """
    near = negative // 2
    drawn: dict[tuple[int, ...], DrawnStrings] = {}
    collect(drawn, positive, lambda many: _balanced(column, many, rng))
    collect(drawn, near, lambda many: _near_misses(column, many, rng))
    collect(drawn, negative - near, lambda many: _random(column, many, rng))
    return Strings.of(list(drawn.values()))


def _sizes(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Draw the depth, the number of bracket pairs and the length of each string.

    The depth is uniform. Given the depth, the length is uniform; given both, the number of pairs is uniform.
    """
    depths = rng.integers(column.depths[0], column.depths[1] + 1, many)
    least = np.maximum(column.lengths[0], 2 * depths)
    lengths = rng.integers(least, column.lengths[1] + 1)
    pairs = np.where(depths == 0, 0, rng.integers(depths, np.maximum(lengths // 2, depths) + 1))
    return list(zip(depths.tolist(), pairs.tolist(), lengths.tolist(), strict=True))


def _balanced(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> Iterator[DrawnStrings]:
    sizes = _sizes(column, many, rng)
    nested = [(depth, pairs) for depth, pairs, _ in sizes if pairs]
    paths = iter(dyck_paths(nested, rng))
    for _, pairs, length in sizes:
        tokens = rng.integers(len(LETTERS), size=length)
        if pairs:
            positions = np.sort(rng.permutation(length)[: 2 * pairs])
            tokens[positions] = OPEN + next(paths).astype(np.int64)
        yield DrawnStrings(tokens.tolist(), True, "balanced")


def _random(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> Iterator[DrawnStrings]:
    """Yield unbalanced random strings; lengths and numbers of brackets are drawn as for balanced strings."""
    for _, pairs, length in _sizes(column, many, rng):
        tokens = rng.integers(len(LETTERS), size=length)
        positions = rng.permutation(length)[: 2 * pairs]
        tokens[positions] = rng.integers(OPEN, CLOSE + 1, len(positions))
        if not is_balanced(tokens.tolist()):
            yield DrawnStrings(tokens.tolist(), False, "random")


def _near_misses(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> Iterator[DrawnStrings]:
    for one in _balanced(column, many, rng):
        names = rng.permutation(list(CHANGES)).tolist()
        for name in names:
            tokens = CHANGES[name](list(one.tokens), rng)
            if tokens is not None and not is_balanced(tokens):
                yield DrawnStrings(tokens, False, name)
                break


def _brackets(tokens: list[int]) -> list[int]:
    return [index for index, token in enumerate(tokens) if token >= OPEN]


def _turned(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """Return the string with one bracket flipped; without brackets, replace a letter by a bracket."""
    indices = _brackets(tokens) or list(range(len(tokens)))
    if not indices:
        return None
    index = indices[int(rng.integers(len(indices)))]
    tokens[index] = {OPEN: CLOSE, CLOSE: OPEN}.get(tokens[index], int(rng.integers(OPEN, CLOSE + 1)))
    return tokens


def _dropped(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    indices = _brackets(tokens)
    if not indices:
        return None
    del tokens[indices[int(rng.integers(len(indices)))]]
    return tokens


def _moved(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """Return the string with one bracket moved so that it is not balanced, or ``None``."""
    indices = _brackets(tokens)
    for _ in range(TRIES if indices else 0):
        index = indices[int(rng.integers(len(indices)))]
        rest = tokens[:index] + tokens[index + 1 :]
        to = int(rng.integers(len(tokens)))
        moved = [*rest[:to], tokens[index], *rest[to:]]
        if not is_balanced(moved):
            return moved
    return None


def _exchanged(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """Exchange an opening and a later closing bracket so that the string is not balanced, or return ``None``.

    A prefix of the new string closes more parentheses than it opens; the whole string closes as many as it
    opens.
    """
    indices = _brackets(tokens)
    opening = [index for index in indices if tokens[index] == OPEN]
    for _ in range(TRIES if opening else 0):
        first = opening[int(rng.integers(len(opening)))]
        closing = [index for index in indices if index > first and tokens[index] == CLOSE]
        second = closing[int(rng.integers(len(closing)))]
        changed = list(tokens)
        changed[first], changed[second] = CLOSE, OPEN
        if not is_balanced(changed):
            return changed
    return None


CHANGES: dict[str, Callable[[list[int], np.random.Generator], list[int] | None]] = {
    "turned": _turned,
    "moved": _moved,
    "dropped": _dropped,
    "exchanged": _exchanged,
}
"""The functions that add one error to a balanced string, keyed by name."""
