"""The Forward algorithm (equations 3a to 3c, Peng et al. 2018), for one string: the reference that all else is held to.

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> counts_a = WFSA(REAL, initial=[1, 0], final=[0, 1], transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
>>> score(counts_a, "abaa")
Fraction(3, 1)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from automata.strings import String
from automata.wfsa import WFSA, unknown_symbol


def forward(automaton: WFSA, string: String) -> NDArray[Any]:
    """Omega_i(q): the total score of all paths that derive the first i symbols and end in q.

    Silent moves at the end are counted in; eq. 3b reads x_{i+1}, where the paper prints x_i.

    Args:
        automaton: with n states.
        string: of T symbols.

    Returns:
        Omega, shape ``(T + 1, n)``, in the automaton's numbers.

    Raises:
        UnknownSymbol: the string has a symbol that the alphabet lacks.
    """
    k, silent = automaton.semiring, automaton.closure

    def after_silent(omega: NDArray[Any]) -> Any:
        return omega if silent is None else k.sum(k.times(omega[:, None], silent), axis=0)

    omega = [after_silent(automaton.initial)]  # eq. 3a
    for place, symbol in enumerate(string):
        if symbol not in automaton.index:
            raise unknown_symbol(automaton.index, symbol, f"place {place}: ")
        step = k.times(omega[-1][:, None], automaton.matrices[automaton.index[symbol]])
        omega.append(after_silent(k.sum(step, axis=0)))  # eq. 3b
    return np.stack(omega)


def prefix_scores(automaton: WFSA, string: String) -> NDArray[Any]:
    """The score of every prefix, from the empty string to the string itself, shape ``(T + 1,)`` (eq. 3c)."""
    k = automaton.semiring
    return np.asarray(k.sum(k.times(forward(automaton, string), automaton.final), axis=1))


def score(automaton: WFSA, string: String) -> Any:
    """The score A[x] (Definition 4)."""
    k = automaton.semiring
    return k.sum(k.times(forward(automaton, string)[-1], automaton.final))
