"""The seven semirings of Definition 1 (Peng et al. 2018), over NumPy arrays of any number type.

>>> MAX_PLUS.plus(2, 5), MAX_PLUS.times(2, 5), MAX_PLUS.zero
(5, 7, -inf)

An operation works elementwise on float64 arrays and on object arrays of exact numbers
(``fractions.Fraction``, and floats only for the infinities). One algorithm therefore serves all semirings and
both kinds of arithmetic. Exact arithmetic satisfies every law of a semiring. Each class documents which laws
float64 violates, and bounds the violation. In these bounds u is the unit roundoff 2**-53, gamma_k is k u / (1
- k u), and no overflow or underflow is assumed. ``proofs_tests/automata/test_semirings.py`` tests the laws
and the bounds, and has an example of every violated law.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from automata.aliases import Weight, Weights
from automata.errors import InputError, WeightError
from automata.fraction_matrices import product
from automata.text.number_text import parse_number, shorten, write_number

INFINITY = math.inf
NUMBERS = frozenset({int, float, Fraction})
"""The types of exact numeric weights, which exclude polynomials and affine forms."""
FEW = 1000
"""Number of products of fractions above which clearing denominators is faster."""


def _quotient(a: Weight, b: Weight) -> Weight:
    """Return ``a / b``, as a fraction if ``a`` is an integer."""
    return Fraction(a) / b if isinstance(a, int) else a / b


class Semiring:
    """A commutative semiring (Definition 1); ``zero`` and ``one`` are the identities."""

    name: ClassVar[str]
    zero: ClassVar[Weight]
    one: ClassVar[Weight]
    members: ClassVar[str]  # description of valid weights for error messages
    add: ClassVar[np.ufunc] = np.add
    multiply: ClassVar[np.ufunc] = np.multiply
    # Operations on scalars, because NumPy would convert Python's integers to int64, which overflows.
    add_numbers: Callable[[Weight, Weight], Weight] = staticmethod(operator.add)
    multiply_numbers: Callable[[Weight, Weight], Weight] = staticmethod(operator.mul)
    # Return a (x) the inverse of b for nonzero b, exactly for exact numbers. None if weights have
    # no inverse.
    divide_numbers: Callable[[Weight, Weight], Weight] | None = None
    # Properties that algorithms query. Only the tables of compiled loops and of rounding bounds
    # refer to specific semirings.
    selective: ClassVar[bool] = False
    """Whether plus returns one of its operands, so that a score belongs to a single path."""
    exact_only: ClassVar[bool] = False
    """Whether float64 arrays are not supported (boolean, counting)."""
    float_only: ClassVar[bool] = False
    """Whether exact arrays are not supported (log)."""
    is_field: ClassVar[bool] = False
    """Whether weights are rational numbers with the usual operations (real, counting).
    """
    is_boolean: ClassVar[bool] = False
    """Whether weights are truth values, so that an automaton defines a language."""
    signed: ClassVar[bool] = False
    """Whether weights can cancel, so that the sum of their magnitudes must converge."""
    openfst_arc: ClassVar[str | None] = None
    """OpenFst's arc type with this plus, for weights that are products or sums of logarithms."""
    log_sign: ClassVar[int] = 0
    """1 if a weight is the logarithm of a factor (max-plus, log), -1 if it is a cost (min-plus), otherwise 0.
    """

    def plus(self, a: ArrayLike, b: ArrayLike) -> Weight:
        """Return ``a`` (+) ``b``, elementwise."""
        return (
            self.add(a, b)
            if isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
            else self.add_numbers(a, b)
        )

    def times(self, a: ArrayLike, b: ArrayLike) -> Weight:
        """Return ``a`` (x) ``b``, elementwise."""
        return (
            self.multiply(a, b)
            if isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
            else self.multiply_numbers(a, b)
        )

    def sum(self, values: ArrayLike, axis: int | None = None) -> Weight:
        """Return the (+)-sum along ``axis``, or of all entries without an axis; an empty sum is ``zero``."""
        array = np.asarray(values)
        flat, along = (array.reshape(-1), 0) if axis is None else (array, axis)
        return self.add.reduce(flat, axis=along, initial=self.zero)

    def dot(self, a: Weights, b: Weights) -> Weight:
        """Return the (+)-sum of the products of two vectors' entries, both of shape ``(n,)``."""
        if a.dtype != object or b.dtype != object:
            return self.sum(self.times(a, b))
        zero = self.exact(self.zero)
        total = zero
        for pair in zip(a.tolist(), b.tolist(), strict=True):
            # testing whether a fraction is zero is faster than multiplying by it
            if not any(type(number) in NUMBERS and number == zero for number in pair):
                term = self.times(*pair)
                total = term if total is zero else self.plus(total, term)
        return total

    def matmul(self, a: Weights, b: Weights) -> Weights:
        """Return the matrix product: shapes ``(..., i, j)`` and ``(..., j, k)`` give ``(..., i, k)``."""
        return np.asarray(self.sum(self.times(a[..., :, :, None], b[..., None, :, :]), axis=-2))

    def star(self, a: Weight) -> Weight:
        """Return the sum ``one + a + a a + a a a + ...``, or raise WeightError if it does not exist.

        If (+) is selective, the sum is ``one`` if ``one`` (+) ``a`` is ``one``.
        """
        if a == self.zero or (self.selective and self.plus(self.one, a) == self.one):
            return self.one
        raise WeightError(
            f"the sum 1 + a + aa + ... does not exist for a = {self.format(a)} in the {self.name} semiring"
        )

    def absolute(self, values: Weights) -> Weights:
        """Return the magnitudes of the weights, whose sums must converge."""
        return np.asarray(np.abs(values)) if self.signed else values

    def contains(self, weight: Weight) -> bool:
        """Return whether this semiring contains ``weight``; by default, if it is finite or ``zero``."""
        return isinstance(weight, (Fraction, int)) or (
            isinstance(weight, float) and (math.isfinite(weight) or weight == self.zero)
        )

    def zeros(self, *shape: int, exact: bool) -> Weights:
        """Return an array of ``zero`` with this shape."""
        return np.full(shape, self.zero, dtype=self.dtype(exact))

    def identity(self, n: int, *, exact: bool) -> Weights:
        """Return the ``(n, n)`` identity matrix."""
        eye = self.zeros(n, n, exact=exact)
        eye[np.arange(n), np.arange(n)] = self.one
        return eye

    def dtype(self, exact: bool) -> type:
        """Return the NumPy dtype of this semiring's arrays."""
        return object if self.exact_only or (exact and not self.float_only) else np.float64

    def exact(self, weight: Weight) -> Weight:
        """Return ``weight`` as an exact number: a float as a dyadic fraction, an infinity unchanged."""
        value = weight.item() if isinstance(weight, np.generic) else weight
        if type(value) is Fraction or (isinstance(value, float) and math.isinf(value)):
            return value
        return Fraction(value)

    def parse(self, text: str) -> Weight:
        """Return the exact weight that ``text`` denotes: ``2``, ``-3/7``, ``0.25``, ``1e-3``, ``-inf``."""
        weight = parse_number(text)
        if not self.contains(weight):
            raise WeightError(
                f"weights of the {self.name} semiring must be {self.members}, got {shorten(text)}"
            )
        return weight

    def format(self, weight: Weight) -> str:
        """Return the text that :meth:`parse` reads back; a float is written as the fraction it equals."""
        return write_number(self.exact(weight))

    def __repr__(self) -> str:
        return f"<{self.name} semiring>"

    def __reduce__(self) -> tuple[object, ...]:
        return semiring, (self.name,)


