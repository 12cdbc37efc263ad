"""Dual numbers over balls, for forward differentiation: a value and its derivative."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import arb

from theory.not_rational.arithmetic import BALLS, Arithmetic

Operand: TypeAlias = "Dual | Fraction | int"


@dataclass(frozen=True)
class Dual:
    """Balls around a value and a derivative."""

    value: arb
    slope: arb

    def __add__(self, other: Operand) -> Dual:
        dual = _dual(other)
        return Dual(self.value + dual.value, self.slope + dual.slope)

    def __mul__(self, other: Operand) -> Dual:
        dual = _dual(other)
        return Dual(self.value * dual.value, self.value * dual.slope + self.slope * dual.value)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Operand) -> Dual:
        return self + -_dual(other)

    def __rsub__(self, other: Operand) -> Dual:
        return _dual(other) - self


def _dual(value: Operand) -> Dual:
    return (
        value if isinstance(value, Dual) else Dual(BALLS.number(Fraction(value)), BALLS.number(Fraction(0)))
    )


def _sigmoid(x: Dual) -> Dual:
    s = BALLS.sigmoid(x.value)
    return Dual(s, s * (1 - s) * x.slope)


def _tanh(x: Dual) -> Dual:
    t = BALLS.tanh(x.value)
    return Dual(t, (1 - t * t) * x.slope)


DUALS = Arithmetic(_dual, _sigmoid, _tanh)
"""Arithmetic of dual numbers, in which a step also computes its derivative.

>>> x = Dual(BALLS.number(Fraction(1, 2)), BALLS.number(Fraction(1)))
>>> (x * x - 3).slope
1.00000000000000
"""
