"""Functions on automata, as ``import ratproof`` gives them."""

from __future__ import annotations

from automata.minimise import minimise as minimised
from automata.wfsa import WFSA


def minimise(automaton: WFSA) -> WFSA:
    """Return the least automaton with the same scores.

    :func:`automata.minimise.minimise` also returns a certificate and, for a large automaton, whether the
    result is known to be the least.

    >>> from automata.semirings import REAL
    >>> doubled = WFSA(REAL, [1, 1], [1, 1], {"a": [["1/2", 0], [0, "1/2"]]})
    >>> minimise(doubled)
    <WFSA: 1 state, 1 symbol, real semiring, exact>

    Args:
        automaton: real, counting (exactly: a float is the fraction that it is), or boolean.

    Raises :class:`~automata.errors.InputError` for another semiring.
    """
    return minimised(automaton).automaton
