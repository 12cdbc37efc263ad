"""Affine forms in the numbers of a state: what a step is run on, in place of numbers, to see that it is affine."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from automata.errors import InputError
from automata.number_text import shorten


class Form:
    """An affine form in the numbers of a state, b + w_1 c_1 + ... + w_d c_d, which steps can be run on in place of numbers.

    It can be added, subtracted, negated, and multiplied and divided by numbers; a step that does nothing else is affine. Anything
    else raises ``TypeError``.
    """

    __slots__ = ("constant", "weights")

    def __init__(self, constant: Fraction, weights: dict[int, Fraction]) -> None:
        self.constant, self.weights = constant, {i: w for i, w in weights.items() if w}

    def _plus(self, other: Any, sign: int) -> Form:
        if not isinstance(other, Form):
            other = Form(exact_number(other), {})
        weights = dict(self.weights)
        for i, w in other.weights.items():
            weights[i] = weights.get(i, Fraction(0)) + sign * w
        return Form(self.constant + sign * other.constant, weights)

    def _times(self, factor: Any) -> Form:
        if isinstance(factor, Form):
            if not self.weights:
                return Form(factor.constant, factor.weights)._times(self.constant)
            if factor.weights:
                raise TypeError("a product of two numbers of the state is not affine")
        by = factor.constant if isinstance(factor, Form) else exact_number(factor)
        return Form(self.constant * by, {i: w * by for i, w in self.weights.items()})

    def __add__(self, other: Any) -> Form:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Form:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Form:
        return self._times(-1)._plus(other, 1)

    def __neg__(self) -> Form:
        return self._times(-1)

    def __pos__(self) -> Form:
        return self

    def __mul__(self, other: Any) -> Form:
        return self._times(other)

    def __truediv__(self, other: Any) -> Form:
        if isinstance(other, Form) and other.weights:
            raise TypeError("a quotient by a number of the state is not affine")
        return self._times(1 / (other.constant if isinstance(other, Form) else exact_number(other)))

    def __rtruediv__(self, other: Any) -> Form:
        return Form(exact_number(other), {}) / self

    def __pow__(self, power: Any) -> Form:
        if power == 1:
            return self
        if self.weights:
            raise TypeError("a power of a number of the state is not affine")
        return Form(self.constant**power, {})

    __radd__, __rmul__ = __add__, __mul__

    def __bool__(self) -> bool:
        raise TypeError("a step that asks for the value of a number in the state is not shown to be affine")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("a step that compares the numbers of the state is not shown to be affine")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__


def exact_number(value: Any) -> Fraction:
    """A number as the fraction that it is; :class:`~automata.errors.InputError` for anything else, NaN and infinities too."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError(f"a number of the network is {number}, where finite numbers are right")
    if not isinstance(number, (int, float, Fraction)):
        raise InputError(f"the network has {shorten(value)}, where a number is right")
    return Fraction(number)
