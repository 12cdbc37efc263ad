"""Bounds on the rounding error of a float Forward score that hold for any order of summation.

This is a running error bound (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.3). Let Omega be
the true vector and E a bound on its error. One step of eq. 3b (Peng et al. 2018) sums the k nonzero terms
Omega(q') tau(q', q). A term with a factor of exactly 1 is not multiplied; any other term is rounded once. In
any order, each term passes through at most k - 2 additions before the last one, which rounds the sum itself.

With r roundings, a term's error is at most gamma_r = r u / (1 - r u) times its magnitude. The last addition
adds an error of at most u times the sum's magnitude. A fused multiply-add rounds less. A product may also
underflow, by less than half of the smallest normal number. Subnormal sums are exact; processors that flush
them to zero are not covered.

The weights may also differ from those of the computation by a known deviation, and a weight that the dtype
cannot represent is rounded first. Coq proves this bound for exact automata without epsilon
(``theory/coq_reals/running_bound.v``).

Over max-plus, a term is a sum, which is rounded once unless a summand is 0. The maximum itself is exact. Its
error is at most the largest error of a term that may be the maximum.


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
from automata.rounding.formats import FLOAT32, FLOAT64, Format
from automata.rounding.steps import Deviation
from automata.rounding.units import bound_tables
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
    """Return the scores of a string's prefixes, and bounds on the errors of computing them with floats.

    Args:
        automaton: an automaton over the real or max-plus semiring, exact or float64, without
            epsilon (``automata.operations.remove_epsilon``), or with a deviation that covers
            epsilon.
        string: a string of T symbols.
        computed_in: the dtype of the float computation.
        deviation: bounds on the difference between the weights of the automaton and of the float computation.

    Returns:
        ``(scores, bounds)``, both of shape ``(T + 1,)``. With an exact automaton, the scores are
        exact and the bound is on ``|computed - score|``. With a float64 automaton, the scores are
        themselves computed in float64, and the bound includes their own error. A bound is infinite
        if the computation might overflow.
    """
    table, bounds = bound_table(automaton, encode(automaton.index, [string]), computed_in, deviation)
    return table[0], bounds[0]


def bound_table(
    automaton: WFSA, batch: Batch, computed_in: Format, deviation: Deviation | None = None
) -> tuple[Weights, Floats]:
    """Return the scores and bounds of :func:`prefix_bounds` for each string in a batch.

    Both arrays have shape ``(strings, longest + 1)``.
    """
    values, bounds = bound_tables([automaton], batch, computed_in, [deviation])
    return values[:, :, 0], bounds[:, :, 0]


def bounded(bounds: Floats) -> NDArray[np.bool_]:
    """Return a mask of the finite bounds; only scores with a finite bound can be compared."""
    return np.asarray(bounds < np.inf)


def share(computed: Iterable[float], values: Iterable[Weight], bounds: Iterable[float]) -> float:
    """Return the largest fraction of a bound that ``abs(computed - true)`` uses.

    It is at most 1 if all bounds hold, and infinite if a finite value violates a bound of 0.
    Differences are taken exactly, and a NaN violates every bound. Scores without a bound
    (:func:`bounded`) are not compared; callers that count comparisons must check for them.

    >>> share([12345.0], [0], [np.inf]), share([np.nan], [0], [0.5]), share([1.25], [1], [0.5])
    (0.0, inf, 0.5)
    """
    return max(
        (_used(c, v, b) for c, v, b in zip(computed, values, bounds, strict=True) if b < np.inf), default=0.0
    )


def shares(computed: Floats, values: Weights, bounds: Floats) -> Floats:
    """Return :func:`share` of each element, for arrays of the same shape.

    >>> shares(np.array([1.25, 2.0]), np.array([1.0, 2.0]), np.array([0.5, 0.0])).tolist()
    [0.5, 0.0]
    """
    if (bounds < 0).any():
        raise ValueError(f"a bound must not be negative, got {float(bounds.min())!r}")
    if values.dtype == object:
        near = bounds < np.inf
        used = np.zeros(values.shape)
    else:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            used = np.where(
                (computed == values) | ~(bounds < np.inf), 0.0, np.abs(computed - values) / bounds
            )
        near = ~(used < 0.999)  # also NaN; recomputed exactly below
    for index in zip(*np.nonzero(near), strict=True):
        used[index] = _used(float(computed[index]), values[index], float(bounds[index]))
    return used


def _used(computed: float, value: Weight, bound: float) -> float:
    if bound < 0:
        raise ValueError(f"a bound must not be negative, got {bound!r}")
    if computed == value:  # includes equal infinities
        return 0.0
    if not np.isfinite(computed) or value in (np.inf, -np.inf) or not bound:
        return float("inf")
    used = abs(Fraction(float(computed)) - Fraction(value)) / Fraction(float(bound))
    return float(used) if used < FLOAT64.largest else float("inf")
