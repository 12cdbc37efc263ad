"""How a kernel computes, as far as rounding is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.laws.kernels.formats import FORMATS

Wide = Any  # arrays of a format that is wider than the kernel's
Bounds = NDArray[np.float64]
USELESS = 0.01
"""A bound that is a larger share of the results' root mean square says nothing."""
OUTWARD = 1 + 2.0**-20
"""The bounds are computed in float64, and some terms of second order are left out."""


@dataclass(frozen=True)
class Form:
    """How a kernel computes: step by step, or in chunks.

    Attributes:
        chunk: tokens a chunk; ``None`` for a recurrent form.
        scan: how gates are cumulated in a chunk: ``any`` order, a ``chain``, a ``tree``, or ``double`` (a
            wider accumulator).
        inverse: how corrections within a chunk are computed: by ``substitution``, or with an ``explicit``
            inverse.
    """

    chunk: int | None = None
    scan: str = "any"
    inverse: str = "substitution"

    def roundings(self) -> float:
        """Of a difference of cumulated gates, as a multiple of the sum of their absolute values."""
        assert self.chunk is not None
        tree = 2 * np.log2(max(2, self.chunk)) + 1
        roundings = {"any": 2 * self.chunk - 1, "chain": self.chunk - 1, "tree": tree, "double": 3}
        return float(roundings[self.scan])


def wider_than(accumulation: str) -> Any:
    """Return the format of the reference: float64 for kernels that sum in float32, else numpy's longdouble.

    The reference is within its own bound of the recurrence. In float64 that bound is 2^-29 times the one of
    a kernel in float32, which :data:`OUTWARD` covers.
    """
    return np.float64 if accumulation == "float32" else np.longdouble


@dataclass(frozen=True)
class Arithmetic:
    """A format's unit of rounding and smallest normal number: what an operation makes at most.

    >>> Arithmetic.of("float32").unit == 2.0**-24
    True
    """

    unit: float
    smallest: float

    @classmethod
    def of(cls, dtype: str, pairs: bool = False) -> Arithmetic:
        """That of a format; of pairs, complex arithmetic in it: a product's error is within the square root
        of 5 units of its absolute value, or less where a sum is fused, and a sum's within one.
        """
        unit = FORMATS[dtype].unit * (3 if pairs else 1)
        if np.finfo(np.longdouble).eps > 2.0**-60 and dtype == "float64":
            unit *= 2  # the reference rounds as much as the kernel where there is no wider format
        return cls(unit, FORMATS[dtype].smallest * (4 if pairs else 1))
