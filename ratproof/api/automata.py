"""Functions on automata that ``import ratproof`` provides."""

from __future__ import annotations

from automata.minimise import minimise as minimised
from automata.wfsa import WFSA


def minimise(automaton: WFSA) -> WFSA:
    """Return the smallest automaton with the same scores.

    :func:`automata.minimise.minimise` also returns a certificate and, for a large automaton, whether the
    result is known to be the smallest.

    >>> from automata.semirings import REAL
    >>> doubled = WFSA(REAL, [1, 1], [1, 1], {"a": [["1/2", 0], [0, "1/2"]]})
    >>> minimise(doubled)
    <WFSA: 1 state, 1 symbol, real semiring, exact>

    Args:
        automaton: An automaton over the real semiring, the counting semiring (a float counts as the fraction
            that it represents) or the boolean semiring.

    Raises:
        InputError: If the automaton is over a different semiring.
    """
    return minimised(automaton).automaton
