"""The limit of a map at plus or minus infinity, by one evaluation.

As t tends to minus or plus infinity, every value in a step is a polynomial in t plus an exponentially small
remainder. This means that the remainder is at most C exp(-d |t|) with d > 0. The variable t, constants, and
sums and products of such values have this form. If the polynomial is not constant, the sigmoid of such a
value tends to 0 or 1 exponentially fast. If it is constant, the sigmoid tends to the sigmoid of the constant.
tanh is computed as tanh z = 2 sigmoid(2z) - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import flint

from theory.not_rational.arithmetic import BALLS, Arithmetic

Operand: TypeAlias = "Tail | Fraction | int"
Coefficient: TypeAlias = flint.fmpq | flint.arb


class NoLimit(ArithmeticError):
    """Raised if the limit of a gate cannot be determined."""


@dataclass(frozen=True)
class Tail:
    """A function of t near plus or minus infinity: a polynomial plus an exponentially small remainder.

    Attributes:
        coefficients: The coefficients of the polynomial, lowest degree first: exact numbers, or balls if they
            depend on the value of a gate. The leading coefficient is not exactly 0, except in a constant.
        remainder: Whether there may be an exponentially small remainder.
    """

    coefficients: tuple[Coefficient, ...]
    remainder: bool = False

    @property
    def zero(self) -> bool:
        """Whether the function is exactly 0."""
        return not self.remainder and self.coefficients == (0,)

    def __add__(self, other: Operand) -> Tail:
        tail = constant(other)
        long, short = sorted((self.coefficients, tail.coefficients), key=len, reverse=True)
        sums = [x + y for x, y in zip(long, short, strict=False)]
        return _trimmed([*sums, *long[len(short) :]], self.remainder or tail.remainder)

    def __mul__(self, other: Operand) -> Tail:
        tail = constant(other)
        if self.zero or tail.zero:
            return constant(0)
        products: list[Coefficient] = [flint.fmpq(0)] * (len(self.coefficients) + len(tail.coefficients) - 1)
        for i, x in enumerate(self.coefficients):
            for j, y in enumerate(tail.coefficients):
                products[i + j] += x * y
        return _trimmed(products, self.remainder or tail.remainder)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Tail:
        return self * -1

    def __sub__(self, other: Operand) -> Tail:
        return self + -constant(other)

    def __rsub__(self, other: Operand) -> Tail:
        return constant(other) - self


T = Tail((flint.fmpq(0), flint.fmpq(1)))
"""The variable t."""


def constant(value: Operand) -> Tail:
    """Return an exact number as a constant function of t."""
    if isinstance(value, Tail):
        return value
    exact = Fraction(value)
    return Tail((flint.fmpq(exact.numerator, exact.denominator),))


def _trimmed(coefficients: list[Coefficient], remainder: bool) -> Tail:
    while len(coefficients) > 1 and coefficients[-1] == 0:
        coefficients.pop()
    return Tail(tuple(coefficients), remainder)


def tails(direction: int) -> Arithmetic:
    """Return the arithmetic of functions as t tends to minus infinity (-1) or to plus infinity (1)."""

    def sigmoid(x: Tail) -> Tail:
        *_, last = x.coefficients
        degree = len(x.coefficients) - 1
        if degree == 0:
            return Tail((BALLS.sigmoid(flint.arb(last)),), x.remainder)
        if not (last > 0 or last < 0):
            raise NoLimit("the limit of a gate cannot be determined")
        return Tail((flint.fmpq((last > 0) == (direction**degree > 0)),), remainder=True)

    return Arithmetic(constant, sigmoid, lambda x: 2 * sigmoid(2 * x) - 1)


@dataclass(frozen=True)
class Limit:
    """The limit of a map as t tends to minus infinity (-1) or to plus infinity (1)."""

    direction: int
    value: flint.arb


def find_limit(evaluate: Callable[[Tail, Arithmetic], Tail]) -> Limit | None:
    """Return a finite limit of a map at plus or minus infinity, or ``None`` if none is found.

    Args:
        evaluate: The map, over any arithmetic.

    >>> find_limit(lambda t, a: t * a.sigmoid(t) + 1)
    Limit(direction=-1, value=1.00000000000000)
    >>> find_limit(lambda t, a: 3 * t + a.tanh(a.number(1)))
    """
    for direction in (-1, 1):
        try:
            tail = evaluate(T, tails(direction))
        except NoLimit:
            continue
        if len(tail.coefficients) == 1:
            return Limit(direction, flint.arb(tail.coefficients[0]))
    return None
