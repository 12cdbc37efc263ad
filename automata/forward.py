"""The Forward algorithm for one string (Peng et al. 2018, equations 3a to 3c), used as the reference.

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> transitions = {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]}
>>> counts_a = WFSA(REAL, initial=[1, 0], final=[0, 1], transitions=transitions)
>>> score(counts_a, "abaa")
Fraction(3, 1)
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from automata.aliases import String, Weight, Weights
from automata.strings import symbols_of
from automata.symbols import known_symbols
from automata.wfsa import WFSA, require_wfsa


def start(automaton: WFSA) -> Weights:
    """Return the Forward vector before the first symbol, Omega_0 (Peng et al. 2018, eq. 3a), shape ``(n,)``.

    Epsilon transitions are included here and in every step.
    """
    return _after_epsilon(automaton, automaton.initial)


def step(automaton: WFSA, omega: Weights, symbol: Hashable) -> Weights:
    """Return the Forward vector after one more symbol, shape ``(n,)``.

    This is Omega_{i+1}, given Omega_i and the symbol x_{i+1} (Peng et al. 2018, eq. 3b, which prints x_i).
    """
    return _after_epsilon(automaton, automaton.table(symbol).product(automaton.semiring, omega))


def read_out(automaton: WFSA, omega: Weights) -> Weight:
    """Return the score of the symbols read so far: the product of Omega and the final weights.

    This is equation 3c of Peng et al. 2018.
    """
    return automaton.semiring.dot(omega, automaton.final)


def _after_epsilon(automaton: WFSA, omega: Weights) -> Weights:
    closure = automaton.epsilon_closure
    return omega if closure is None else closure.product(omega)


def forward(automaton: WFSA, string: String) -> Weights:
    """Return Omega_i(q), the total score of all paths that derive the first i symbols and end in q.

    Args:
        automaton: an automaton with n states.
        string: a string of T symbols.

    Returns:
        Omega, shape ``(T + 1, n)``, with the dtype of the automaton's weights.

    Raises:
        UnknownSymbol: If the string has a symbol that is not in the alphabet.
    """
    omega = [start(automaton)]
    for symbol in known_symbols(automaton.index, string):
        omega.append(step(automaton, omega[-1], symbol))
    return np.stack(omega)


def prefix_scores(automaton: WFSA, string: String) -> Weights:
    """Return the scores of all T + 1 prefixes of a string of length T, from the empty string to the full one.

    This is equation 3c of Peng et al. 2018.
    """
    k = automaton.semiring
    return np.asarray(k.sum(k.times(forward(automaton, string), automaton.final), axis=1))


def score(automaton: WFSA, string: String) -> Weight:
    """Return the score A[x] (Definition 4)."""
    require_wfsa(automaton)
    return read_out(automaton, forward(automaton, symbols_of(string))[-1])