class Real(Semiring):
    """(R, +, x, 0, 1), the plus-times semiring.

    In float64, neither operation is associative, and times does not distribute over plus:

    - (a + b) + c and a + (b + c) differ by at most 2 gamma_2 (|a| + |b| + |c|).
    - (a b) c and a (b c) differ by at most 2 gamma_2 |abc|.
    - a (b + c) and a b + a c differ by at most 2 gamma_2 |a| (|b| + |c|).

    Infinite weights are rejected, because infinity times zero is NaN.
    """

    name, zero, one, members = "real", 0, 1, "finite numbers"
    divide_numbers = staticmethod(_quotient)
    is_field = signed = True
    openfst_arc = "log64"

    def matmul(self, a: Weights, b: Weights) -> Weights:
        """Return the ordinary matrix product, by BLAS for float64 and exactly for fractions."""
        if a.dtype != object and b.dtype != object:
            return np.asarray(a @ b)
        large = a.ndim == b.ndim == 2 and a.size * b.shape[1] > FEW
        plain = large and all(type(w) in (int, Fraction) for array in (a, b) for w in array.ravel().tolist())
        return product(a, b) if plain else super().matmul(a, b)

    def star(self, a: Weight) -> Weight:
        """Return 1 / (1 - a) for |a| < 1."""
        if not -1 < a < 1:
            return super().star(a)
        return 1 / (1 - a) if isinstance(a, float) else Fraction(1) / (1 - a)


