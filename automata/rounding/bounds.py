"""By how much a float computation of a Forward score may differ from the true one: derived, for any order of
summation.

The bound is a running one (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.3): with Omega the
true vector and E a bound on its error, one step of eq. 3b sums the k terms Omega(q') tau(q', q) that are not
zero. A term with a factor that is exactly 1 needs no multiplication, another is rounded once for it; and of
the additions, in whatever order they are made, each term passes through at most k - 2 before the last, which
rounds the sum itself. So with r roundings a term is off by at most gamma_r of its magnitude, gamma_r = r u /
(1 - r u), and the last addition adds u times the sum's magnitude; a fused multiply-add rounds less. A product
may also underflow, by at most the smallest normal number (flushing to zero included). The step's weights may
themselves be off by a known deviation, and a weight that the format does not hold is rounded to it first.

Over max-plus a term is a sum, rounded once where neither summand is 0; the maximum is exact, and is off by no
more than those terms are that may be the largest.

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> third = WFSA(REAL, [1], [1], {"a": [[1 / 3]]})
>>> values, bounds = prefix_bounds(third, "aa", FLOAT64)
>>> bool(abs(values[-1] - 1 / 9) <= bounds[-1] < 1e-16)
True
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats, String, Weight, Weights
from automata.errors import InputError
from automata.rounding.formats import FLOAT32, FLOAT64, Format
from automata.rounding.steps import STEPS, Deviation
from automata.strings import Batch, encode
from automata.wfsa import WFSA

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "Deviation",
    "Format",
    "bound_table",
    "bounded",
    "prefix_bounds",
    "share",
    "shares",
]


def prefix_bounds(
    automaton: WFSA, string: String, computed_in: Format, deviation: Deviation | None = None
) -> tuple[Weights, Floats]:
    """The scores of a string's prefixes, and how far a float computation of them may be off.

    Args:
        automaton: over the real or the max-plus semiring, exact or float64; without epsilon
            (``automata.operations.remove_epsilon``), or with a deviation that says how epsilon is taken.
        string: of T symbols.
        computed_in: the format of the float computation.
        deviation: how far the weights that it used may be from the automaton's.

    Returns:
        ``(scores, bounds)``, both of shape ``(T + 1,)``. With an exact automaton the scores are exact and the
        bound is on ``|computed - score|``. With a float64 automaton the scores are themselves computed in
        float64, and their own error is in the bound too. A bound is infinite where the computation might
        overflow.
    """
    table, bounds = bound_table(automaton, encode(automaton.index, [string]), computed_in, deviation)
    return table[0], bounds[0]


def bound_table(
    automaton: WFSA, batch: Batch, computed_in: Format, deviation: Deviation | None = None
) -> tuple[Weights, Floats]:
    """:func:`prefix_bounds` for a batch, as tables in its own order, shape ``(strings, longest + 1)``."""
    if automaton.semiring not in STEPS:
        known = " and ".join(k.name for k in STEPS)
        raise InputError(f"rounding bounds are for the {known} semirings, not for {automaton.semiring.name}")
    if automaton.has_epsilon:
        if deviation is None or deviation.epsilon is None:
            raise InputError("rounding bounds are for automata without epsilon: remove it first, exactly")
        if bool((automaton.epsilon_table.columns <= automaton.epsilon_table.rows).any()):
            raise InputError(
                "epsilon leads to a state that is not higher, where a rounding bound is asked for"
            )
    run = STEPS[automaton.semiring](automaton, computed_in, deviation)
    width = batch.codes.shape[1] + 1
    values = np.zeros((len(batch), width), dtype=automaton.initial.dtype)
    bounds = np.zeros((len(batch), width))
    with np.errstate(over="ignore", invalid="ignore"):
        for block in run.blocks(batch):
            scores = run.read_out(block.omega, block.error)
            values[block.strings, block.steps], bounds[block.strings, block.steps] = scores
    return values, np.where(np.isnan(bounds), np.inf, bounds)


def bounded(bounds: Floats) -> NDArray[np.bool_]:
    """Return where there is a bound, as computed scores are compared there only; NaN is no bound."""
    return np.asarray(bounds < np.inf)


def share(computed: Iterable[float], values: Iterable[Weight], bounds: Iterable[float]) -> float:
    """The largest share of a bound that ``abs(computed - true)`` uses: at most 1 where the bounds hold;
    infinite where one does not.

    Differences are taken exactly, and a NaN is no number's neighbour. Where there is no bound
    (:func:`bounded`) nothing is compared: whoever counts what was compared has to ask for that.

    >>> share([12345.0], [0], [np.inf]), share([np.nan], [0], [0.5]), share([1.25], [1], [0.5])
    (0.0, inf, 0.5)
    """
    return max(
        (_used(c, v, b) for c, v, b in zip(computed, values, bounds, strict=True) if b < np.inf), default=0.0
    )


def shares(computed: Floats, values: Weights, bounds: Floats) -> Floats:
    """:func:`share` for each number by itself, of arrays of one shape.

    >>> shares(np.array([1.25, 2.0]), np.array([1.0, 2.0]), np.array([0.5, 0.0])).tolist()
    [0.5, 0.0]
    """
    if values.dtype == object:
        near = bounds < np.inf
        used = np.zeros(values.shape)
    else:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            used = np.where(
                (computed == values) | ~(bounds < np.inf), 0.0, np.abs(computed - values) / bounds
            )
        near = ~(used < 0.999)  # and where it is no number: exactly, below
    for place in zip(*np.nonzero(near), strict=True):
        used[place] = _used(float(computed[place]), values[place], float(bounds[place]))
    return used


def _used(computed: float, value: Weight, bound: float) -> float:
    if bound < 0:
        raise ValueError(f"a bound is {bound!r}, where a number that is not negative is right")
    if computed == value:  # -infinity, too, is what it should be
        return 0.0
    if not np.isfinite(computed) or value in (np.inf, -np.inf) or not bound:
        return float("inf")
    used = abs(Fraction(float(computed)) - Fraction(value)) / Fraction(float(bound))
    return float(used) if used < FLOAT64.largest else float("inf")
