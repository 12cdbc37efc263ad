"""Search over the pairs of state sets or vectors that strings reach in both automata.

Over the booleans, this is Hopcroft and Karp's algorithm on sets of states, up to congruence (Bonchi and Pous
2013). A pair of sets that follows from earlier pairs by equivalence and union is not pursued. Over max-plus,
min-plus and max-times, a pair consists of the Forward vectors of both automata, up to a common factor. If
there are finitely many pairs, the search terminates and decides.

A pair that is not pursued cannot lead to a smaller string than the pairs that it follows from. The
search therefore ends with the shortlex-least string that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from automata.aliases import Weight
from automata.determinisation import FEW_STATES, MOST_WORDS, Set, Sets, sets
from automata.equivalence.answers import Answer, Different, Equivalent, Unknown
from automata.equivalence.arrows import Arrows, arrows, kinds
from automata.equivalence.certificates import Bisimulation
from automata.operations import remove_epsilon, without_dead_ends
from automata.semirings import Semiring
from automata.sparse_matrix import SMALL
from automata.wfsa import WFSA

MOST_PAIRS = 50_000
"""Maximum number of pairs of state sets to pursue."""
FOR_A_PAIR = 40
"""Memory of a pair without its sets, in 8-byte words."""
MOST_FOR_UNIONS = 1000
"""With more pairs than this, checking unions takes longer than pursuing the pairs."""
MOST_WEIGHTS = 100_000
"""Maximum number of weights in all pursued pairs of vectors; a weight with many digits counts as several."""
ProgressCallback = Callable[[str], None]


def decide_boolean(a: WFSA, b: WFSA, progress: ProgressCallback, most: int | None = None) -> Answer:
    """Decide whether two boolean automata over the same alphabet are equivalent.

    At most ``most`` pairs of state sets are tried.
    """
    most = MOST_PAIRS if most is None else min(most, MOST_PAIRS)
    one, other = (remove_epsilon(without_dead_ends(side)) for side in (a, b))
    indices, symbols, _ = kinds([one, other])
    few = max(a.states, b.states) <= FEW_STATES
    left = sets(one, [i for i, _ in indices], few)
    right = sets(other, [j for _, j in indices], few)
    # If one side is deterministic, unions of sets seldom help, and checking them is slow.
    known = Congruence(a.states, not (left.single or right.single), type(left))
    none = left.of([])
    level: list[tuple[Reached, Set, Set]] = [(None, left.initial, right.initial)]
    # includes known pairs; the first of equal pairs has the smallest string
    waiting = {(left.initial, right.initial)}
    length = words = 0
    while level:
        progress(f"length {length}: {len(known.pairs)} pairs of sets of states")
        following: list[tuple[Reached, Set, Set]] = []
        for word, x, y in level:
            if known.holds(x, y):
                continue
            if bool(x & left.final) != bool(y & right.final):
                return Different(
                    tuple(symbols[k] for k in _spelled(word)), (bool(x & left.final), bool(y & right.final))
                )
            known.add(x, y)
            if len(known.pairs) > most:
                return Unknown(f"more than {most:,} pairs of state sets would have to be tried", length - 1)
            after, behind = left.after(x), right.after(y)
            for k in sorted({*after, *behind}):  # all other symbols lead to no state in either automaton
                pair = after.get(k, none), behind.get(k, none)
                if pair not in waiting:
                    waiting.add(pair)
                    following.append(((word, k), *pair))
                    words += FOR_A_PAIR + left.words(pair[0]) + left.words(pair[1])
            if words > MOST_WORDS:
                return Unknown(
                    f"the pairs of state sets to be tried would use more than {MOST_WORDS:,} 8-byte words",
                    length - 1,
                )
        level, length = following, length + 1
    pairs = [(_as_vector(left, x), _as_vector(left, y)) for x, y in known.pairs]
    return Equivalent("by a bisimulation up to congruence", Bisimulation(a, b, pairs))


Reached: TypeAlias = "tuple[Reached, int] | None"
"""A string as a pair of its prefix and the index of its last symbol; ``None`` is the empty string."""


def _spelled(word: Reached) -> list[int]:
    symbols = []
    while word is not None:
        word, last = word
        symbols.append(last)
    return symbols[::-1]


class Congruence:
    """Pairs of state sets, closed under equivalence and union.

    Args:
        shift: the number of states of the first automaton; states of the second one are numbered after
            them.
        unions: whether to check if a pair follows by unions; otherwise only by equivalence.
        kind: the class that represents sets of states, ``Sets`` or ``SparseSets``.
    """

    def __init__(self, shift: int, unions: bool, kind: type[Sets] = Sets) -> None:
        self.shift, self.unions, self.kind = shift, unions, kind
        self.pairs: list[tuple[Set, Set]] = []
        self._joint: list[tuple[Set, Set]] = []
        self._parent: dict[Set, Set] = {}

    def holds(self, x: Set, y: Set) -> bool:
        """Return whether the pair follows from the added pairs."""
        y = self.kind.shifted(y, self.shift)
        if self._root(x) == self._root(y):
            return True
        return self.unions and len(self.pairs) <= MOST_FOR_UNIONS and self._closed(x) == self._closed(y)

    def add(self, x: Set, y: Set) -> None:
        """Add a pair of state sets, which are assumed to accept the same strings."""
        self.pairs.append((x, y))
        y = self.kind.shifted(y, self.shift)
        if self.unions:
            self._joint.append((x, y))
        self._parent[self._root(x)] = self._root(y)

    def _root(self, states: Set) -> Set:
        while (above := self._parent.get(states, states)) != states:
            self._parent[states] = self._parent.get(above, above)
            states = above
        return states

    def _closed(self, states: Set) -> Set:
        """Return the largest state set that must equal this one if the sets of each pair are equal."""
        waiting, within = self._joint, self.kind.within
        while True:
            left = [(x, y) for x, y in waiting if not (within(x, states) or within(y, states))]
            if len(left) == len(waiting):
                return states
            for x, y in waiting:
                if within(x, states) or within(y, states):
                    states |= x | y
            waiting = left


def _as_vector(kind: Sets, states: Set) -> Vector:
    return dict.fromkeys(kind.members(states), True)


Vector = dict[int, Weight]
"""Weights other than zero, keyed by state."""


def search(
    a: WFSA, b: WFSA, progress: ProgressCallback, longest: int | None = None, most: int = MOST_WEIGHTS
) -> Answer:
    """Search for the shortlex-least string with different scores.

    If strings reach only finitely many pairs of vectors and none of them differ, the automata are equivalent.
    Use this search for max-plus, min-plus and max-times, and for other semirings if removing epsilon
    transitions is too expensive.

    Args:
        a: an exact automaton.
        b: an exact automaton with the same alphabet in the same order.
        progress: a callback that receives the current stage as text.
        longest: the maximum length of strings to try.
        most: the maximum number of weights in all pursued pairs of vectors.
    """
    sides = [without_dead_ends(side) for side in (a, b)]
    sides = [remove_epsilon(side) if side.states <= SMALL else side for side in sides]
    both, symbols = arrows(sides)
    left, right = (_PairRun(side, own) for side, own in zip(sides, both, strict=True))
    seen: set[object] = set()
    pairs: list[tuple[Vector, Vector]] = []
    level: list[tuple[tuple[int, ...], Vector, Vector]] = [((), left.start, right.start)]
    length = weights = 0
    while level:
        if longest is not None and length > longest:
            return Unknown(
                f"all strings of at most {longest} symbols have equal scores; longer strings were not"
                " searched",
                longest,
            )
        progress(f"length {length}: {len(pairs)} pairs of vectors")
        following = []
        for word, x, y in level:
            if weights > most:
                selective = a.semiring.selective and not a.semiring.is_boolean
                undecidable = f" (over {a.semiring.name}, equivalence is undecidable in general)"
                return Unknown(
                    f"all strings of at most {length - 1} symbols have equal scores, but no proof of"
                    f" equivalence was found{undecidable if selective else ''}",
                    length - 1,
                )
            x, y = _normal(a.semiring, x, y)
            key = (frozenset(x.items()), frozenset(y.items()))
            if key in seen:
                continue
            if left.score(x) != right.score(y):
                scores = left.score(left.along(word)), right.score(right.along(word))
                return Different(tuple(symbols[k] for k in word), scores)
            seen.add(key)
            pairs.append((x, y))
            weights += sum(
                1 + (w.numerator.bit_length() + w.denominator.bit_length()) // 64
                for w in (*x.values(), *y.values())
            )
            following += (
                [((*word, k), left.step(x, k), right.step(y, k)) for k in range(len(symbols))]
                if x or y
                else []
            )
        level, length = following, length + 1
    certificate = None if a.semiring.is_field else Bisimulation(a, b, pairs)
    return Equivalent("by finitely many pairs of vectors, up to a common factor", certificate)


def _normal(k: Semiring, x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """Divide both vectors by the sum of all their weights.

    Over the reals, divide by the first weight instead, because the sum may be 0.
    """
    if k.divide_numbers is None:
        return x, y
    total = k.zero
    for weight in (*x.values(), *y.values()):
        total = k.add_numbers(total, weight)
        if not k.selective:
            break
    return (
        {q: k.divide_numbers(w, total) for q, w in x.items()},
        {q: k.divide_numbers(w, total) for q, w in y.items()},
    )


class _PairRun:
    """The Forward algorithm on sparse vectors.

    If the automaton still has epsilon transitions, they are applied after each symbol.
    """

    def __init__(self, automaton: WFSA, own: Arrows) -> None:
        k = automaton.semiring
        self.zero, self.plus, self.times, self.arrows = k.zero, k.add_numbers, k.multiply_numbers, own
        self.closure = automaton.epsilon_closure
        self.start = self._closed(own.initial)

    def _closed(self, vector: Vector) -> Vector:
        return vector if self.closure is None else self.closure.row_product(vector)

    def step(self, vector: Vector, index: int) -> Vector:
        """Return the vector after one more symbol."""
        table, product = self.arrows.out[index], dict[int, Weight]()
        for q, weight in vector.items():
            for r, w in table[q]:
                value = self.times(weight, w)
                product[r] = self.plus(product[r], value) if r in product else value
        return self._closed({r: w for r, w in product.items() if w != self.zero})

    def along(self, word: Sequence[int]) -> Vector:
        """Return the vector after all symbols of a word."""
        vector = self.start
        for index in word:
            vector = self.step(vector, index)
        return vector

    def score(self, vector: Vector) -> Weight:
        """Return the score of a vector."""
        total = self.zero
        for q, weight in vector.items():
            if q in self.arrows.final:
                total = self.plus(total, self.times(weight, self.arrows.final[q]))
        return total
