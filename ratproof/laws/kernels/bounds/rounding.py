"""Rounding models of kernels, and arrays of exact values with bounds on a kernel's error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ratproof.laws.kernels.formats import FORMATS
from ratproof.laws.kernels.naive import Bounds, Wide

USELESS = 0.01
"""Largest useful bound, as a share of the root mean square of the results."""
OUTWARD = 1 + 2.0**-20
"""Factor that covers the rounding of the bounds themselves in float64 and the omitted second-order terms."""


@dataclass(frozen=True)
class KernelForm:
    """A kernel's form of computation: step by step, or in chunks.

    Attributes:
        chunk: Number of tokens in a chunk; ``None`` for a recurrent form.
        scan: Order of the cumulative sum of gates in a chunk: ``any``, a ``chain``, a ``tree``, or ``double``
            (a wider accumulator).
        inverse: Method for corrections within a chunk: ``substitution`` or an ``explicit`` inverse.
    """

    chunk: int | None = None
    scan: str = "any"
    inverse: str = "substitution"

    def in_steps(self, substeps: int) -> KernelForm:
        """Return the form with the chunk length in steps instead of tokens."""
        return self if self.chunk is None else replace(self, chunk=self.chunk * substeps)

    def roundings(self) -> float:
        """Return the number of roundings in the difference of two cumulative sums of gates."""
        assert self.chunk is not None
        tree = 2 * np.log2(max(2, self.chunk)) + 1
        roundings = {"any": 2 * self.chunk - 1, "chain": self.chunk - 1, "tree": tree, "double": 3}
        return float(roundings[self.scan])


@dataclass(frozen=True)
class RoundingUnits:
    """The unit roundoff and the smallest normal number of a dtype, which bound the error of an operation.

    >>> RoundingUnits.of("float32").unit == 2.0**-24
    True
    """

    unit: float
    smallest: float

    @classmethod
    def of(cls, dtype: str, pairs: bool = False) -> RoundingUnits:
        """Return the rounding units of a dtype.

        For complex numbers, the relative error of a product is at most sqrt(5) units, or less if a sum is
        fused. The relative error of a sum is at most one unit.
        """
        unit = FORMATS[dtype].unit * (3 if pairs else 1)
        if np.finfo(np.longdouble).eps > 2.0**-60 and dtype == "float64":
            unit *= 2  # if there is no wider dtype, the reference rounds as much as the kernel
        return cls(unit, FORMATS[dtype].smallest * (4 if pairs else 1))


def norm(array: Bounds, axis: int = -1, keepdims: bool = False) -> Bounds:
    """Return the 2-norm along an axis.

    If a square could overflow, or a significant square could underflow, the elements are first multiplied by
    a power of two, which is exact, so that the largest is near 1.

    >>> float(norm(np.array([3e-200, 4e-200])))
    5e-200
    """
    largest = np.max(np.abs(array), axis=axis, keepdims=True, initial=0.0)
    if ((largest == 0) | ((largest > 2.0**-400) & (largest < 2.0**400))).all():
        return np.asarray(np.linalg.norm(array, axis=axis, keepdims=keepdims))
    scale = np.ldexp(1.0, -np.clip(np.frexp(largest)[1], -1000, 1000))
    length = np.linalg.norm(array * scale, axis=axis, keepdims=True) / scale
    return np.asarray(length if keepdims else np.squeeze(length, axis))


def column_norm(states: Bounds) -> Bounds:
    """Return the 2-norm over K of states whose last axes are K and V, keeping the axis K with size 1."""
    return norm(states, axis=-2, keepdims=True)


def root_mean_square(values: Bounds) -> float:
    """Return the root mean square of the finite elements, or 0 if there are none."""
    finite = values[np.isfinite(values)]
    return float(norm(finite) / np.sqrt(max(1, finite.size)))


@dataclass(frozen=True)
class RoundedArray:
    """The true values of an array that a kernel computes, with bounds on the kernel's errors.

    Attributes:
        value: The true values.
        error: A bound on the kernel's error. For a state whose columns are bounded in the 2-norm, the size of
            its axis K is 1.
        size: The magnitude to which roundings are relative; at least the absolute value.
        unit: The unit roundoff.
    """

    value: Wide
    error: Bounds
    size: Bounds
    unit: float

    @classmethod
    def exactly(cls, value: Wide, unit: float) -> RoundedArray:
        """Return an array without rounding error."""
        return cls(value, np.zeros(value.shape), np.abs(value).astype(float), unit)

    def computed(self) -> RoundedArray:
        """Return the array with the error added to its size, for use as a factor of a further product."""
        return replace(self, size=self.size + self.error)

    def __getitem__(self, index: Any) -> RoundedArray:
        return RoundedArray(self.value[index], self.error[index], self.size[index], self.unit)

    def __add__(self, other: RoundedArray) -> RoundedArray:
        size = self.size + other.size
        return RoundedArray(
            self.value + other.value, self.error + other.error + self.unit * size, size, self.unit
        )

    def __neg__(self) -> RoundedArray:
        return replace(self, value=-self.value)

    def __mul__(self, other: RoundedArray) -> RoundedArray:
        size = self.size * other.size
        one, two = (np.abs(x.value).astype(float) for x in (self, other))
        error = self.error * two + one * other.error + self.error * other.error
        return RoundedArray(self.value * other.value, error + self.unit * size, size, self.unit)

    def conjugate(self) -> RoundedArray:
        """Return the complex conjugates."""
        return replace(self, value=np.conj(self.value))

    def times(self, factor: Wide, roundings: float | Bounds = 1) -> RoundedArray:
        """Return the product with exact factors; each element of the product rounds ``roundings`` times."""
        own = np.abs(factor).astype(float)
        size = own * self.size
        return RoundedArray(
            factor * self.value, own * self.error + self.unit * roundings * size, size, self.unit
        )

    def sum(self, axis: int | tuple[int, ...], count: float | Bounds) -> RoundedArray:
        """Return the sum over an axis, in any order, with ``count`` roundings."""
        size = self.size.sum(axis)
        error = np.broadcast_to(self.error, self.value.shape).sum(axis)
        return RoundedArray(self.value.sum(axis), error + self.unit * count * size, size, self.unit)

    def dot(self, other: RoundedArray, count: float | Bounds) -> RoundedArray:
        """Return the sum of products over the last axis, in any order; the sum rounds ``count`` times."""

        def inner(left: Wide, right: Wide) -> Wide:
            return np.einsum("...v,...v->...", left, right)

        one, two = (np.abs(x.value).astype(float) for x in (self, other))
        size = inner(self.size, other.size)
        error = inner(self.error, two + other.error) + inner(one, other.error)
        value = inner(self.value, other.value)
        return RoundedArray(value, error + self.unit * (count + 1) * size, size, self.unit)

    def over_values(self, vector: RoundedArray, roundings: float | Bounds = 0) -> RoundedArray:
        """Return a state's product with a vector of size V, shape ``(..., K)``.

        ``roundings`` are added to the roundings of each sum over V.
        """
        return self.dot(vector[..., None, :], self.value.shape[-1] + 4 + roundings)

    def over_keys(self, vector: Wide, roundings: int = 5) -> RoundedArray:
        """Return a state's product with an exact vector of size K, shape ``(..., V)``.

        ``roundings`` are added to the K roundings of each sum over K.
        """
        keys, q = self.value.shape[-2], np.abs(vector).astype(float)
        value = np.einsum("...k,...kv->...v", vector, self.value)
        size = np.einsum("...k,...kv->...v", q, self.size)
        if self.error.shape[-2] == 1 and keys > 1:
            error = norm(q)[..., None] * self.error[..., 0, :]
        else:
            error = np.einsum("...k,...kv->...v", q, self.error)
        return RoundedArray(value, error + self.unit * (keys + roundings) * size, size, self.unit)
