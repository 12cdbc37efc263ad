"""What a state-regularized network does as its temperature tends to 0, and how low it has to be: ties,
margins, the DFA, tau*.

For Theorem 3.2 and for the extraction of a DFA (Wang & Niepert 2019, section 3.1 and appendices A.2 and D).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from automata.wfsa import WFSA
from theory.state_regularized.shared.networks import Vector, component, margin, similarities
from theory.weights import Weights

Table = dict[tuple[int, str], int]
"""The next state for each state and symbol; states begin with 1."""


def scores_at(w: Weights, state: int, x: str) -> Vector:
    """The similarities b, from that centroid with that symbol."""
    return similarities(w, component(w, w.S[state - 1], x))


def most_probable(b: Vector) -> int:
    """The first of the greatest, from 1."""
    return 1 + b.index(max(b))


def transition_table(w: Weights) -> Table:
    """The next state for every state and symbol: the transition function of the limit network, read off the
    cell.
    """
    return {(q, x): most_probable(scores_at(w, q, x)) for q in range(1, w.n + 1) for x in w.alphabet}


def reachable(w: Weights) -> Iterator[tuple[int, str, Vector]]:
    """The pairs of a state and a symbol that strings reach from the first state, each with its
    similarities.
    """
    waiting, seen = [1], {1}
    for q in waiting:
        for x in w.alphabet:
            b = scores_at(w, q, x)
            yield q, x, b
            after = most_probable(b)
            if after not in seen:
                seen.add(after)
                waiting.append(after)


def distinct(w: Weights) -> bool:
    """Are the centroids k different vectors?"""
    return len(set(w.S)) == w.n


def no_ties(w: Weights) -> bool:
    """Are the centroids different, and is there one greatest similarity for every pair that is reached?"""
    return distinct(w) and all(margin(b) > 0 for _, _, b in reachable(w))


def dfa(w: Weights, table: Callable[[Weights], Table] = transition_table) -> list[WFSA]:
    """The DFA with that transition function, k times: each time another state is the final one."""
    arrows = [(q - 1, after - 1, x, w.over.one) for (q, x), after in table(w).items()]
    one = w.over.one
    return [WFSA.from_edges(w.over, w.n, w.alphabet, [(0, one)], [(j, one)], arrows) for j in range(w.n)]


# Equation 5 at a temperature that serves all lengths. While alpha_q >= 1 - epsilon, h is within epsilon R of
# s_q, u within epsilon R |U| of what it is at s_q, and each difference of similarities within epsilon L. With
# epsilon <= gamma / (2 L), where gamma is the least margin that is reached, the next state leads by gamma / 2
# at least, and alpha there is at least 1 / (1 + (k - 1) 2^(-m gamma / 2)), which is 1 - epsilon or more for a
# large m, and for every larger one. So what holds after n symbols holds after n + 1.


def slope(w: Weights) -> Any:
    """L: by how much a difference of similarities may change when alpha moves from one-hot by 1."""
    pairs = [(s, t) for s in w.S for t in w.S]
    radius = max(abs(a - b) for s, t in pairs for a, b in zip(s, t, strict=True))
    norm = max(sum(map(abs, row)) for row in w.U)
    apart = max(sum(abs(a - b) for a, b in zip(s, t, strict=True)) for s, t in pairs)
    return radius * norm * (apart if w.eq == 2 else 2)


def least_margin(w: Weights) -> Any:
    """gamma: the least margin of all pairs that are reached."""
    return min(margin(b) for _, _, b in reachable(w))


def epsilon(w: Weights) -> Fraction:
    """How much of alpha may be off the DFA's state."""
    off = Fraction(1, 4)
    return off if not slope(w) else min(off, Fraction(least_margin(w)) / (2 * slope(w)))


def low_enough(w: Weights) -> Fraction:
    """An m for which the mixture follows the DFA on all strings: tau* is 1 / (m ln 2). Without ties there is
    one.
    """
    gamma = least_margin(w)
    if not gamma > 0:
        raise ValueError(f"there is a tie, so no temperature is low enough: {w.describe()}")
    off = epsilon(w)
    power = 0
    while 2**power * off < (w.n - 1) * (1 - off):
        power += 1
    return Fraction(ceil(Fraction(2 * power) / gamma))
