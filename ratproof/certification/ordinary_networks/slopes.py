"""Slopes of a recurrent step over boxes, in the arithmetic of Coq's checker (``theory/coq_reals/slopes.v``).

A value depends on xi, where ``|xi| <= 1`` in each entry. It is ``center + S @ xi`` for a matrix S whose
entries differ from ``slope`` by at most ``spread``. A program that computes the value in float32 makes an
error of at most ``error`` (``theory/coq_reals/rounding.v``). All numbers here are float64, and enclosures are
not rigorous: they find regions, and Coq proves them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ratproof.certification.ordinary_networks.arithmetic import FUNCTION_UNITS, UNIT, Array, Batch


@dataclass(frozen=True)
class Slopes(Batch):
    """Vectors over N boxes.

    Attributes:
        center: The values at the centers of the boxes, of shape ``(N, m)``.
        low, high: Bounds on the values, of shape ``(N, m)``.
        slope, spread: The slopes and their deviations, of shape ``(N, m, D)``.
        error: The largest rounding errors, of shape ``(N, m)``.
    """

    low: Array
    high: Array
    slope: Array
    spread: Array
    error: Array

    @classmethod
    def region(cls, center: Array, generators: Array) -> Slopes:
        """Return the values ``center + generators @ xi``."""
        reach = np.abs(generators).sum(-1)
        exact = np.zeros_like(center)
        return cls(center, center - reach, center + reach, generators, np.zeros_like(generators), exact)

    def tightened(self) -> Slopes:
        """Return the same values, with ``low`` and ``high`` tightened to the range that the slopes imply."""
        reach = self.reach
        low, high = np.maximum(self.low, self.center - reach), np.minimum(self.high, self.center + reach)
        return replace(self, low=low, high=high)

    @property
    def reach(self) -> Array:
        """The largest distance of a value from its center."""
        return np.asarray((np.abs(self.slope) + self.spread).sum(-1))

    def linear(self, weight: Array, bias: Array, terms: int) -> Slopes:
        """Return ``weight @ x + bias`` for each vector, with float32's error in a sum of ``terms`` terms."""
        size = np.abs(weight)
        middle = (self.low + self.high) / 2 @ weight.T + bias
        half = (self.high - self.low) / 2 @ size.T
        center = self.center @ weight.T + bias
        error = self.error @ size.T + 17 / 16 * terms * UNIT * (self._size @ size.T + np.abs(bias))
        return Slopes(center, middle - half, middle + half, weight @ self.slope, size @ self.spread, error)

    @property
    def _size(self) -> Array:
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def _rounded(self) -> Slopes:
        """Return the result of a float32 operation with the rounding error of this operation added."""
        return replace(self, error=self.error + UNIT * (self._size + self.error))

    def __add__(self, other: Slopes) -> Slopes:
        return self._each(np.add, other)._rounded()

    def __sub__(self, other: Slopes) -> Slopes:
        low, high = self.low - other.high, self.high - other.low
        slope, spread = self.slope - other.slope, self.spread + other.spread
        error = self.error + other.error
        return Slopes(self.center - other.center, low, high, slope, spread, error)._rounded()

    def __mul__(self, other: Slopes) -> Slopes:
        x, y = self.tightened(), other.tightened()
        return Slopes(
            x.center * y.center,
            *_ends(x.low, x.high, y.low, y.high),
            *_sums(_scaled(x.low, x.high, y), _scaled(y.center, y.center, x)),
            x.error * (y._size + y.error) + x._size * y.error,
        )._rounded()

    def blend(self, new: Slopes, share: Slopes) -> Slopes:
        """Return ``new + share * (self - new)``."""
        share = share.tightened()
        gap = self.center - new.center
        rest = 1 - share.high, 1 - share.low
        ends = (_products(*rest, new), _products(share.low, share.high, self))
        slopes = _scaled(*rest, new), _scaled(share.low, share.high, self), _scaled(gap, gap, share)
        result = new + share * (self - new)
        return Slopes(result.center, *_sums(*ends), *_sums(*slopes), result.error)

    def tanh(self) -> Slopes:
        """Return the hyperbolic tangents; their derivative is 1 - y^2 at the value y."""
        return self._applied(np.tanh, 1.0, 0.0)

    def sigmoid(self) -> Slopes:
        """Return the logistic functions; their derivative is 1/4 - (y - 1/2)^2 at the value y."""
        return self._applied(lambda x: 0.5 + 0.5 * np.tanh(x / 2), 0.25, 0.5)

    def _applied(self, function: Callable[[Array], Array], largest: float, middle: float) -> Slopes:
        """Apply the increasing function y whose derivative is y' = ``largest - (y - middle)^2``.

        Half of its second derivative is ``(middle - y) (largest - (y - middle)^2)``. The slopes are the
        intersection of two enclosures: the range of the derivative, and an enclosure by Taylor's theorem. In
        the latter, a slope is the derivative at the center plus half of a second derivative times the
        distance from the center.
        """
        x = self.tightened()
        center, low, high = function(x.center), function(x.low), function(x.high)
        a, b = low - middle, high - middle
        near, far = np.maximum(0, np.maximum(a, -b)), np.maximum(-a, b)
        least, most = largest - far**2, largest - near**2
        error = most * x.error + FUNCTION_UNITS * UNIT
        at_center = largest - (center - middle) ** 2
        curvature = _ends(-b, -a, least, most)
        change = _ends(*curvature, x.low - x.center, x.high - x.center)
        least = np.maximum(least, at_center + change[0])
        most = np.minimum(most, at_center + change[1])
        return Slopes(center, low, high, *_scaled(least, most, x), error)

    def relu(self) -> Slopes:
        """Return the positive parts, with slopes between 0 and 1 where the sign of x is not constant."""
        x = self.tightened()
        center, low, high = (np.maximum(end, 0) for end in (x.center, x.low, x.high))
        least, most = (x.low >= 0).astype(float), (x.high > 0).astype(float)
        return Slopes(center, low, high, *_scaled(least, most, x), x.error)


def _products(low: Array, high: Array, x: Slopes) -> tuple[Array, Array]:
    """Return bounds on the values ``x`` times a number between ``low`` and ``high``."""
    return _ends(low, high, x.low, x.high)


def _ends(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Return the ends of the interval of the products of numbers in [a, b] and [c, d]."""
    ends = np.stack([a * c, a * d, b * c, b * d])
    return ends.min(0), ends.max(0)


def _scaled(low: Array, high: Array, x: Slopes) -> tuple[Array, Array]:
    """Return the slopes and the spreads of ``x`` times a number between ``low`` and ``high``."""
    middle, half = ((low + high) / 2)[..., None], ((high - low) / 2)[..., None]
    return middle * x.slope, np.abs(middle) * x.spread + half * (np.abs(x.slope) + x.spread)


def _sums(*pairs: tuple[Array, Array]) -> tuple[Array, Array]:
    return sum(a for a, _ in pairs), sum(b for _, b in pairs)  # type: ignore[return-value]
