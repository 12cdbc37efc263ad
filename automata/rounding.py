"""By how much a float computation of a Forward score may differ from the true one: derived, for any order of summation.

The bound is a running one (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.3): with Omega the true vector and
E a bound on its error, one step of eq. 3b sums the k terms Omega(q') tau(q', q) that are not zero. A term with a factor
that is exactly 1 needs no multiplication, another is rounded once for it; and of the additions, in whatever order they are
made, each term passes through at most k - 2 before the last, which rounds the sum itself. So with r roundings a term is
off by at most gamma_r of its magnitude, gamma_r = r u / (1 - r u), and the last addition adds u times the sum's magnitude;
a fused multiply-add rounds less. A product may also underflow, by at most the smallest normal number (flushing to zero
included). The step's weights may themselves be off by a known deviation, and a weight that the format does not hold is
rounded to it first.

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> third = WFSA(REAL, [1], [1], {"a": [[1 / 3]]})
>>> values, bounds = prefix_bounds(third, "aa", FLOAT64)
>>> bool(abs(values[-1] - 1 / 9) <= bounds[-1] < 1e-16)
True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from automata.errors import InputError
from automata.semirings import REAL
from automata.strings import Batch, String, encode
from automata.wfsa import WFSA


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: its unit roundoff, smallest normal and largest number."""

    name: str
    unit: float
    tiny: float
    largest: float

    def gamma(self, roundings: Any) -> Any:
        """gamma_r = r u / (1 - r u), a bound on the relative error of r roundings (elementwise on arrays)."""
        return roundings * self.unit / (1 - roundings * self.unit)


FLOAT32 = Format("float32", 2.0**-24, 2.0**-126, float(np.finfo(np.float32).max))
FLOAT64 = Format("float64", 2.0**-53, 2.0**-1022, float(np.finfo(np.float64).max))

# The bounds themselves are computed in float64; a step's own rounding errors are far below this inflation.
_OUTWARD = 1 + 2.0**-40


@dataclass(frozen=True)
class Deviation:
    """By how much an automaton's weights may differ, at most, from those that the float computation used.

    Attributes:
        matrices: as ``WFSA.matrices``, shape ``(m, n, n)``, not negative.
        initial: shape ``(n,)``.
    """

    matrices: NDArray[np.float64]
    initial: NDArray[np.float64]


