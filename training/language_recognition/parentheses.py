"""Strings of balanced parentheses among letters, and strings that are none (section 4.2): the large and the
small set, and the test sets of Table 1.

A string is positive where no prefix closes more than it opened and all is closed at its end: the order
counts. Half of the others are random, and half are near misses of balanced ones: a bracket turned, moved,
dropped, or two of them exchanged, so that the count goes below zero and comes back.
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
    """The strings of a set: their depths, and their lengths.

    Attributes:
        name: as the tables have it.
        depths, lengths: the least and the most.
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
"""Those of Table 1."""
DEEP = ParenthesesColumn("d 50, l 1000", (50, 50), (1000, 1000))
"""Beyond the paper."""
SIZES = {"large": ((13025, 9261), (3582, 3122)), "small": ((601, 407), (142, 126))}
"""Positive and negative strings for training and for the dev part (section 4.2)."""


def is_balanced(tokens: list[int]) -> bool:
    """Is the string of tokens in the language?

    >>> is_balanced([0, OPEN, OPEN, CLOSE, 3, CLOSE]), is_balanced([CLOSE, OPEN]), is_balanced([])
    (True, False, True)
    """
    return parentheses.is_balanced(tuple(ALPHABET[token] for token in tokens))


def draw(column: ParenthesesColumn, positive: int, negative: int, rng: np.random.Generator) -> Strings:
    """So many strings, all different where there are enough of them.

    Half of the negative ones are near misses of other balanced strings of the column.
    """
    near = negative // 2
    drawn: dict[tuple[int, ...], DrawnStrings] = {}
    collect(drawn, positive, lambda many: _balanced(column, many, rng))
    collect(drawn, near, lambda many: _near_misses(column, many, rng))
    collect(drawn, negative - near, lambda many: _random(column, many, rng))
    return Strings.of(list(drawn.values()))


def _sizes(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Depth, pairs of brackets and length of each string, uniform one after the other."""
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
            places = np.sort(rng.permutation(length)[: 2 * pairs])
            tokens[places] = OPEN + next(paths).astype(np.int64)
        yield DrawnStrings(tokens.tolist(), True, "balanced")


def _random(column: ParenthesesColumn, many: int, rng: np.random.Generator) -> Iterator[DrawnStrings]:
    """Random strings of such lengths and as many brackets, in any order."""
    for _, pairs, length in _sizes(column, many, rng):
        tokens = rng.integers(len(LETTERS), size=length)
        places = rng.permutation(length)[: 2 * pairs]
        tokens[places] = rng.integers(OPEN, CLOSE + 1, len(places))
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
    return [place for place, token in enumerate(tokens) if token >= OPEN]


def _turned(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """One bracket turned; in a string without any, a letter becomes one."""
    places = _brackets(tokens) or list(range(len(tokens)))
    if not places:
        return None
    place = places[int(rng.integers(len(places)))]
    tokens[place] = {OPEN: CLOSE, CLOSE: OPEN}.get(tokens[place], int(rng.integers(OPEN, CLOSE + 1)))
    return tokens


def _dropped(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """One bracket dropped."""
    places = _brackets(tokens)
    if not places:
        return None
    del tokens[places[int(rng.integers(len(places)))]]
    return tokens


def _moved(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """One bracket moved to where the string is balanced no more."""
    places = _brackets(tokens)
    for _ in range(TRIES if places else 0):
        place = places[int(rng.integers(len(places)))]
        rest = tokens[:place] + tokens[place + 1 :]
        to = int(rng.integers(len(tokens)))
        moved = [*rest[:to], tokens[place], *rest[to:]]
        if not is_balanced(moved):
            return moved
    return None


def _exchanged(tokens: list[int], rng: np.random.Generator) -> list[int] | None:
    """An opening and a later closing bracket exchanged, between which the count is once below 2: it goes
    below zero and comes back to zero at the end.
    """
    places = _brackets(tokens)
    opening = [place for place in places if tokens[place] == OPEN]
    for _ in range(TRIES if opening else 0):
        first = opening[int(rng.integers(len(opening)))]
        closing = [place for place in places if place > first and tokens[place] == CLOSE]
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
"""How a balanced string is made a near miss, by name."""
