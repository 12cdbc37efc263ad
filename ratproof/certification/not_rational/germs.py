"""Functions near a pole of a gate S, represented as polynomials in S with analytic coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import flint

Form = tuple[Fraction, Fraction]
"""The coefficients (a, b) of a t + b."""
Operand: TypeAlias = "Germ | Fraction | int"


@dataclass(frozen=True)
class Germ:
    """A function near the point.

    It stores the values of g_0, ..., g_m at the point, and (a, b) if it is exactly a t + b.
    """

    parts: tuple[flint.acb, ...]
    form: Form | None = None

    def __add__(self, other: Operand) -> Germ:
        germ = constant(other)
        exact = (
            None
            if self.form is None or germ.form is None
            else (self.form[0] + germ.form[0], self.form[1] + germ.form[1])
        )
        long, short = sorted((self.parts, germ.parts), key=len, reverse=True)
        return Germ((*(x + y for x, y in zip(long, short, strict=False)), *long[len(short) :]), exact)

    def __mul__(self, other: Operand) -> Germ:
        germ = constant(other)
        for one, two in ((self, germ), (germ, self)):
            if one.form is not None and one.form[0] == 0:
                factor = one.form[1]
                exact = None if two.form is None else (factor * two.form[0], factor * two.form[1])
                return Germ(tuple(one.parts[0] * x for x in two.parts), exact) if factor else constant(0)
        parts = [flint.acb(0)] * (len(self.parts) + len(germ.parts) - 1)
        for i, x in enumerate(self.parts):
            for j, y in enumerate(germ.parts):
                parts[i + j] += x * y
        return Germ(tuple(parts))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Germ:
        return self * -1

    def __sub__(self, other: Operand) -> Germ:
        return self + -constant(other)

    def __rsub__(self, other: Operand) -> Germ:
        return constant(other) - self


def constant(value: Operand) -> Germ:
    """Return an exact number as a germ."""
    if isinstance(value, Germ):
        return value
    exact = Fraction(value)
    return Germ((flint.acb(flint.fmpq(exact.numerator, exact.denominator)),), (Fraction(0), exact))
