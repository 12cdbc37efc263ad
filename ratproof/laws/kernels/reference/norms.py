"""Norms of numbers whose squares may be too small or too large for a float."""

from __future__ import annotations

import numpy as np

from ratproof.laws.kernels.reference.form import Bounds


def norm(array: Bounds, axis: int = -1, keepdims: bool = False) -> Bounds:
    """Return the 2-norm along an axis.

    No square underflows or overflows: the numbers are first multiplied by a power of two, which rounds
    nothing, so that the largest is near 1.

    >>> float(norm(np.array([3e-200, 4e-200])))
    5e-200
    """
    largest = np.max(np.abs(array), axis=axis, keepdims=True, initial=0.0)
    scale = np.ldexp(1.0, -np.clip(np.frexp(largest)[1], -1000, 1000))
    length = np.linalg.norm(array * scale, axis=axis, keepdims=True) / scale
    return np.asarray(length if keepdims else np.squeeze(length, axis))


def column_norm(states: Bounds) -> Bounds:
    """Return the 2-norm over K of states, which have the axes K and V last; K is kept, of size 1."""
    return norm(states, axis=-2, keepdims=True)


def root_mean_square(values: Bounds) -> float:
    """Return the root mean square of all numbers."""
    return float(norm(values.ravel()) / np.sqrt(values.size))
