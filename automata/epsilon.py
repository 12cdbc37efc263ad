"""Epsilon transitions: their closure, for cycles too where the semiring can sum them."""

from __future__ import annotations

import numpy as np

from automata.aliases import Weights
from automata.errors import EpsilonCycle, WeightError
from automata.semirings import Semiring


def closure(semiring: Semiring, epsilon: Weights) -> Weights:
    """E* = I + E + EE + ...: for each pair of states, the sum over all silent ways from one to the other.

    Kleene's algorithm; without a cycle it needs no star and works in every semiring. A sum over a cycle has
    to converge *absolutely*, since paths have no order: with signed weights, |E|* has to exist too.

    Args:
        semiring: the semiring of the weights.
        epsilon: the matrix E, shape ``(n, n)``.

    Returns:
        The matrix E*, shape ``(n, n)``.

    Raises:
        EpsilonCycle: a cycle through some state has no sum; the message names the state and the cycle's
            weight.
    """
    exact = epsilon.dtype == object
    if not semiring.selective:
        _kleene(semiring, semiring.absolute(epsilon))
    return np.asarray(semiring.plus(_kleene(semiring, epsilon), semiring.identity(len(epsilon), exact=exact)))


def _kleene(semiring: Semiring, epsilon: Weights) -> Weights:
    """E E* : paths of at least one transition, through states 0..k for growing k."""
    total = epsilon.copy()
    signs = ", without their signs" if semiring.name == "real" else ""
    for k in range(len(epsilon)):
        try:
            around = semiring.star(total[k, k])
        except WeightError:
            raise EpsilonCycle(
                f"the epsilon cycles through state {k} weigh {semiring.format(total[k, k])} in all{signs}, "
                f"and going round them any number of times has no sum in the {semiring.name} semiring; "
                "remove the cycle or make it lighter"
            ) from None
        # only between states that reach k and states that k reaches: few, where epsilon is rare
        into, out = np.flatnonzero(total[:, k] != semiring.zero), np.flatnonzero(total[k] != semiring.zero)
        block = np.ix_(into, out)
        through = semiring.times(semiring.times(total[into, k][:, None], around), total[k, out][None, :])
        total[block] = semiring.plus(total[block], through)
    return total
