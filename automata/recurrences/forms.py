"""Affine forms in the components of a state, on which only affine steps run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import NotImplementedType
from typing import NoReturn

import numpy as np

from automata.aliases import Weight
from automata.errors import InputError
from automata.text.number_text import shorten


@dataclass
class Refusal:
    """The first unsupported operation that a step tried on forms, even if it caught the error."""

    what: str | None = None


class Form:
    """An affine form b + w_1 c_1 + ... + w_d c_d in a state's components, which can replace numbers in steps.

    Forms support addition, subtraction, negation, and multiplication and division by numbers. A
    step that uses only these is affine. Any other operation of fractions (comparison, lookup,
    conversion, printing, powers) is recorded, and raises ``TypeError`` or ``AttributeError``. A
    step that catches the error may treat forms differently from numbers.
    """

    __slots__ = ("constant", "refusal", "weights")

    def __init__(
        self, constant: Fraction, weights: dict[int, Fraction], refusal: Refusal | None = None
    ) -> None:
        self.constant, self.weights = constant, {i: w for i, w in weights.items() if w}
        self.refusal = Refusal() if refusal is None else refusal

    def _refuse(self, what: str) -> NoReturn:
        self.refusal.what = self.refusal.what or what
        raise TypeError(what)

    def _form(self, constant: Fraction, weights: dict[int, Fraction]) -> Form:
        return Form(constant, weights, self.refusal)

    def _operand(self, other: object) -> Form | None:
        """Return the other operand as a form, or ``None`` for an array, which NumPy handles itself."""
        if isinstance(other, Form):
            return other
        if isinstance(other, np.ndarray):
            return None
        try:
            return self._form(exact_number(other), {})
        except InputError as error:
            self.refusal.what = self.refusal.what or str(error)
            raise

    def _plus(self, by: Form, sign: int) -> Form:
        weights = dict(self.weights)
        for i, w in by.weights.items():
            weights[i] = weights.get(i, Fraction(0)) + sign * w
        return self._form(self.constant + sign * by.constant, weights)

    def _scaled(self, by: Fraction) -> Form:
        return self._form(self.constant * by, {i: w * by for i, w in self.weights.items()})

    def __add__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        return NotImplemented if by is None else self._plus(by, 1)

    def __sub__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        return NotImplemented if by is None else self._plus(by, -1)

    def __rsub__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        return NotImplemented if by is None else (-self)._plus(by, 1)

    def __neg__(self) -> Form:
        return self._scaled(Fraction(-1))

    def __pos__(self) -> Form:
        return self

    def __mul__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        if by is None:
            return NotImplemented
        if not by.weights:
            return self._scaled(by.constant)
        if self.weights:
            self._refuse("a product of two components of the state is not affine")
        return by._scaled(self.constant)

    def __truediv__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        if by is None:
            return NotImplemented
        if by.weights:
            self._refuse("a quotient by a component of the state is not affine")
        return self._scaled(1 / by.constant)

    def __rtruediv__(self, other: object) -> Form | NotImplementedType:
        by = self._operand(other)
        return NotImplemented if by is None else by / self

    def __pow__(self, power: Weight, modulus: object = None) -> Form | NotImplementedType:
        if isinstance(power, np.ndarray):
            return NotImplemented
        if modulus is not None or isinstance(power, Form) or (self.weights and power != 1):
            self._refuse("a power of a component of the state is not affine")
        return self if power == 1 else self._form(exact_number(self.constant**power), {})

    __radd__, __rmul__ = __add__, __mul__

    def __copy__(self) -> Form:
        return self

    def __deepcopy__(self, memo: object) -> Form:
        return self

    def __repr__(self) -> str:
        self.refusal.what = (
            self.refusal.what or "a step that prints the components of the state is not shown to be affine"
        )
        return "<a component of the state>"

    def __format__(self, how: str) -> str:
        return repr(self)

    def __getattr__(self, name: str) -> NoReturn:
        # Python and NumPy look up names with two underscores, which fractions lack, too.
        if not name.startswith("__"):
            self.refusal.what = (
                self.refusal.what
                or f"a step that reads {name} of a component of the state is not shown to be affine"
            )
        raise AttributeError(f"a component of the state has no attribute {name}")


def _refusing(what: str) -> Callable[..., NoReturn]:
    def refuse(self: Form, *others: object) -> NoReturn:
        self._refuse(f"a step that {what} is not shown to be affine")

    return refuse


# The operations of fractions that forms do not support.
REFUSED = {
    "compares the components of the state": ("eq", "ne", "lt", "le", "gt", "ge"),
    "looks up the components of the state": ("hash",),
    "converts a component of the state to a number": ("bool", "int", "float", "complex", "index"),
    "rounds the components of the state": (
        "trunc",
        "floor",
        "ceil",
        "round",
        "floordiv",
        "rfloordiv",
        "mod",
        "rmod",
        "divmod",
        "rdivmod",
    ),
    "takes the absolute value of a component of the state": ("abs",),
    "has a component of the state as an exponent": ("rpow",),
    "pickles the components of the state": ("reduce", "reduce_ex"),
}
for _what, _names in REFUSED.items():
    for _name in _names:
        setattr(Form, f"__{_name}__", _refusing(_what))


def numpy_integer_type(value: object) -> str | None:
    """Return the NumPy integer type of a number or of a part of a fraction; ``None`` if there is none."""
    if type(value) is Fraction and type(value.numerator) is int is type(value.denominator):
        return None  # the usual case
    parts = (value.numerator, value.denominator) if isinstance(value, Fraction) else (value,)
    return next((str(part.dtype) for part in parts if isinstance(part, np.integer)), None)


def exact_number(value: object) -> Fraction:
    """Return a number as an exact fraction; raise InputError for other values, infinity and NaN."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError(f"the values of the network must be finite, got {number}")
    if not isinstance(number, (int, float, Fraction)):
        raise InputError(f"the values of the network must be numbers, got {shorten(value)}")
    if isinstance(number, Fraction) and numpy_integer_type(number) is not None:
        return Fraction(int(number.numerator), int(number.denominator))
    return number if type(number) is Fraction else Fraction(number)
