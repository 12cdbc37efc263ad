"""Arithmetics in which a recurrent step runs on a batch of points, points with Jacobians, or affine forms.

An affine form is the set of the vectors ``center + generators @ xi + error * eta``. The norms of ``xi`` and
``eta`` are at most 1: for ``eta`` the maximum norm, and for ``xi`` the 2-norm (an ellipsoid) or the maximum
norm (a box). All numbers are float64, and enclosures are not rigorous: they find regions, and the checker
proves them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]
UNIT = 2.0**-24
"""Largest relative rounding error of a float32 operation."""
FUNCTION_UNITS = 8
"""Largest error of tanh and sigmoid in float32, in multiples of 2^-24 (the rounding premise)."""


@dataclass(frozen=True)
class Batch:
    """A batch of N vectors: the arrays of a subclass have the shape (N, m) or (N, m, D)."""

    center: Array

    def __getitem__(self, columns: slice) -> Self:
        return self._each(lambda part: part[:, columns])

    def take(self, rows: Index, columns: Index) -> Self:
        """Return the entries at these indices of rows and columns, which are broadcast as in NumPy."""
        return self._each(lambda part: part[rows, columns])

    def rows(self, rows: np.ndarray) -> Self:
        """Return the vectors with these indices in the batch."""
        return self._each(lambda part: part[rows])

    def joined(self, *others: Self) -> Self:
        """Return vectors that have the entries of ``self``, followed by those of ``others``."""
        return self._each(lambda *parts: np.concatenate(parts, 1), *others)

    def stacked(self, *others: Self) -> Self:
        """Return the vectors of several batches as one batch."""
        return self._each(lambda *parts: np.concatenate(parts), *others)

    def _each(self, change: Callable[..., Array], *others: Self) -> Self:
        """Return vectors whose arrays are ``change`` of those of ``self`` and ``others``."""
        names = [part.name for part in fields(self) if part.name != "box"]
        return replace(self, **{name: change(*(getattr(x, name) for x in (self, *others))) for name in names})


@dataclass(frozen=True)
class Points(Batch):
    """Vectors, of shape (N, m)."""

    def linear(self, weight: Array, bias: Array, terms: int) -> Points:
        """Return ``weight @ x + bias`` for each vector x; ``terms`` is only used by affine forms."""
        return Points(self.center @ weight.T + bias)

    def __add__(self, other: Points) -> Points:
        return Points(self.center + other.center)

    def __sub__(self, other: Points) -> Points:
        return Points(self.center - other.center)

    def __mul__(self, other: Points) -> Points:
        return Points(self.center * other.center)

    def blend(self, new: Points, share: Points) -> Points:
        """Return ``new + share * (self - new)``."""
        return new + share * (self - new)

    def tanh(self) -> Points:
        """Return the hyperbolic tangents."""
        return Points(np.tanh(self.center))

    def sigmoid(self) -> Points:
        """Return the logistic functions."""
        return Points(0.5 + 0.5 * np.tanh(self.center / 2))

    def relu(self) -> Points:
        """Return the positive parts."""
        return Points(np.maximum(self.center, 0))


@dataclass(frozen=True)
class Duals(Batch):
    """Vectors of shape (N, m) with Jacobians of shape (N, m, D)."""

    generators: Array

    def linear(self, weight: Array, bias: Array, terms: int) -> Duals:
        """Return ``weight @ x + bias`` for each vector x; ``terms`` is only used by affine forms."""
        return Duals(self.center @ weight.T + bias, weight @ self.generators)

    def __add__(self, other: Duals) -> Duals:
        return Duals(self.center + other.center, self.generators + other.generators)

    def __sub__(self, other: Duals) -> Duals:
        return Duals(self.center - other.center, self.generators - other.generators)

    def __mul__(self, other: Duals) -> Duals:
        x, y = self.center, other.center
        return Duals(x * y, x[..., None] * other.generators + y[..., None] * self.generators)

    def blend(self, new: Duals, share: Duals) -> Duals:
        """Return ``new + share * (self - new)``."""
        return new + share * (self - new)

    def tanh(self) -> Duals:
        """Return the hyperbolic tangents."""
        value = np.tanh(self.center)
        return Duals(value, (1 - value**2)[..., None] * self.generators)

    def sigmoid(self) -> Duals:
        """Return the logistic functions."""
        value = 0.5 + 0.5 * np.tanh(self.center / 2)
        return Duals(value, (value * (1 - value))[..., None] * self.generators)

    def relu(self) -> Duals:
        """Return the positive parts."""
        return Duals(np.maximum(self.center, 0), (self.center > 0)[..., None] * self.generators)


@dataclass(frozen=True)
class Forms(Batch):
    """Affine forms: centers and errors of shape (N, m), generators of shape (N, m, D).

    Every entry also lies between ``low`` and ``high``. ``box`` says whether xi is bounded in the maximum
    norm, instead of the 2-norm.
    """

    generators: Array
    error: Array
    low: Array
    high: Array
    box: bool

    @classmethod
    def region(cls, center: Array, generators: Array, box: bool) -> Forms:
        """Return the affine forms ``center + generators @ xi``, which have no error."""
        bare = cls(center, generators, np.zeros_like(center), center, center, box)
        return replace(bare, low=center - bare.lengths, high=center + bare.lengths)

    @property
    def lengths(self) -> Array:
        """The largest value of each entry of ``generators @ xi``, of shape (N, m)."""
        if self.box:
            return np.asarray(np.abs(self.generators).sum(-1))
        return np.asarray(np.sqrt(np.einsum("nmd,nmd->nm", self.generators, self.generators)))

    def _within(self, low: Array, high: Array, more: Array | float = 0) -> Forms:
        """Return the forms, known to lie between ``low`` and ``high``, with the additional error ``more``."""
        radius = self.lengths + self.error
        low, high = np.maximum(low, self.center - radius), np.minimum(high, self.center + radius)
        return replace(self, error=self.error + more, low=low - more, high=high + more)

    def linear(self, weight: Array, bias: Array, terms: int) -> Forms:
        """Return ``weight @ x + bias`` for each form x, with float32's error in a sum of ``terms`` terms."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        rounding = (terms + 4) * UNIT * (size @ np.abs(weight).T + np.abs(bias))
        middle, half = (
            (self.low + self.high) / 2 @ weight.T + bias,
            (self.high - self.low) / 2 @ np.abs(weight).T,
        )
        center, error = self.center @ weight.T + bias, self.error @ np.abs(weight).T
        form = Forms(center, weight @ self.generators, error, center, center, self.box)
        return form._within(middle - half, middle + half, rounding)

    def widened(self, by: Array) -> Forms:
        """Return the forms with larger errors, by these numbers of shape (N, m)."""
        return replace(self, error=self.error + by, low=self.low - by, high=self.high + by)

    def _rounded(self, low: Array, high: Array) -> Forms:
        """Return the forms, known to lie between these bounds, with two float32 rounding errors added."""
        form = self._within(low, high)
        return form._within(form.low, form.high, 2 * UNIT * np.maximum(np.abs(form.low), np.abs(form.high)))

    def __add__(self, other: Forms) -> Forms:
        form = replace(
            self,
            center=self.center + other.center,
            generators=self.generators + other.generators,
            error=self.error + other.error,
        )
        return form._rounded(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Forms) -> Forms:
        form = replace(
            self,
            center=self.center - other.center,
            generators=self.generators - other.generators,
            error=self.error + other.error,
        )
        return form._rounded(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Forms) -> Forms:
        """Return the product of two forms.

        In the 2-norm, (a.xi)(b.xi) lies between (a.b - |a| |b|) / 2 and (a.b + |a| |b|) / 2.
        """
        x, y, a, b = self.center, other.center, self.generators, other.generators
        length, other_length = self.lengths, other.lengths
        error = (
            np.abs(x) * other.error
            + np.abs(y) * self.error
            + length * other.error
            + other_length * self.error
            + self.error * other.error
        )
        center = x * y
        if self.box:
            error = error + length * other_length
        else:
            center = center + np.einsum("nmd,nmd->nm", a, b) / 2
            error = error + length * other_length / 2
        form = replace(self, center=center, generators=x[..., None] * b + y[..., None] * a, error=error)
        ends = np.stack([u * v for u in (self.low, self.high) for v in (other.low, other.high)])
        return form._rounded(ends.min(0), ends.max(0))

    def blend(self, new: Forms, share: Forms) -> Forms:
        """Return ``new + share * (self - new)``, for a share between 0 and 1."""
        form = new + share * (self - new)
        ends = np.clip(np.stack([share.low, share.high]), 0, 1)
        low = (ends * self.low + (1 - ends) * new.low).min(0)
        high = (ends * self.high + (1 - ends) * new.high).max(0)
        parts = (self.low, self.high, new.low, new.high)
        return form._within(low, high, 24 * UNIT * np.abs(np.stack(parts)).max(0))

    def _line(self, slope: Array, offset: Array, error: Array) -> Forms:
        return replace(
            self,
            center=slope * self.center + offset,
            generators=slope[..., None] * self.generators,
            error=slope * self.error + error,
        )

    def tanh(self) -> Forms:
        """Return the hyperbolic tangents, each approximated by a line of least error on its interval."""
        form = self._line(*tanh_line(self.low, self.high))
        return form._within(np.tanh(self.low), np.tanh(self.high), FUNCTION_UNITS * UNIT)

    def sigmoid(self) -> Forms:
        """Return the logistic functions, (1 + tanh(x / 2)) / 2."""
        slope, offset, error = tanh_line(self.low / 2, self.high / 2)
        form = self._line(slope / 4, 0.5 + offset / 2, error / 2)
        low, high = np.tanh(self.low / 2), np.tanh(self.high / 2)
        return form._within((1 + low) / 2, (1 + high) / 2, FUNCTION_UNITS * UNIT)

    def relu(self) -> Forms:
        """Return the positive parts, each approximated by a line of least error on its interval."""
        low, high = self.low, self.high
        mixed = (low < 0) & (high > 0)
        slope = np.where(mixed, high / np.where(mixed, high - low, 1), (high > 0).astype(float))
        gap = np.where(mixed, -slope * low, 0.0)
        return self._line(slope, gap / 2, gap / 2)._within(np.maximum(low, 0), np.maximum(high, 0))


def tanh_line(low: Array, high: Array) -> tuple[Array, Array, Array]:
    """Return the slope, the offset and the error of a line that approximates tanh between low and high."""
    at_low, at_high = np.tanh(low), np.tanh(high)
    width = high - low
    middle = 1 - np.tanh((low + high) / 2) ** 2
    slope = np.clip(np.where(width > 1e-6, (at_high - at_low) / np.maximum(width, 1e-6), middle), 0, 1)
    # tanh(x) - slope * x is extreme at the ends, and where 1 - tanh(x)^2 = slope
    root = np.sqrt(1 - slope)
    turn = np.arctanh(np.minimum(root, 1 - 1e-16))
    extreme = root - slope * turn
    ends = np.stack([at_low - slope * low, at_high - slope * high])
    least, most = ends.min(0), ends.max(0)
    most = np.where((low < turn) & (turn < high), np.maximum(most, extreme), most)
    least = np.where((low < -turn) & (-turn < high), np.minimum(least, -extreme), least)
    return slope, (least + most) / 2, (most - least) / 2
