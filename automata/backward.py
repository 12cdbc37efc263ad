"""The backward algorithm, for one string: what is still to come."""

from __future__ import annotations

import numpy as np

from automata.aliases import String, Weights
from automata.wfsa import WFSA


def backward(automaton: WFSA, string: String) -> Weights:
    """beta_i(q): the total score of all ways to finish from q, reading the symbols after the first i; silent
    moves too.

    So lambda . beta_0 is the score, and so is Omega_i . tau(x_{i+1}) . beta_{i+1} for every i.

    Args:
        automaton: with n states.
        string: of T symbols.

    Returns:
        beta, shape ``(T + 1, n)``, in the automaton's numbers.
    """
    k, closure = automaton.semiring, automaton.epsilon_closure

    def before_silent(beta: Weights) -> Weights:
        return beta if closure is None else closure.transposed.product(beta)

    beta = [before_silent(automaton.final)]
    for symbol in reversed(string):
        beta.append(before_silent(automaton.table(symbol).transposed.product(k, beta[-1])))
    return np.stack(beta[::-1])
