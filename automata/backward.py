"""The backward algorithm for one string."""

from __future__ import annotations

import numpy as np

from automata.aliases import String, Weights
from automata.wfsa import WFSA


def backward(automaton: WFSA, string: String) -> Weights:
    """Return beta_i(q), the total score of all paths from q that read the symbols after the first i.

    Epsilon transitions are included. Then lambda . beta_0 is the score, and so is Omega_i .
    tau(x_{i+1}) . beta_{i+1} for every i.

    Args:
        automaton: an automaton with n states.
        string: a string of T symbols.

    Returns:
        beta, shape ``(T + 1, n)``, with the dtype of the automaton's weights.
    """
    k, closure = automaton.semiring, automaton.epsilon_closure

    def before_epsilon(beta: Weights) -> Weights:
        return beta if closure is None else closure.transposed.product(beta)

    beta = [before_epsilon(automaton.final)]
    for symbol in reversed(string):
        beta.append(before_epsilon(automaton.table(symbol).transposed.product(k, beta[-1])))
    return np.stack(beta[::-1])
