"""Arrays as a kernel computes them: with how far its numbers may be from the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratproof.laws.kernels.reference.form import Bounds, Wide
from ratproof.laws.kernels.reference.norms import norm
from ratproof.laws.kernels.reference.running import Snapshot


@dataclass(frozen=True)
class Rounded:
    """An array that a kernel computes.

    Attributes:
        value: the true one.
        error: by how much the kernel's may differ; of a state whose columns are bounded in the 2-norm, with
            one key.
        size: what roundings are relative to: at least its absolute value.
        unit: of rounding.
    """

    value: Wide
    error: Bounds
    size: Bounds
    unit: float

    @classmethod
    def exactly(cls, value: Wide, unit: float) -> Rounded:
        """An argument, which is no result of rounding."""
        return cls(value, np.zeros(value.shape), np.abs(value).astype(float), unit)

    @classmethod
    def state(cls, snapshot: Snapshot, unit: float) -> Rounded:
        """A state; what a kernel computes with is as large as that and its error."""
        return cls(snapshot.value, snapshot.error, snapshot.size + snapshot.error, unit)

    def __getitem__(self, index: Any) -> Rounded:
        """Some of the numbers, or with other axes."""
        return Rounded(self.value[index], self.error[index], self.size[index], self.unit)

    def __add__(self, other: Rounded) -> Rounded:
        size = self.size + other.size
        return Rounded(self.value + other.value, self.error + other.error + self.unit * size, size, self.unit)

    def conjugate(self) -> Rounded:
        """Of complex numbers; of others, the same."""
        return Rounded(np.conj(self.value), self.error, self.size, self.unit)

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error, self.size, self.unit)

    def __mul__(self, other: Rounded) -> Rounded:
        size = self.size * other.size
        one, two = (np.abs(x.value).astype(float) for x in (self, other))
        error = self.error * two + one * other.error + self.error * other.error
        return Rounded(self.value * other.value, error + self.unit * size, size, self.unit)

    def times(self, factor: Wide, roundings: float | Bounds = 1) -> Rounded:
        """Each number times a factor, which is rounded so often."""
        own = np.abs(factor).astype(float)
        size = own * self.size
        return Rounded(factor * self.value, own * self.error + self.unit * roundings * size, size, self.unit)

    def sum(self, axis: int | tuple[int, ...], count: float | Bounds) -> Rounded:
        """The sum of so many numbers, in any order."""
        size = self.size.sum(axis)
        error = np.broadcast_to(self.error, self.value.shape).sum(axis)
        return Rounded(self.value.sum(axis), error + self.unit * count * size, size, self.unit)

    def over_values(self, vector: Rounded, roundings: float | Bounds = 0) -> Rounded:
        """Of a state: its product with a vector of V numbers, one for each key; with so many roundings
        besides those of a sum.
        """
        return (self * vector[..., None, :]).sum(-1, self.value.shape[-1] + 4 + roundings)

    def over_keys(self, vector: Rounded) -> Rounded:
        """Of a state: its product with a vector of K exact numbers, one for each value."""
        keys = self.value.shape[-2]
        q = np.abs(vector.value).astype(float)
        value = np.einsum("...k,...kv->...v", vector.value, self.value)
        size = np.einsum("...k,...kv->...v", q, self.size)
        if self.error.shape[-2] == 1 and keys > 1:
            error = norm(q)[..., None] * self.error[..., 0, :]
        else:
            error = np.einsum("...k,...kv->...v", q, self.error)
        return Rounded(value, error + self.unit * (keys + 5) * size, size, self.unit)