def _added(a: Weight, b: Weight) -> Weight:
    """Return ``a + b``, also if one is infinite and the other a fraction beyond the range of floats."""
    try:
        return a + b
    except OverflowError:
        return a if isinstance(a, float) else b


def _taken_off(a: Weight, b: Weight) -> Weight:
    """Return ``a - b`` for a finite ``b``, even if ``a`` is infinite and ``b`` is too large for a float."""
    try:
        return a - b
    except OverflowError:
        return a


class Tropical(Semiring):
    """A tropical semiring: plus is max or min, times is +, and zero is -inf or inf."""

    one = 0
    multiply = np.add
    multiply_numbers, divide_numbers = staticmethod(_added), staticmethod(_taken_off)
    selective, openfst_arc = True, "standard"

    def times(self, a: ArrayLike, b: ArrayLike) -> Weight:
        """Return ``a + b``, elementwise."""
        try:
            return super().times(a, b)
        except OverflowError:
            return np.frompyfunc(_added, 2, 1)(a, b)


class MaxPlus(Tropical):
    """(R and -infinity, max, +, -infinity, 0).

    In float64 ``max`` is exact and rounding is monotone, so plus satisfies every law and times distributes
    exactly. Only associativity of times is violated, by at most 2 gamma_2 (|a| + |b| + |c|).
    """

    name, zero, members = "max-plus", -INFINITY, "numbers below infinity, or -inf"
    add, add_numbers = np.maximum, staticmethod(max)
    log_sign = 1


class MinPlus(Tropical):
    """(R and infinity, min, +, infinity, 0), the tropical semiring; float64 as in max-plus."""

    name, zero, members = "min-plus", INFINITY, "numbers above -infinity, or inf"
    add, add_numbers = np.minimum, staticmethod(min)
    log_sign = -1


class MaxTimes(Semiring):
    """([0, infinity), max, x, 0, 1), the Viterbi semiring.

    In float64 plus satisfies every law and times distributes exactly, because rounding is monotone and
    weights are nonnegative. Associativity of times is violated by at most 2 gamma_2 abc.
    """

    name, zero, one, members = "max-times", 0, 1, "finite numbers that are not negative"
    add, add_numbers = np.maximum, staticmethod(max)
    divide_numbers = staticmethod(_quotient)
    selective, openfst_arc = True, "standard"

    def contains(self, weight: Weight) -> bool:
        """Return whether the weight is finite and nonnegative."""
        return super().contains(weight) and weight >= 0


