"""The search for a short string on which a counter is wrong.

The search uses float arithmetic. Ball arithmetic confirms its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ratproof.certification.counters.ball_run import decision
from ratproof.certification.counters.heights import balanced, class_of
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.counters.points import CounterPoints

SHORT = 60_000
"""Maximum number of strings of one length that are tried exhaustively."""
MOST_SYMBOLS = 10_000
"""Maximum length of strings that are tried."""
AT_ONCE = 256
Tokens = tuple[int, ...]


def wrong_string(
    numbers: CounterNumbers,
    height: int,
    length: int,
    stage: Callable[[str], None] = lambda what: None,
    saturated: bool = False,
) -> Tokens | None:
    """Return a short string with a wrong decision, confirmed in ball arithmetic, or ``None``.

    Only strings up to the given height and length are tried. With ``saturated``, the gates are saturated.
    """
    length = min(length, MOST_SYMBOLS)
    height = min(height, length)
    for candidate in _candidates(CounterPoints(numbers, saturated), height, length, stage):
        word = _confirmed(numbers, candidate, height, saturated)
        if word is not None:
            return word
    return None


def _candidates(
    points: CounterPoints, height: int, length: int, stage: Callable[[str], None]
) -> Iterator[Tokens]:
    """Yield strings on which float arithmetic decides wrongly: first all short strings, then long ones."""
    numbers = points.n
    symbols = len(numbers.alphabet)
    for n in range(length + 1):
        if symbols**n > SHORT:
            break
        stage(f"strings of length {n}")
        rows = np.array(list(product(range(symbols), repeat=n)), dtype=np.int64)
        wrong = first_wrong(points, rows, height)
        if wrong is not None:
            yield wrong
    for kind, rows in _long(numbers, height, length):
        stage(f"strings of length {rows.shape[1]}: {kind}")
        wrong = first_wrong(points, rows, height)
        if wrong is not None:
            yield shrink(points, wrong, height)


def first_wrong(points: CounterPoints, rows: NDArray[np.int64], height: int) -> Tokens | None:
    """Return the shortest prefix of the strings in ``rows`` on which the decision is wrong, or ``None``.

    Among prefixes of the same length, the first row's is returned. Prefixes above ``height`` are ignored.
    """
    numbers, first = points.n, points.first()
    h, c = (np.repeat(part, len(rows), axis=0) for part in first)
    depth_changes = _depth_changes(numbers)
    dead, stands = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=np.int64)
    kept = np.ones(len(rows), dtype=bool)
    for n in range(rows.shape[1] + 1):
        bad = np.flatnonzero(kept & ((points.logits(h, c) > 0) != (~dead & (stands == 0))))
        if len(bad):
            return tuple(int(token) for token in rows[bad[0], :n])
        if n == rows.shape[1]:
            return None
        depth_change = depth_changes[rows[:, n]]
        dead |= (depth_change < 0) & (stands == 0)
        stands = np.maximum(stands + depth_change, 0)
        kept &= stands <= height
        h, c = points.step(h, c, rows[:, n])
    return None


def _depth_changes(numbers: CounterNumbers) -> NDArray[np.int64]:
    return np.array([numbers.depth_change(token) for token in range(len(numbers.alphabet))])


def _long(numbers: CounterNumbers, height: int, length: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield batches of long strings, each with the name of its kind.

    The kinds are deeply nested strings, dead strings, strings with runs of a letter, and random strings.
    """
    random = np.random.default_rng(0)
    up, down = numbers.opening, numbers.closing
    depth_changes = _depth_changes(numbers)
    letters = np.flatnonzero(depth_changes == 0).tolist()
    deep = [[up] * n + [down] * n for n in range(1, min(height, length // 2) + 1)]
    again = [(one * (length // len(one)))[:length] for one in deep if length >= len(one)]
    dying = [[down] * length, ([down] * height + [up] * height) * (length // max(2 * height, 1))]
    dying += [([down, up] * length)[:length], ([down, up, up, down] * length)[:length]]
    runs = [
        [up] * n + [letter] * max(length - 2 * n, 0) + [down] * n
        for letter in letters
        for n in range(min(height, length // 2) + 1)
    ]
    for name, lines in (("deep", again), ("dying", dying), ("runs of a letter", runs)):
        for at in range(0, len(lines), AT_ONCE):
            yield name, _rows(lines[at : at + AT_ONCE], numbers)
    for _ in range(4):
        share, rise = random.random((AT_ONCE, 1)), random.uniform(0.4, 0.6, (AT_ONCE, 1))
        draw, way = random.random((AT_ONCE, length)), random.random((AT_ONCE, length))
        rows = np.where(way < rise, up, down)
        if letters:
            rows = np.where(draw < share, random.choice(letters, (AT_ONCE, length)), rows)
        stands = np.zeros(AT_ONCE, dtype=np.int64)
        for column in rows.T:  # exchange brackets to keep most strings alive and within the height
            after = stands + depth_changes[column]
            turn = (after > height) | ((after < 0) & (height > 0) & (random.random(AT_ONCE) > 0.02))
            column[turn] = up + down - column[turn]
            stands = np.maximum(stands + depth_changes[column], 0)
        yield "random", rows


def _rows(lines: Sequence[Sequence[int]], numbers: CounterNumbers) -> NDArray[np.int64]:
    """Return strings as the rows of an array; closing brackets are appended to shorter strings."""
    most = max(map(len, lines))
    return np.array([[*line, *[numbers.closing] * (most - len(line))] for line in lines], dtype=np.int64)


def shrink(points: CounterPoints, word: Tokens, height: int) -> Tokens:
    """Shorten a counterexample by removing parts while the decision stays wrong."""
    size = max(len(word) // 2, 1)
    while size:
        at = 0
        while at < len(word):
            shorter = word[:at] + word[at + size :]
            wrong = first_wrong(points, np.array([shorter], dtype=np.int64).reshape(1, -1), height)
            if wrong is None:
                at += size
            else:
                word = wrong
        size //= 2
    return word


def _confirmed(numbers: CounterNumbers, word: Tokens, height: int, saturated: bool) -> Tokens | None:
    """Return the string if ball arithmetic confirms that its decision is wrong, else ``None``."""
    now, accepted = class_of(map(numbers.depth_change, word), height), decision(numbers, word, saturated)
    return word if now is not None and accepted is not None and accepted != balanced(now) else None
