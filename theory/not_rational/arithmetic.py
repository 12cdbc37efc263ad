"""Number types on which a cell's step can run, with the functions that cells use."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint


class NotKnown(ArithmeticError):
    """Raised if a number type does not support a function."""


def _not_known(name: str) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        raise NotKnown(f"the step uses {name}, which this arithmetic does not support")

    return function


NO_EXP, NO_LOG = _not_known("exp outside of the sigmoid and tanh"), _not_known("log")
NO_ROOT, NO_QUOTIENT, NO_MAXIMUM = _not_known("a root"), _not_known("a quotient"), _not_known("a maximum")


@dataclass(frozen=True)
class Arithmetic:
    """A number type, with the functions that the steps of cells use.

    A step can add, subtract and multiply numbers and integers, and apply the functions below. All number
    types support ``sigmoid`` and ``tanh``. If another function is not supported, calling it raises
    :class:`NotKnown`.

    Attributes:
        number: a function that converts a weight to a number of this type.
        sigmoid: 1 / (1 + exp(-x)).
        tanh: the hyperbolic tangent.
        exp, log, root: the exponential function, the natural logarithm and the square root.
        quotient: x / y.
        maximum: the larger of two numbers.
    """

    number: Callable[[Fraction], Any]
    sigmoid: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    exp: Callable[[Any], Any] = NO_EXP
    log: Callable[[Any], Any] = NO_LOG
    root: Callable[[Any], Any] = NO_ROOT
    quotient: Callable[[Any, Any], Any] = NO_QUOTIENT
    maximum: Callable[[Any, Any], Any] = NO_MAXIMUM


def _ball(weight: Fraction) -> Any:
    return flint.arb(flint.fmpq(weight.numerator, weight.denominator))


BALLS = Arithmetic(
    _ball,
    sigmoid=lambda x: 1 / (1 + (-x).exp()),
    tanh=lambda x: x.tanh(),
    exp=lambda x: x.exp(),
    log=lambda x: x.log(),
    root=lambda x: x.sqrt(),
    quotient=operator.truediv,
    maximum=lambda x, y: x.max(y),
)
"""Balls of real numbers (``flint.arb``) that contain the true value, at the precision ``flint.ctx.prec``."""

FLOATS = Arithmetic(
    float,
    sigmoid=lambda x: (1 + math.tanh(x / 2)) / 2,
    tanh=math.tanh,
    exp=math.exp,
    log=math.log,
    root=math.sqrt,
    quotient=operator.truediv,
    maximum=max,
)
"""Python's floats, for inspection; they round, so they are not used in proofs."""
