"""The limit of a state-regularized network for temperatures near 0: ties, margins, the DFA, and tau*.

Theorem 3.2 and the extraction of a DFA use this code (Wang & Niepert 2019, section 3.1 and appendices A.2 and
D). At the temperature tau*, the network follows the DFA on all strings.
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
"""The next state for each state and symbol; states are counted from 1."""


def scores_at(w: Weights, state: int, x: str) -> Vector:
    """Return the similarities b after symbol x, from the centroid with the index ``state``."""
    return similarities(w, component(w, w.S[state - 1], x))


def most_probable(b: Vector) -> int:
    """Return the index, counted from 1, of the greatest value; of the first one if there are several."""
    return 1 + b.index(max(b))


def transition_table(w: Weights) -> Table:
    """Return the next state for every state and symbol.

    This is the transition function of the limit network, computed from the cell.
    """
    return {(q, x): most_probable(scores_at(w, q, x)) for q in range(1, w.n + 1) for x in w.alphabet}


def reachable(w: Weights) -> Iterator[tuple[int, str, Vector]]:
    """Yield the reachable pairs of a state and a symbol, each with its similarities."""
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
    """Return whether the centroids are k different vectors."""
    return len(set(w.S)) == w.n


def no_ties(w: Weights) -> bool:
    """Return whether the centroids differ and no similarities tie.

    That is, every reachable pair of state and symbol has a unique most similar centroid.
    """
    return distinct(w) and all(margin(b) > 0 for _, _, b in reachable(w))


def dfa(w: Weights, table: Callable[[Weights], Table] = transition_table) -> list[WFSA]:
    """Return one copy of the DFA for each state, in which this state is the only final state."""
    arrows = [(q - 1, after - 1, x, w.over.one) for (q, x), after in table(w).items()]
    one = w.over.one
    return [WFSA.from_edges(w.over, w.n, w.alphabet, [(0, one)], [(j, one)], arrows) for j in range(w.n)]


def always_one(w: Weights) -> list[WFSA]:
    """Return the one-state automaton whose score is one for every string."""
    return [WFSA(w.over, [w.over.one], [w.over.one], {x: [[w.over.one]] for x in w.alphabet})]


# Equation 5 at a temperature that works for all lengths. While alpha_q >= 1 - epsilon, h is within epsilon
# R of s_q, u is within epsilon R |U| of its value at s_q, and each difference of similarities is within
# epsilon L. Let epsilon <= gamma / (2 L), where gamma is the least reachable margin. Then the similarity of
# the next state exceeds the others by at least gamma / 2, and its alpha is at least
# 1 / (1 + (k - 1) 2^(-m gamma / 2)). This is at least 1 - epsilon if m is large enough. So if
# alpha_q >= 1 - epsilon for the DFA's state q after n symbols, the same inequality holds after n + 1 symbols.


def slope(w: Weights) -> Any:
    """Return L, a bound on how much a mixture near a centroid changes the similarities.

    If centroid q has probability alpha_q >= 1 - epsilon in the mixture, then each difference of two
    similarities deviates by at most epsilon L from its value at centroid q.
    """
    pairs = [(s, t) for s in w.S for t in w.S]
    radius = max(abs(a - b) for s, t in pairs for a, b in zip(s, t, strict=True))
    norm = max(sum(map(abs, row)) for row in w.U)
    spread = max(sum(abs(a - b) for a, b in zip(s, t, strict=True)) for s, t in pairs)
    return radius * norm * (spread if w.eq == 2 else 2)


def least_margin(w: Weights) -> Any:
    """Return gamma, the least margin of all reachable pairs."""
    return min(margin(b) for _, _, b in reachable(w))


def epsilon(w: Weights) -> Fraction:
    """Return epsilon, a bound on the total probability of the centroids that are not the DFA's state.

    Within this bound, the mixture moves to the DFA's next state.
    """
    off = Fraction(1, 4)
    return off if not slope(w) else min(off, Fraction(least_margin(w)) / (2 * slope(w)))


def low_enough(w: Weights) -> Fraction:
    """Return an m for which the mixture follows the DFA on all strings: tau* is 1 / (m ln 2).

    If there are no ties, such an m exists.
    """
    gamma = least_margin(w)
    if not gamma > 0:
        raise ValueError(
            f"the weights must not have ties, or no temperature is low enough, got {w.describe()}"
        )
    off = epsilon(w)
    power = 0
    while 2**power * off < (w.n - 1) * (1 - off):
        power += 1
    return Fraction(ceil(Fraction(2 * power) / gamma))
