"""Exact proof that all strings before a given string in shortlex order have score zero.

There are two methods. The first one tries all strings u in shortlex order and computes the row lambda M(u) of
each. A string is not extended if its row is zero or a multiple of a smaller string's row. Its extensions then
have the scores of the smaller string's extensions, times a factor.

The second method is used if there are too many strings. It groups the states into classes. X_k is a matrix
with at most one nonzero entry in each row. For every string u of at most k symbols, there is a vector z with
M(u) rho = X_k z. If x X_k is zero for a row x, then x M(u) rho is zero for every such u. The only column of
X_0 is rho. X_{k+1} has a column for each class of states: two states are in one class if their rows of the
matrix that concatenates rho and all M(a) X_k are proportional.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from automata.aliases import Weight
from automata.equivalence.integers import Word, shortlex
from automata.equivalence.representation import Representation

MOST_COMPONENTS = 200_000
"""Maximum number of components of all rows in the first method."""
MOST_PRODUCTS = 1 << 21
"""Maximum number of products in the second method."""
MOST_BITS = 1 << 24
"""Maximum number of bits of one string's row in the first method."""


def smaller_scores_vanish(of: Representation, word: Word, progress: Callable[[str], None]) -> bool:
    """Return whether it is proved that all strings before ``word`` have score zero.

    Return ``False`` also if a limit is exceeded.
    """
    return _by_rows(of, word, progress) or _by_classes(of, word, progress)


def _by_rows(of: Representation, word: Word, progress: Callable[[str], None]) -> bool:
    ends = {int(q): w for q, w in zip(of.final.rows, of.final.weights, strict=True)}
    level: list[tuple[Word, dict[int, int]]] = [
        ((), _primitive({int(q): w for q, w in zip(of.initial.columns, of.initial.weights, strict=True)}))
    ]
    seen, components = set(), 0
    while level:
        following: list[tuple[Word, dict[int, int]]] = []
        for names, row in level:
            if shortlex(names) >= shortlex(word):
                return True
            if sum(v * ends[q] for q, v in row.items() if q in ends) != 0:
                return False
            images = of.images(row)
            for symbol in sorted(images):
                components += len(images[symbol])
                image = _primitive(images[symbol])
                if components > MOST_COMPONENTS or sum(v.bit_length() for v in image.values()) > MOST_BITS:
                    return False
                key = tuple(sorted(image.items()))
                if image and key not in seen:
                    seen.add(key)
                    following.append(((*names, symbol), image))
            if len(following) % 512 == 511:
                progress(f"all strings before the difference: length {len(names)}")
        level = following
    return True


Level = list[tuple[int, Weight] | None]
"""The matrix X_k: for each state, the column and weight of its nonzero entry; ``None`` for a zero row."""


def _by_classes(of: Representation, word: Word, progress: Callable[[str], None]) -> bool:
    ends = of.final.transposed.row_by_column(0)
    levels = [_classes([{(-1, -1): ends[q]} if q in ends else {} for q in range(of.states)])]
    products, start = 0, of.initial.row_by_column(0)
    while len(levels) < len(word) and (len(levels) < 2 or levels[-1] != levels[-2]):
        progress(f"all strings before the difference: classes of states for length {len(levels)}")
        products += of.transitions + of.states
        # if this product does not vanish, a product with a later level would not vanish, either
        if products > MOST_PRODUCTS or not _vanishes(start, levels[-1]):
            return False
        levels.append(_classes(of.rows_by(levels[-1], ends)))
    if not word:
        return True
    for position, (row, _) in enumerate(of.vectors(word[:-1])):
        after = levels[min(len(word) - 1 - position, len(levels) - 1)]
        if position == 0 and not _vanishes(row, after):
            return False
        images = of.images(row)
        if not all(_vanishes(images[a], after) for a in images if a < word[position]):
            return False
    return True


def _classes(rows: list[dict[tuple[int, int], Weight]]) -> Level:
    """Group proportional rows; return each row's class and its factor relative to the first row of the class.

    Return ``None`` for a zero row.
    """
    classes: dict[object, tuple[int, Weight]] = {}
    level: Level = []
    for row in rows:
        entries = sorted((key, w) for key, w in row.items() if w != 0)
        if not entries:
            level.append(None)
            continue
        lead = entries[0][1]
        key = tuple((key, w / lead) for key, w in entries)
        number, first = classes.setdefault(key, (len(classes), lead))
        level.append((number, lead / first))
    return level


def _vanishes(row: dict[int, Weight], level: Level) -> bool:
    """Return whether the row times the matrix ``level`` is zero."""
    sums: dict[int, Weight] = {}
    for q, v in row.items():
        entry = level[q]
        if entry is not None:
            sums[entry[0]] = sums.get(entry[0], 0) + v * entry[1]
    return not any(sums.values())


def _primitive(row: dict[int, Weight]) -> dict[int, int]:
    """Scale the row to coprime integers with a positive first entry."""
    pairs = {q: (int(w.p), int(w.q)) for q, w in row.items() if w != 0}
    if not pairs:
        return {}
    below = math.lcm(*(d for _, d in pairs.values()))
    integers = {q: n * (below // d) for q, (n, d) in pairs.items()}
    shared = math.gcd(*integers.values())
    return {q: v // (shared if integers[min(integers)] > 0 else -shared) for q, v in integers.items()}