class Log(Semiring):
    """(R and -infinity, log(e^a + e^b), +, -infinity, 0), natural logarithms; float64 only.

    ``logaddexp`` does not amplify the errors of its arguments, so errors only add up. The error of one call
    is at most e(x) = 3 u x + 4 u with x = max(|a|, |b|). These laws are violated:

    - associativity of plus, by at most 4 e(max(|a|, |b|, |c|) + log 3).
    - associativity of times, by at most 2 gamma_2 (|a| + |b| + |c|).
    - distributivity, by at most 2 e(m) + 4 u m with m = |a| + max(|b|, |c|) + 1.
    """

    name, zero, one, members = "log", -INFINITY, 0, "numbers below infinity, or -inf"
    add, multiply = np.logaddexp, np.add
    add_numbers, multiply_numbers = staticmethod(np.logaddexp), staticmethod(operator.add)
    divide_numbers = staticmethod(operator.sub)
    float_only, log_sign, openfst_arc = True, 1, "log64"

    def star(self, a: Weight) -> Weight:
        """Return -log(1 - e^a) for a < 0."""
        if not a < 0:
            return super().star(a)
        return -np.log1p(-np.exp(a)) if a < -math.log(2) else -np.log(-np.expm1(a))

    def exact(self, weight: Weight) -> Weight:
        """Raise InputError, because sums of exponentials of fractions are not fractions."""
        raise InputError(
            "the log semiring does not support exact arithmetic, because scores are logarithms of sums; use"
            " floats"
        )

    def parse(self, text: str) -> float:
        """Return the float64 nearest to the number that ``text`` denotes."""
        try:
            return float(super().parse(text))
        except OverflowError:
            raise WeightError(
                f"weight {shorten(text)} must be in the range of float64, in which the log semiring computes"
            ) from None

    def format(self, weight: Weight) -> str:
        """Return the shortest decimal that is read back as the same float64."""
        return repr(float(weight))


class Boolean(Semiring):
    """({false, true}, or, and, false, true); exact."""

    name, zero, one, members = "boolean", False, True, '"true" or "false"'
    add, multiply = np.logical_or, np.logical_and
    add_numbers, multiply_numbers = staticmethod(operator.or_), staticmethod(operator.and_)
    selective = exact_only = is_boolean = True
    openfst_arc = "standard"

    def matmul(self, a: Weights, b: Weights) -> Weights:
        """Return the boolean matrix product, whose entries are true if any product is true.

        The products are counted in float32, which is exact below 2^24.
        """
        if a.shape[-1] >= 1 << 24:
            return super().matmul(a, b)
        return np.asarray(a.astype(np.float32) @ b.astype(np.float32) > 0)

    def contains(self, weight: Weight) -> bool:
        """Return whether the weight is a boolean."""
        return isinstance(weight, (bool, np.bool_))

    def dtype(self, exact: bool) -> type:
        """Return the boolean dtype, whether ``exact`` or not."""
        return np.bool_

    def exact(self, weight: Weight) -> bool:
        """Return the weight as a Python boolean."""
        return bool(weight)

    def parse(self, text: str) -> bool:
        """Return the weight that ``text`` denotes, ``true`` or ``false``."""
        if text not in ("true", "false"):
            raise WeightError(
                f'weights of the boolean semiring must be "true" or "false", got {shorten(text)}'
            )
        return text == "true"

    def format(self, weight: Weight) -> str:
        """Return ``true`` or ``false``."""
        return "true" if weight else "false"


class Counting(Semiring):
    """(N, +, x, 0, 1), with Python's integers; it counts paths without overflow."""

    name, zero, one, members = "counting", 0, 1, "integers that are not negative"
    exact_only = is_field = True
    openfst_arc = "log64"

    def contains(self, weight: Weight) -> bool:
        """Return whether the weight is a natural number."""
        return isinstance(weight, (int, Fraction)) and weight == int(weight) and weight >= 0

    def exact(self, weight: Weight) -> int:
        """Return the weight as a Python integer."""
        return int(weight)

    def parse(self, text: str) -> int:
        """Return the natural number that ``text`` denotes."""
        return int(super().parse(text))


REAL, MAX_PLUS, MIN_PLUS, MAX_TIMES = Real(), MaxPlus(), MinPlus(), MaxTimes()
LOG, BOOLEAN, COUNTING = Log(), Boolean(), Counting()
SEMIRINGS = {k.name: k for k in (REAL, MAX_PLUS, MIN_PLUS, MAX_TIMES, LOG, BOOLEAN, COUNTING)}
ALIASES = {"tropical": MIN_PLUS, "probability": REAL}
"""Aliases that are read but not written."""


def semiring(name: str) -> Semiring:
    """Return the semiring of that name or alias.

    >>> semiring("max-plus"), semiring("tropical")
    (<max-plus semiring>, <min-plus semiring>)
    """
    known = SEMIRINGS | ALIASES
    if not isinstance(name, str) or name not in known:
        raise InputError(f"the semiring must be one of {', '.join(known)}, got {shorten(name)}")
    return known[name]
