"""The numbers that a cell's step computes with: anything with sums, differences and products, and a sigmoid
and a tanh.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint


@dataclass(frozen=True)
class Arithmetic:
    """A type of numbers. A step may add, subtract and multiply them, with integers too, and apply these;
    nothing else.

    Attributes:
        number: a weight as such a number.
        sigmoid: 1 / (1 + exp(-x)).
        tanh: the hyperbolic tangent.
    """

    number: Callable[[Fraction], Any]
    sigmoid: Callable[[Any], Any]
    tanh: Callable[[Any], Any]


def _ball(weight: Fraction) -> Any:
    return flint.arb(flint.fmpq(weight.numerator, weight.denominator))


BALLS = Arithmetic(_ball, lambda x: 1 / (1 + (-x).exp()), lambda x: x.tanh())
"""Balls around real numbers (``flint.arb``) that hold the true value, at the precision ``flint.ctx.prec``."""

FLOATS = Arithmetic(float, lambda x: (1 + math.tanh(x / 2)) / 2, math.tanh)
"""Python's floats, rounded: for a look, not for a proof."""
