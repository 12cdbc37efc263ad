"""Patterns, which are automata whose weights are names of gates, and their conversion to arrays of numbers.

All units of a cell have the same pattern. The arrays are built from the values of the gates in all windows.
If a gate reads the last K symbols, the automaton's states must remember K - 1 of them. Each state of the
pattern therefore becomes one state per history, a tuple of up to K - 1 symbols (Proposition 11, Peng et al.
2018). Shorter histories occur only at the start of a string.

>>> windows = Windows(symbols=2, size=2)
>>> windows.histories, windows.ids.tolist()  # (), (a), (b); -1: before the string
(3, [[-1, 0], [-1, 1], [0, 0], [0, 1], [1, 0], [1, 1]])
>>> gates = {"f": np.full((6, 1), 0.5), "u": np.full((6, 1), 0.5)}
>>> half = WindowWeights(gates, 1.0, 0.0, np.zeros(1), np.array([True]))
>>> [(initial, final, matrices)] = arrays(FIGURE_1, half, windows, units=1)
>>> initial.tolist(), final.tolist()  # (0, ()), (0, a), (0, b), (1, a), (1, b)
([1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

ZERO, ONE, START = "0", "1", "c"
"""Names that are not gates: the semiring's zero and one, and the unit's first state c_0."""


@dataclass(frozen=True)
class Pattern:
    """An automaton whose weights are names of gates or of constants.

    Attributes:
        initial: the name of each state's initial weight.
        final: the name of each state's final weight.
        arrows: the transitions, as (source, target, name); all others are zero.
        epsilon: the epsilon transitions in the same form, from lower to higher states.
    """

    initial: tuple[str, ...]
    final: tuple[str, ...]
    arrows: tuple[tuple[int, int, str], ...]
    epsilon: tuple[tuple[int, int, str], ...] = ()

    @property
    def states(self) -> int:
        """Return the number of states."""
        return len(self.initial)


FIGURE_1 = Pattern((ONE, START), (ZERO, ONE), ((0, 0, ONE), (0, 1, "u"), (1, 1, "f")))
"""The automaton of Figure 1 with the states q_0 and q_1.

The loop at q_1 has the weight f, the transition from q_0 to q_1 has the weight u, and the initial weight of
q_1 is c_0.
"""


def chain(forgets: tuple[str, ...], updates: tuple[str, ...]) -> Pattern:
    """Return the pattern of a row of ``len(forgets) + 1`` states (Figure 2 and Appendix B, Peng et al. 2018).

    Each state after the first has a loop, whose weight is the name in ``forgets``, and a transition from the
    previous state, whose weight is the name in ``updates``. The last state is final.
    """
    n = len(forgets)
    loops = tuple((i, i, f) for i, f in enumerate(forgets, 1))
    ways = tuple((i - 1, i, u) for i, u in enumerate(updates, 1))
    return Pattern((ONE, *[START] * n), (*[ZERO] * n, ONE), ((0, 0, ONE), *loops, *ways))


@dataclass(frozen=True)
class Windows:
    """All windows over an alphabet: the last ``size`` symbols, or fewer at the start of a string.

    Attributes:
        symbols: the size of the alphabet.
        size: K.
    """

    symbols: int
    size: int

    @property
    def histories(self) -> int:
        """Return the number of histories; a history is a tuple of fewer than K symbols."""
        return sum(self.symbols**k for k in range(self.size))

    @cached_property
    def ids(self) -> NDArray[np.intp]:
        """Return the symbols of each window, oldest first (-1: before the string), shape ``(windows, K)``."""
        rows = [
            (*[-1] * (self.size - k), *w)
            for k in range(1, self.size + 1)
            for w in product(range(self.symbols), repeat=k)
        ]
        return np.array(rows, dtype=np.intp).reshape(-1, self.size)

    @cached_property
    def parts(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return three arrays of indices, shape ``(windows,)``.

        For each window, they contain the history before the window's last symbol, this symbol, and the
        history after it.
        """
        number = {
            h: i
            for i, h in enumerate(h for k in range(self.size) for h in product(range(self.symbols), repeat=k))
        }
        read = [tuple(x for x in row if x >= 0) for row in self.ids.tolist()]
        before = [number[w[:-1]] for w in read]
        after = [number[w[max(0, len(w) - self.size + 1) :]] for w in read]
        return np.array(before, dtype=np.intp), self.ids[:, -1], np.array(after, dtype=np.intp)


@dataclass(frozen=True)
class WindowWeights:
    """The values for the names in a pattern: the gates in every window, and the constants.

    Attributes:
        gates: the values of each gate, shape ``(windows, units)``, or ``(units,)`` if they do not depend on
            the symbol; matrices have one more axis.
        one, zero: the semiring's constants.
        start: c_0 of each unit.
        fresh: whether c_0 of each unit is the semiring's zero. If so, no path starts in a state with the
            initial weight c_0.
    """

    gates: Mapping[str, NDArray[np.float64]]
    one: float
    zero: float
    start: NDArray[np.float64]
    fresh: NDArray[np.bool_]

    def value(self, name: str, unit: int) -> Any:
        """Return the value of the weight ``name`` for a unit: a scalar, or one value per window."""
        constants = {ONE: self.one, ZERO: self.zero, START: self.start[unit]}
        return constants[name] if name in constants else self.gates[name][..., unit]


def arrays(pattern: Pattern, weights: WindowWeights, windows: Windows, units: int) -> list[Any]:
    """Build the arrays ``(initial, final, matrices)`` of each unit's automaton.

    Their shapes are ``(n,)``, ``(n,)`` and ``(symbols, n, n)``. The states are pairs of a pattern state and a
    history, ordered by the pattern state. A state is omitted if no path can start in it or reach it. If the
    gates are arrays of fractions, the results are arrays of objects.
    """
    h = windows.histories
    n = pattern.states * h
    before, symbol, after = windows.parts
    dtype = np.result_type(np.float64, *weights.gates.values())
    result = []
    for unit in range(units):
        initial = np.full(n, weights.zero, dtype=dtype)
        final = np.repeat([float(weights.value(name, unit)) for name in pattern.final], h)
        matrices = np.full((windows.symbols, n, n), weights.zero, dtype=dtype)
        for source, target, name in pattern.arrows:
            matrices[symbol, source * h + before, target * h + after] = weights.value(name, unit)
        live = np.ones(n, dtype=bool)
        for state, name in enumerate(pattern.initial):
            initial[state * h] = weights.value(name, unit)
            # Windows longer than one symbol never return to the empty history.
            live[state * h] = h == 1 or not (name == ZERO or (name == START and weights.fresh[unit]))
        result.append((initial[live], final[live], matrices[:, live][:, :, live]))
    return result


def epsilon_matrices(
    pattern: Pattern, weights: WindowWeights, units: int
) -> list[NDArray[np.float64] | None]:
    """Return each unit's matrix of epsilon transitions, shape ``(n, n)``, or ``None`` if there are none.

    The weights of epsilon transitions do not depend on the symbol. In patterns with epsilon transitions, all
    gates read one symbol.
    """
    if not pattern.epsilon:
        return [None] * units
    result: list[NDArray[np.float64] | None] = []
    for unit in range(units):
        matrix = np.full((pattern.states, pattern.states), weights.zero, dtype=np.float64)
        for source, target, name in pattern.epsilon:
            matrix[source, target] = weights.value(name, unit)
        result.append(matrix)
    return result
