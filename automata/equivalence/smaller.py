"""Do all strings before a given one have the score zero? Shown by going through their rows, exactly.

Strings are taken in shortlex order. One whose row is zero, or a multiple of that of a smaller string, is not
continued: what its continuations score, those of the smaller one score up to that factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from automata.aliases import Weight
from automata.equivalence.representation import Representation
from automata.equivalence.vectors import Word, shortlex

MOST_COMPONENTS = 200_000
"""The most components of rows."""
MOST_BITS = 1 << 24
"""The most bits of one string's row."""


def smaller_scores_vanish(of: Representation, word: Word, tell: Callable[[str], None]) -> bool:
    """Is it shown that they do? ``False`` where that is more work than the limits above."""
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
                made = _primitive(images[symbol])
                if components > MOST_COMPONENTS or sum(v.bit_length() for v in made.values()) > MOST_BITS:
                    return False
                key = tuple(sorted(made.items()))
                if made and key not in seen:
                    seen.add(key)
                    following.append(((*names, symbol), made))
            if len(following) % 512 == 511:
                tell(f"the strings before it: length {len(names)}")
        level = following
    return True


def _primitive(row: dict[int, Weight]) -> dict[int, int]:
    """The row times what makes it integers without a common divisor, the first one positive."""
    pairs = {q: (int(w.p), int(w.q)) for q, w in row.items() if w != 0}
    if not pairs:
        return {}
    below = math.lcm(*(d for _, d in pairs.values()))
    whole = {q: n * (below // d) for q, (n, d) in pairs.items()}
    shared = math.gcd(*whole.values())
    return {q: v // (shared if whole[min(whole)] > 0 else -shared) for q, v in whole.items()}
