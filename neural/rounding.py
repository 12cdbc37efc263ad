"""Bounds on the difference of two float evaluations of one formula: derived for gates, for any order of
summation.

A network computes its gates for a whole batch at once, and again, in other shapes, when its automata are read
off; the matrix products may then be summed in another order. These bounds say by how much the two can differ.

The one assumption is on the elementary functions: sigmoid, its logarithm, tanh, exp, log and log1p are within
4 units in the last place, or within the smallest normal number (a sigmoid whose exponential overflows is 0).
The vector library behind torch's CPU kernels states 1 for exp and tanh, and CUDA's mathematics library 2;
``proofs_tests/neural/test_rounding.py`` measures them against ball arithmetic.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from automata.errors import InputError
from automata.rounding.formats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format

FORMATS = {torch.float32: FLOAT32, torch.float64: FLOAT64, torch.bfloat16: BFLOAT16, torch.float16: FLOAT16}
FUNCTION_ROUNDINGS = 8
"""4 units in the last place are at most 8 unit roundoffs."""

# The bounds are computed in float64 with errors far below this.
_OUTWARD = 1 + 2.0**-40
# What torch may make of float32's products: TF32 keeps 11 significant bits, bfloat16 keeps 8; tensor cores
# may cut off.
_PRODUCT_UNITS = {"highest": FLOAT32.unit, "high": 2.0**-10, "medium": 2.0**-7}


def format_of(dtype: torch.dtype) -> Format:
    """The floating-point format of a torch dtype."""
    if dtype not in FORMATS:
        raise InputError(
            f"weights are {dtype}, where torch.float32, torch.float64, torch.bfloat16 or torch.float16 is"
            " right"
        )
    return FORMATS[dtype]


def affine(weight: Tensor, bias: Tensor | None, inputs: Tensor, error: Tensor | None = None) -> Tensor:
    """A bound on the error of one evaluation of ``inputs @ weight.T + bias``, in float64, shape
    ``(..., outputs)``.

    The inputs may be off by ``error``; weights and bias are exact.
    """
    kind = format_of(weight.dtype)
    terms = weight.shape[1] + 1
    factors = weight.double().abs().T
    size = inputs.double().abs() @ factors
    carried = torch.zeros_like(size) if error is None else error @ factors
    size = size + carried
    if bias is not None:
        size = size + bias.double().abs()
    reduced = reduction(kind)
    relative = kind.gamma(terms + 1) * (1 + reduced) + reduced
    return (carried + size * relative + terms * kind.tiny) * _OUTWARD


def reduction(kind: Format) -> float:
    """A bound on the relative error of each product in a matrix product before it is rounded: 0 at full
    precision.
    """
    unit = _product_unit() if kind is FLOAT32 else kind.unit
    # Reduced precision rounds both factors of each product first; the sums are kept in the full format.
    return 2 * unit + unit**2 if unit > kind.unit else 0.0


def _product_unit() -> float:
    try:
        return _PRODUCT_UNITS[torch.get_float32_matmul_precision()]
    except RuntimeError:  # set by torch's newer switches, one for each backend: assume the least precise
        return _PRODUCT_UNITS["medium"]


def sigmoid(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the sigmoid of something that is off by ``error``.

    ``value`` is the sigmoid as one evaluation computed it; the bound is for any other evaluation as well.
    """
    # The slope is at most 1/4, and at most the sigmoid itself, whose logarithm has a slope of at most 1.
    # Another evaluation, and the way from it to the truth, is at most 2 error from this one: so there the
    # sigmoid is at most e^(2 error) of ours.
    ours = value.double() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=0.25)
    return _rounded(value, error * slope, kind).clamp(max=1)


def log_sigmoid(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the logarithm of the sigmoid of something that is off by ``error``."""
    # Its slope at x is sigmoid(-x) = 1 - e^y, at most 1 and at most -y, where y is the value; the rest is as
    # for the sigmoid.
    ours = value.double().abs() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=1)
    return _rounded(value, error * slope, kind)


def tanh(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the tanh of something that is off by ``error``, whose slope is at most 1."""
    return _rounded(value, error, kind).clamp(max=2)


def exponential(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the exponential of something that is off by ``error``."""
    # another evaluation's argument is at most 2 error from ours, and so e^(2 error) times as large
    ours = value.double() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    return _rounded(value, ours * torch.expm1(2 * error), kind)


def softplus(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of log(1 + e^x) of something that is off by ``error``; torch takes x above 20."""
    # the slope is a sigmoid: at most 1, and at most the value
    ours = value.double() * (1 + kind.gamma(2 * FUNCTION_ROUNDINGS + 2)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=1)
    cut = torch.where(value.double() + 2 * error > 19.9, math.exp(-19.8), 0.0)
    # of its two functions the first is rounded once more than :func:`_rounded` has it
    return _rounded(value, error * slope, kind) + (kind.gamma(FUNCTION_ROUNDINGS) * ours + cut) * _OUTWARD


def square_root(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the square root of something that is off by ``error``, and is not negative."""
    ours = value.double() * (1 - 2 * kind.unit)
    carried = torch.sqrt(error)  # and where the argument is large enough, error / (sqrt x + sqrt x')
    near = torch.where(ours**2 > 4 * error, 1.5 * error / ours.clamp(min=kind.tiny), carried)
    return _rounded(value, torch.minimum(near, carried), kind)


def logarithm(value: Tensor, argument: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the logarithm of something that is off by ``error``; none where it may be 0."""
    least = argument.double() - 2 * error
    return _rounded(value, torch.where(least > 0, error / least, torch.inf), kind)


def quotient(value: Tensor, a_error: Tensor, b: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of ``value``, the quotient of two numbers that are off by these errors; none where
    the second may be 0.
    """
    least = b.double().abs() - 2 * b_error
    size = value.double().abs() * (1 + kind.gamma(2)) + kind.tiny
    carried = (2 * a_error + 2 * (size + (a_error + size * b_error) / least) * b_error) / least
    carried = torch.where(least > 0, carried, torch.inf)
    return (carried + kind.gamma(2) * (size + carried) + kind.tiny) * _OUTWARD


def summed(size: Tensor, carried: Tensor, terms: int, kind: Format, products: bool = True) -> Tensor:
    """A bound on the error of a sum of so many numbers, or products of two, in any order.

    Args:
        size: the sum of their absolute values.
        carried: the sum of what they are off.
        terms: how many.
        kind: the format.
        products: are they products, which matrix units may round further?
    """
    reduced = reduction(kind) if products else 0.0
    relative = kind.gamma(terms + products) * (1 + reduced) + reduced
    return (carried + relative * (size + carried) + terms * kind.tiny) * _OUTWARD


def _rounded(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    relative = kind.gamma(FUNCTION_ROUNDINGS + 1)
    return (error + relative * (value.double().abs() + error) + kind.tiny) * _OUTWARD


def product(a: Tensor, a_error: Tensor, b: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of ``a * b`` for computed factors that are off by these errors."""
    size = (a.double().abs() + a_error) * (b.double().abs() + b_error)
    carried = a.double().abs() * b_error + b.double().abs() * a_error + a_error * b_error
    return (carried + kind.gamma(2) * size + kind.tiny) * _OUTWARD


def total(value: Tensor, a_error: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of ``value``, the sum or difference of two numbers that are off by these
    errors.
    """
    carried = a_error + b_error
    return (carried + kind.gamma(2) * (value.double().abs() + carried) + kind.tiny) * _OUTWARD
