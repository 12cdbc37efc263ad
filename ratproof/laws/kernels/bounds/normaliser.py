"""Outputs that are divided by a normaliser, o = n / m, and the gradients of n and m, with bounds.

The normaliser m is the last column of the outputs of a recurrence whose values end with a 1. If n and m have
the errors e and f, the quotient has an error of at most (e + |o| f) / (|m| - f), plus the rounding of the
division. A kernel may divide the queries instead, which rounds each term of n.

If A is the gradient with respect to o, the gradients with respect to n and m are A / m and -(A . o) / m.
"""

from __future__ import annotations

import numpy as np

from ratproof.laws.kernels.bounds.rounding import RoundedArray
from ratproof.laws.kernels.naive import Bounds, Wide


def divided(outputs: RoundedArray) -> RoundedArray:
    """Return the outputs' first V columns divided by their last column."""
    numerator, divisor = outputs[..., :-1], outputs[..., -1:]
    value, size = numerator.value / divisor.value, numerator.size / _least(divisor)
    error = numerator.error / _least(divisor) + np.abs(value).astype(float) * _relative(divisor)
    return RoundedArray(value, error + 4 * outputs.unit * size, size, outputs.unit)


def undivided(weights: Wide, outputs: RoundedArray) -> tuple[Wide, Bounds]:
    """Return the gradients with respect to all V + 1 columns of the undivided outputs, and their errors.

    Args:
        weights: The gradients of the quotients, axes T, N, H and V.
        outputs: All V + 1 columns of the undivided outputs, axes T, N, H and V + 1.
    """
    divisor, quotient, u = outputs[..., -1:], divided(outputs), outputs.unit
    own = RoundedArray.exactly(weights, u)
    products = own.dot(quotient, weights.shape[-1] + 2)
    to_divisor = products.value[..., None] / divisor.value
    error = products.error[..., None] / _least(divisor) + np.abs(to_divisor) * _relative(divisor)
    error = error + 2 * u * products.size[..., None] / _least(divisor)
    to_numerator = weights / divisor.value
    of_numerator = np.abs(to_numerator) * (_relative(divisor) + 2 * u)
    gradients = np.concatenate([to_numerator, -to_divisor], -1)
    return gradients, np.concatenate([of_numerator, error], -1).astype(float)


def _least(divisor: RoundedArray) -> Bounds:
    """Return a lower bound, at least 0, on the absolute value of the divisor that a kernel computes."""
    return np.asarray(np.maximum(np.abs(divisor.value).astype(float) - divisor.error, 0.0))


def _relative(divisor: RoundedArray) -> Bounds:
    """Return an upper bound on the error of a divisor relative to the value that a kernel computes."""
    return np.asarray(divisor.error / _least(divisor))
