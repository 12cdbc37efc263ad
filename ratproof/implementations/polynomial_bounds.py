"""Rounding bounds for networks whose automata have polynomials in the gates as weights.

The network multiplies and adds gates and components of the state in an order that differs from the
automaton's. Within a step, the deviations of the automaton's weights cover this difference. In a network that
runs in chunks, the order across steps also differs. The bound of such a network is computed from the
automaton of magnitudes (:func:`neural.reading.magnitudes`). Bounds are infinite for prefixes on which an
intermediate value might overflow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from automata.aliases import Floats, Weights
from automata.rounding.bounds import Deviation, Format
from automata.rounding.units import unit_bounds
from automata.strings import String
from automata.wfsa import WFSA


def polynomial_bounds(
    units: Sequence[tuple[WFSA, Floats]],
    deviations: Sequence[Deviation],
    strings: Sequence[String],
    computed_in: Format,
) -> list[tuple[Weights, Floats]]:
    """Return, for each string's prefixes, the automata's scores and bounds on the network's errors.

    Both have shape ``(T + 1, units)``.

    Args:
        units: For each unit, its automaton or its automaton of magnitudes, and the factors of
            :func:`neural.reading.magnitudes`.
        deviations: The deviations of the automata's weights, one for each unit.
        strings: The strings.
        computed_in: The network's dtype.
    """
    automata = [automaton for automaton, _ in units]
    products = [automaton.replace(final=factors) for automaton, factors in units]
    tables = []
    for values, bounds in unit_bounds(
        [*automata, *products], strings, computed_in, [*deviations, *deviations]
    ):
        own, before = np.hsplit(bounds, 2)
        own[1:][np.isinf(before[:-1])] = np.inf  # a product with the state before the step may overflow
        tables.append((np.hsplit(values, 2)[0], own))
    return tables
