"""Binary floating-point formats and their representation errors.

>>> FLOAT32.unit, float(representation_error(np.array([0.5, 0.1]), FLOAT32)[0])
(5.960464477539063e-08, 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from automata.aliases import Floats, Weight, Weights


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: its unit roundoff, smallest normal and largest value."""

    name: str
    unit: float
    tiny: float
    largest: float

    def gamma(self, roundings: Weight) -> Weight:
        """Return gamma_r = r u / (1 - r u), a bound on the relative error of r roundings (elementwise).

        There is no bound if r u is 1 or more, and the result is infinite.

        >>> BFLOAT16.gamma(np.array([1.0, 256.0])).tolist()
        [0.00392156862745098, inf]
        """
        total = roundings * self.unit
        if not isinstance(total, np.ndarray):
            return total / (1 - total) if total < 1 else np.inf
        with np.errstate(divide="ignore"):
            return np.where(total < 1, total / (1 - total), np.inf)


FLOAT32 = Format("float32", 2.0**-24, 2.0**-126, float(np.finfo(np.float32).max))
FLOAT64 = Format("float64", 2.0**-53, 2.0**-1022, float(np.finfo(np.float64).max))
FLOAT16 = Format("float16", 2.0**-11, 2.0**-14, float(np.finfo(np.float16).max))
BFLOAT16 = Format("bfloat16", 2.0**-8, 2.0**-126, float.fromhex("0x1.fep127"))


def held_in(values: Floats, computed_in: Format) -> Floats:
    """Round to the nearest values of a format; bfloat16 is rounded to float32 first, as conversions do.

    >>> held_in(np.array([1 + 2.0**-9, 1 + 3 * 2.0**-8]), BFLOAT16).tolist()
    [1.0, 1.015625]
    """
    if computed_in is not BFLOAT16:
        return np.asarray(values.astype(computed_in.name), dtype=np.float64)
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    with np.errstate(over="ignore"):
        near = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(single), near.view(np.float32), single).astype(np.float64)


def representation_error(values: Weights, computed_in: Format) -> Floats:
    """Return bounds on the error of rounding each value to the format; infinities are exact."""
    if values.dtype != object and computed_in is FLOAT64:
        return np.zeros(values.shape)
    near = _nearest(values)
    with np.errstate(over="ignore", invalid="ignore"):
        held = held_in(near, computed_in)
        off = np.where(near == held, 0.0, np.abs(near - held))
    if values.dtype == object:
        for i in np.flatnonzero(near != values):  # the rounding to float64 counts, too
            finite = np.isfinite(held.flat[i])
            off.flat[i] = rounded_up(Fraction(held.flat[i]) - Fraction(values.flat[i])) if finite else np.inf
    return off


def upper(values: Weights) -> Floats:
    """Return absolute values as float64, rounded up."""
    if values.dtype != object:
        return np.abs(_nearest(values))
    sizes = np.zeros(values.shape)
    there = np.flatnonzero(values)  # many weights are zero, and comparing fractions with floats takes long
    exact = np.abs(values.flat[there])
    near = _nearest(exact)
    sizes.flat[there] = np.where(near < exact, np.nextafter(near, np.inf), near)
    return sizes


def _nearest(values: Weights) -> Floats:
    """Round each value to the nearest float64; a number that is too large becomes infinite."""
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        return np.array([_nearest_float(v) for v in values.flat]).reshape(values.shape)


def _nearest_float(value: Weight) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def rounded_up(number: Fraction) -> float:
    """Return the smallest float64 number that is at least the absolute value."""
    size = abs(number)
    near = _nearest_float(size)
    return near if near >= size else float(np.nextafter(near, np.inf))
