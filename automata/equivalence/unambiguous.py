"""Decision of equivalence for unambiguous automata over any semiring with division.

In an unambiguous automaton, every string has at most one path, and its score is the product of the
weights along this path. The quotient of two automata's scores is therefore the product of the quotients
along one pair of paths. The scores differ if this product is not one.

If two strings lead to the same pair of states with different quotients, and the same suffix follows,
the two total quotients cannot both be one. For each pair of states, it is therefore enough to extend the
two least strings with different quotients. The shortlex-least difference is among their extensions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from automata.aliases import String, Symbols, Weight, Weights
from automata.determinisation import is_deterministic
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown
from automata.equivalence.arrows import Arrows, arrows, kinds
from automata.equivalence.rational import decide_rational
from automata.errors import LimitReached
from automata.operations import trim
from automata.semirings import COUNTING
from automata.wfsa import WFSA

ProgressCallback = Callable[[str], None]
Pair = tuple[int, int]
MOST_PAIRS = 1 << 22
"""Maximum number of pairs of states to follow."""
_FEW_ARROWS = 4
"""Maximum average number of transitions per state and symbol to search pairs of states one by one.

For denser automata, products of boolean matrices are faster.
"""


def is_unambiguous(automaton: WFSA) -> bool:
    """Return whether every string has at most one path; the automaton must not have epsilon transitions.

    >>> from automata.semirings import MAX_PLUS
    >>> is_unambiguous(WFSA(MAX_PLUS, [0, 0], [0, 0], {"a": [[1, "-inf"], ["-inf", 2]]}))
    False
    """
    useful = trim(automaton)
    if is_deterministic(useful):
        return True
    if sum(map(len, useful.tables)) <= _FEW_ARROWS * useful.states * len(useful.tables):
        (mine,), _ = arrows([useful])
        forward, backward = _targets(mine), _targets(mine.mirrored())
        before, after = ({(p, q) for p in part for q in part} for part in (mine.initial, mine.final))
        return not any(
            p != q for p, q in _reached(before, forward, forward) & _reached(after, backward, backward)
        )
    steps = (useful.matrices != useful.semiring.zero).astype(np.float32)
    starts, ends = (
        (part != useful.semiring.zero).astype(np.float32) for part in (useful.initial, useful.final)
    )
    both = _squared(starts, steps) & _squared(ends, steps.swapaxes(1, 2))
    return not both[~np.eye(useful.states, dtype=bool)].any()


def _squared(states: Weights, steps: Weights) -> Weights:
    """Return a boolean matrix; entry (p, q) is true if some string leads from ``states`` to both p and q."""
    pairs_reached = np.outer(states, states)
    while True:
        more = np.minimum(pairs_reached + (steps.swapaxes(1, 2) @ pairs_reached @ steps).sum(axis=0), 1)
        if (more == pairs_reached).all():
            return np.asarray(pairs_reached > 0)
        pairs_reached = (more > 0).astype(np.float32)


Steps = list[dict[int, list[int]]]
"""For each symbol index, a dictionary from each source state to its target states."""


def _targets(automaton: Arrows) -> Steps:
    return [{q: [target for target, _ in row] for q, row in rows.items()} for rows in automaton.out]


def _reached(starts: set[Pair], left: Steps, right: Steps) -> set[Pair]:
    """Return the pairs of states that a common string reaches in both automata, from the pairs ``starts``."""
    known, queue = set(starts), list(starts)
    for p, q in queue:
        for one, other in zip(left, right, strict=True):
            for r in one.get(p, ()):
                for s in other.get(q, ()):
                    if (r, s) not in known:
                        known.add((r, s))
                        queue.append((r, s))
        if len(known) > MOST_PAIRS:
            raise LimitReached(
                f"there are more than {MOST_PAIRS:,} pairs of states that a common string reaches"
            )
    return known


def decide(a: WFSA, b: WFSA, progress: ProgressCallback) -> Answer | None:
    """Decide whether two automata without epsilon transitions are equivalent.

    Both alphabets must be equal, and in the same order.

    Returns:
        The result, or ``None`` if one automaton is ambiguous.

    Raises:
        LimitReached: If too many pairs of states are reachable.
    """
    progress("checking whether every string has at most one path")
    if not all(map(is_unambiguous, (a, b))):
        return None
    progress("comparing the sets of strings that have a path")
    support = decide_rational(_paths(a), _paths(b), progress)
    progress("comparing the weights of the paths")
    weighed = _least_difference(trim(a), trim(b))
    words = []
    if isinstance(support, Unknown):
        return support
    if isinstance(support, Different):
        words.append(support.word)
    if weighed is not None:
        words.append(weighed)
    if not words:
        return Equivalent(
            "every string has at most one path in each automaton, and both paths have the same weight"
        )
    order = {symbol: i for i, symbol in enumerate(a.index)}
    word = min(words, key=lambda x: (len(x), [order[s] for s in x]))
    doubt = support.doubt if isinstance(support, Different) else None
    return Different(word, (path_weight(a, word), path_weight(b, word)), doubt=doubt)


def _paths(automaton: WFSA) -> WFSA:
    """Return the counting automaton that gives each string the number of its paths in ``automaton``."""

    def ones(weights: Weights) -> Weights:
        return np.where(weights != automaton.semiring.zero, 1, 0).astype(object)

    return automaton.replace(
        semiring=COUNTING,
        initial=ones(automaton.initial),
        final=ones(automaton.final),
        tables=[table.mapped(COUNTING, ones, object) for table in automaton.tables],
        epsilon=None,
    )


def path_weight(automaton: WFSA, word: String) -> Weight:
    """Return the exact weight of a string's path in an unambiguous automaton, also over the log semiring."""
    (mine,), _ = arrows([automaton])
    times = automaton.semiring.multiply_numbers
    _, _, index = kinds([automaton])
    reached = dict(mine.initial)
    for symbol in word:
        reached = {r: times(w, v) for q, w in reached.items() for r, v in mine.out[index[symbol]][q]}
    ends = [times(w, mine.final[q]) for q, w in reached.items() if q in mine.final]
    return ends[0] if ends else automaton.semiring.zero


