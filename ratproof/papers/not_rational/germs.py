"""Functions near a pole of one gate S: polynomials in S, whose coefficients are analytic there and known by
their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

Form = tuple[Fraction, Fraction]
"""(a, b) of a t + b."""


@dataclass(frozen=True)
class Germ:
    """A function near the point: the values there of g_0, ..., g_m, and (a, b) where it is known to be a t +
    b exactly.
    """

    parts: tuple[Any, ...]
    form: Form | None = None

    def __add__(self, other: Any) -> Germ:
        other = constant(other)
        exact = (
            None
            if self.form is None or other.form is None
            else tuple(x + y for x, y in zip(self.form, other.form, strict=True))
        )
        long, short = sorted((self.parts, other.parts), key=len, reverse=True)
        return Germ((*(x + y for x, y in zip(long, short, strict=False)), *long[len(short) :]), exact)

    def __mul__(self, other: Any) -> Germ:
        other = constant(other)
        for one, two in ((self, other), (other, self)):
            if one.form is not None and one.form[0] == 0:
                factor = one.form[1]
                exact = None if two.form is None else (factor * two.form[0], factor * two.form[1])
                return Germ(tuple(one.parts[0] * x for x in two.parts), exact) if factor else constant(0)
        parts = [flint.acb(0)] * (len(self.parts) + len(other.parts) - 1)
        for i, x in enumerate(self.parts):
            for j, y in enumerate(other.parts):
                parts[i + j] += x * y
        return Germ(tuple(parts))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Germ:
        return self * -1

    def __sub__(self, other: Any) -> Germ:
        return self + -constant(other)

    def __rsub__(self, other: Any) -> Germ:
        return constant(other) - self


def constant(value: Any) -> Germ:
    """A number, known exactly."""
    if isinstance(value, Germ):
        return value
    exact = Fraction(value)
    return Germ((flint.acb(flint.fmpq(exact.numerator, exact.denominator)),), (Fraction(0), exact))