def prefix_bounds(
    automaton: WFSA, string: String, computed_in: Format, deviation: Deviation | None = None
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The scores of a string's prefixes, and how far a float computation of them may be off.

    Args:
        automaton: over the real semiring, exact or float64, without epsilon (``automata.operations.remove_epsilon``).
        string: of T symbols.
        computed_in: the format of the float computation.
        deviation: how far the weights that it used may be from the automaton's.

    Returns:
        ``(scores, bounds)``, both of shape ``(T + 1,)``. With an exact automaton the scores are exact and the bound is
        on ``|computed - score|``. With a float64 automaton the scores are themselves computed in float64, and their own
        error is in the bound too. A bound is infinite where the computation might overflow.
    """
    table, bounds = bound_table(automaton, encode(automaton.index, [string]), computed_in, deviation)
    return table[0], bounds[0]


def bound_table(
    automaton: WFSA, batch: Batch, computed_in: Format, deviation: Deviation | None = None
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """:func:`prefix_bounds` for a batch, as tables in its own order, shape ``(strings, longest + 1)``."""
    if automaton.semiring is not REAL:
        raise InputError(f"rounding bounds are for the real semiring, not for {automaton.semiring.name}")
    if automaton.epsilon is not None:
        raise InputError("rounding bounds are for automata without epsilon: remove it first, exactly")
    run = _Run(automaton, computed_in, deviation)
    width = batch.codes.shape[1] + 1
    values = np.zeros((len(batch), width), dtype=automaton.initial.dtype)
    bounds = np.zeros((len(batch), width))
    omega = np.tile(automaton.initial, (len(batch), 1))
    error = np.tile(run.initial_slack, (len(batch), 1))
    with np.errstate(over="ignore", invalid="ignore"):
        values[:, 0], bounds[:, 0] = run.read_out(omega, error)
        for t, (active, symbols) in enumerate(batch.steps(), start=1):
            omega, error = run.step(omega[:active], error[:active], symbols)
            values[:active, t], bounds[:active, t] = run.read_out(omega, error)
    return values, np.where(np.isnan(bounds), np.inf, bounds)


class _Run:
    """One automaton's matrices, as magnitudes, and the rounding of one step."""

    def __init__(self, automaton: WFSA, computed_in: Format, deviation: Deviation | None) -> None:
        self.automaton, self.format = automaton, computed_in
        # A float64 reference rounds as often as the computation that it is held against: charge for both.
        self.twice = 1.0 if automaton.exact else 1 + FLOAT64.unit / computed_in.unit
        self.matrices = _upper(automaton.matrices)
        self.final = _upper(automaton.final)
        self.slack = _representation_error(automaton.matrices, computed_in)
        self.final_slack = _representation_error(automaton.final, computed_in)
        self.initial_slack = _representation_error(automaton.initial, computed_in)
        if deviation is not None:
            self.slack = self.slack + deviation.matrices
            self.initial_slack = self.initial_slack + deviation.initial

    def step(
        self, omega: NDArray[Any], error: NDArray[np.float64], symbols: NDArray[np.intp]
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Omega_{i+1} and the bound on its error, from Omega_i and its."""
        k = self.automaton.semiring
        after = k.sum(k.times(omega[:, :, None], self.automaton.matrices[symbols]), axis=1)
        return after, self._error(omega, error, self.matrices[symbols], self.slack[symbols], after)

    def read_out(self, omega: NDArray[Any], error: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The score (eq. 3c) and the bound on its error."""
        k = self.automaton.semiring
        value = k.sum(k.times(omega, self.automaton.final), axis=1)
        column, slack = self.final[None, :, None], self.final_slack[None, :, None]
        return value, self._error(omega, error, column, slack, value[:, None])[:, 0]

    def _error(
        self,
        omega: NDArray[Any],
        error: NDArray[np.float64],
        weights: NDArray[np.float64],
        slack: NDArray[np.float64],
        sums: NDArray[Any],
    ) -> NDArray[np.float64]:
        """The error of the sums over q' of omega(q') weights(q', q): inherited, and of this step's own roundings."""
        size = _upper(omega)
        # factor by factor, since the product itself may underflow
        there = ((size + error) != 0)[:, :, None] & ((weights + slack) != 0)
        exact = ((weights == 1) & (slack == 0)) | ((size == 1) & (error == 0))[:, :, None]
        rounded = there & ~exact
        additions = np.maximum(there.sum(axis=1, keepdims=True) - 1, 0)
        roundings = rounded + np.maximum(additions - 1, 0)
        size = (size + error)[:, :, None]
        inherited = error[:, :, None] * weights + size * slack
        own = size * (weights + slack) * self.format.gamma(roundings) + self.format.tiny * rounded
        before_last = (inherited + self.twice * own).sum(axis=1)
        last = self.twice * self.format.unit * (additions[:, 0] > 0) * (_upper(sums) + before_last)
        total = (before_last + last) * _OUTWARD
        # Partial sums may be larger than the sum: refuse to bound what could have overflowed on the way.
        largest = (size * (weights + slack)).sum(axis=1)
        return np.where(largest + total < self.format.largest / 4, total, np.inf)


def _representation_error(values: NDArray[Any], computed_in: Format) -> NDArray[np.float64]:
    """How far each weight is, at most, from the nearest number of the format."""
    if values.dtype != object:
        if computed_in is FLOAT64:
            return np.zeros(values.shape)
        with np.errstate(over="ignore"):
            return np.asarray(np.abs(values - values.astype(computed_in.name).astype(np.float64)))
    return np.array([_off(Fraction(v), computed_in) for v in values.flat], dtype=np.float64).reshape(values.shape)


def _off(value: Fraction, computed_in: Format) -> float:
    try:
        near = float(value)
    except OverflowError:
        return float("inf")
    with np.errstate(over="ignore"):
        held = float(np.dtype(computed_in.name).type(near))
    return _up(Fraction(held) - value) if np.isfinite(held) else float("inf")


def _upper(values: NDArray[Any]) -> NDArray[np.float64]:
    """|values| as float64, rounded up."""
    if values.dtype != object:
        return np.asarray(np.abs(values), dtype=np.float64)
    out = np.array([_up(v) for v in values.flat], dtype=np.float64)
    return out.reshape(values.shape)


def _up(value: Any) -> float:
    try:
        near = abs(float(value))
    except OverflowError:
        return float("inf")
    return near if near >= abs(value) else float(np.nextafter(near, np.inf))


def share(computed: Iterable[float], values: Iterable[Any], bounds: Iterable[float]) -> float:
    """The largest share of a bound that ``abs(computed - true)`` uses: at most 1 where the bounds hold; infinite where one does not.

    Differences are taken exactly. Where the bound is infinite nothing is compared.
    """
    worst = 0.0
    for c, v, b in zip(computed, values, bounds, strict=True):
        if b == np.inf:
            continue
        if not np.isfinite(c):
            return float("inf")
        difference = abs(Fraction(float(c)) - Fraction(v))
        if difference:
            worst = max(worst, float(difference / Fraction(float(b))) if b else float("inf"))
    return worst
