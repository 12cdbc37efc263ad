"""The search for a complex pole of the map of a cell, by one evaluation in ball arithmetic.

Consider a map of one variable t and real constants that consists of sums, differences, products, sigmoid and
tanh. It is analytic in the plane except for a closed countable set without real numbers. This holds for t and
numbers. Sums and products are analytic where their parts are. For nonconstant g, sigmoid(g) has as further
exceptions only the points where g is an odd multiple of pi i. These are countably many, and accumulate only
where g is not analytic. (tanh z = 2 sigmoid(2z) - 1.)

The argument a t + b of a gate, a not 0, is pi i at t = (pi i - b) / a, and S = sigmoid(a t + b) has a simple
pole there. Every value in a step is then written as g_0 + g_1 S + ... + g_m S^m, where each g_j is analytic
near that point, and stored as the values of the g_j there. If g_m is not 0 there and m > 0, the number has a
pole of order m.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint

from ratproof.certification.not_rational.germs import Form, Germ, constant
from theory.not_rational.arithmetic import Arithmetic


class NoPole(ArithmeticError):
    """An error for a value that cannot be shown to have a pole at this point."""


@dataclass(frozen=True)
class Pole:
    """A point where a map has a pole.

    Attributes:
        slope, shift: The gate's argument a t + b.
        point: (pi i - b) / a, a complex ball.
        order: The order m.
        leading: g_m there, a complex ball without 0.
    """

    slope: Fraction
    shift: Fraction
    point: flint.acb
    order: int
    leading: flint.acb


def find_pole(evaluate: Callable[[Germ, Arithmetic], Germ]) -> Pole | None:
    """Return a pole of a map, at a gate that reads a t + b, or ``None`` if none is found.

    Args:
        evaluate: The map, over any arithmetic.

    >>> print(find_pole(lambda t, a: a.tanh(t * 2 + 1)).order)
    1
    >>> find_pole(lambda t, a: 3 * t + a.tanh(a.number(1)))
    """
    for slope, shift in gates(evaluate):
        point = (flint.acb(0, flint.arb.pi()) - _ball(shift)) / _ball(slope)
        try:
            parts = evaluate(Germ((point,), (Fraction(1), Fraction(0))), _at(slope, shift)).parts
        except NoPole:
            continue
        if len(parts) > 1 and parts[-1].is_finite() and not parts[-1].contains(0):
            return Pole(slope, shift, point, len(parts) - 1, parts[-1])
    return None


def gates(evaluate: Callable[[Germ, Arithmetic], Germ]) -> list[Form]:
    """Return the arguments a t + b, a not 0, of sigmoids in a map.

    A tanh counts as the sigmoid of twice its argument.
    """
    arguments: list[Form] = []

    def sigmoid(x: Germ) -> Germ:
        if x.form is not None and x.form[0] != 0 and x.form not in arguments:
            arguments.append(x.form)
        return Germ((flint.acb(0),))

    evaluate(Germ((flint.acb(0),), (Fraction(1), Fraction(0))), _with(sigmoid))
    return arguments


def _at(slope: Fraction, shift: Fraction) -> Arithmetic:
    """Return an arithmetic of germs at the pole of the gate with the argument slope t + shift."""

    def sigmoid(x: Germ) -> Germ:
        if x.form == (slope, shift):
            return Germ((flint.acb(0), flint.acb(1)))
        if len(x.parts) > 1:
            raise NoPole("the sigmoid of a function with a pole is not meromorphic there")
        below = 1 + (-x.parts[0]).exp()
        if below.contains(0):
            raise NoPole("another gate may also have a pole there")
        return Germ((1 / below,))

    return _with(sigmoid)


def _with(sigmoid: Callable[[Germ], Germ]) -> Arithmetic:
    return Arithmetic(constant, sigmoid, lambda x: 2 * sigmoid(2 * x) - 1)


FORMS = _with(
    lambda x: constant(Fraction(1, 2)) if x.form == (Fraction(0), Fraction(0)) else Germ((flint.acb(0),))
)
"""Germs with only the exact form a t + b, if there is one; sigmoid(0) is 1/2, so tanh(0) is 0."""


def _ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))