def _least_difference(a: WFSA, b: WFSA) -> Symbols | None:
    """Return the shortlex-least string that has a path in each automaton, with different weights."""
    (left, right), symbols = arrows([a, b])
    times, over = a.semiring.multiply_numbers, a.semiring.divide_numbers
    assert over is not None
    one = a.semiring.one
    ends = {(p, q) for p in left.final for q in right.final}
    useful = _reached(ends, _targets(left.mirrored()), _targets(right.mirrored()))
    quotients: dict[Pair, list[Weight]] = {}
    level: list[tuple[tuple[int, ...], list[tuple[Pair, Weight]]]] = [
        ((), [((p, q), over(v, w)) for p, v in left.initial.items() for q, w in right.initial.items()])
    ]
    while level:
        following: list[tuple[tuple[int, ...], list[tuple[Pair, Weight]]]] = []
        for word, nodes in level:
            fresh = []
            for pair, quotient in nodes:
                seen = quotients.setdefault(pair, [])
                if pair not in useful or quotient in seen or len(seen) == 2:
                    continue
                p, q = pair
                if (
                    p in left.final
                    and q in right.final
                    and times(quotient, over(left.final[p], right.final[q])) != one
                ):
                    return tuple(symbols[k] for k in word)
                seen.append(quotient)
                fresh.append((pair, quotient))
            for k in range(len(symbols)):
                reached = [
                    ((r, s), times(quotient, over(v, w)))
                    for (p, q), quotient in fresh
                    for r, v in left.out[k][p]
                    for s, w in right.out[k][q]
                ]
                if reached:
                    following.append(((*word, k), reached))
        level = following
    return None
