"""Bounds on the difference between two floating-point evaluations of one formula.

The bounds hold for any order of summation. A network computes its gates for a batch of sequences, and again
for tensors of other shapes when its automata are constructed. The two evaluations may sum matrix products in
different orders. The bounds limit the difference between their results.

The only assumption is about elementary functions. Sigmoid, log-sigmoid, tanh, exp, log, log1p, sin and cos
are accurate to 4 units in the last place, or to the smallest normal number. (A sigmoid is 0 if its
exponential overflows.) The vector library behind torch's CPU kernels documents 1 unit for exp and tanh, and
CUDA's mathematics library documents 2. ``proofs_tests/neural/test_rounding.py`` measures them against ball
arithmetic.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from automata.errors import InputError
from automata.rounding.formats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format

FORMATS = {torch.float32: FLOAT32, torch.float64: FLOAT64, torch.bfloat16: BFLOAT16, torch.float16: FLOAT16}
FUNCTION_ROUNDINGS = 8
"""The error of an elementary function in unit roundoffs; 4 units in the last place are at most 8."""

# The bounds are computed in float64 with errors far below this factor.
_OUTWARD = 1 + 2.0**-40
# Precision of float32 products in torch: TF32 keeps 11 significant bits, bfloat16 keeps 8; tensor cores may
# truncate.
_PRODUCT_UNITS = {"highest": FLOAT32.unit, "high": 2.0**-10, "medium": 2.0**-7}


def format_of(dtype: torch.dtype) -> Format:
    """Return the parameters of the floating-point format of a torch dtype."""
    if dtype not in FORMATS:
        raise InputError(
            f"weights must be torch.float32, torch.float64, torch.bfloat16 or torch.float16, got {dtype}"
        )
    return FORMATS[dtype]


def affine(weight: Tensor, bias: Tensor | None, inputs: Tensor, error: Tensor | None = None) -> Tensor:
    """Bound the error of one evaluation of ``inputs @ weight.T + bias``.

    The bound is in float64, shape ``(..., outputs)``. The inputs have errors of at most ``error``; weights
    and bias are exact.
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
    """Bound the relative error that reduced precision adds to each product of a matrix product.

    The bound depends on torch's current precision of matrix products. It is 0 at full precision, and positive
    for example with TF32.
    """
    unit = _product_unit() if kind is FLOAT32 else kind.unit
    # Reduced precision first rounds both factors of each product; the sums are accumulated in full precision.
    return 2 * unit + unit**2 if unit > kind.unit else 0.0


def _product_unit() -> float:
    try:
        return _PRODUCT_UNITS[torch.get_float32_matmul_precision()]
    except RuntimeError:  # set by torch's newer per-backend options: assume the least precise one
        return _PRODUCT_UNITS["medium"]


def sigmoid(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the sigmoid of an argument with an error of at most ``error``.

    ``value`` is the sigmoid as one evaluation computed it; the bound also holds for any other evaluation.
    """
    # The slope is at most 1/4, and at most the sigmoid itself, whose logarithm has a slope of at most 1.
    # Our argument differs by at most 2 error from each number between the true argument and another
    # evaluation's. The sigmoid of each of these numbers is therefore at most e^(2 error) times ours.
    ours = value.double() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=0.25)
    return _rounded(value, error * slope, kind).clamp(max=1)


def log_sigmoid(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the log-sigmoid of an argument with an error of at most ``error``."""
    # The slope at x is sigmoid(-x) = 1 - e^y, at most 1 and at most -y, where y is the value. The remaining
    # argument is the same as for the sigmoid.
    ours = value.double().abs() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=1)
    return _rounded(value, error * slope, kind)


def tanh(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the tanh of an argument with an error of at most ``error``."""
    return _rounded(value, error, kind).clamp(max=2)


def circular(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of a sine or cosine of an argument with an error of at most ``error``."""
    return _rounded(value, error, kind).clamp(max=2)


def exponential(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the exponential of an argument with an error of at most ``error``."""
    # Another evaluation's argument differs by at most 2 error from ours, so its exponential is at most e^(2
    # error) times ours.
    ours = value.double() * (1 + kind.gamma(FUNCTION_ROUNDINGS + 1)) + kind.tiny
    return _rounded(value, ours * torch.expm1(2 * error), kind)


def softplus(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of log(1 + e^x) for an x with an error of at most ``error``.

    For x above 20, torch returns x.
    """
    # The slope is a sigmoid: at most 1, and at most the value.
    ours = value.double() * (1 + kind.gamma(2 * FUNCTION_ROUNDINGS + 2)) + kind.tiny
    slope = torch.clamp(ours * torch.exp(2 * error), max=1)
    cut = torch.where(value.double() + 2 * error > 19.9, math.exp(-19.8), 0.0)
    # The inner function is rounded once more than :func:`_rounded` assumes.
    return _rounded(value, error * slope, kind) + (kind.gamma(FUNCTION_ROUNDINGS) * ours + cut) * _OUTWARD


def square_root(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the square root of a non-negative number with an error of at most ``error``."""
    ours = value.double() * (1 - 2 * kind.unit)
    carried = torch.sqrt(error)  # for large arguments, error / (sqrt x + sqrt x') is tighter
    near = torch.where(ours**2 > 4 * error, 1.5 * error / ours.clamp(min=kind.tiny), carried)
    return _rounded(value, torch.minimum(near, carried), kind)


def logarithm(value: Tensor, argument: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the logarithm of ``argument``, which has an error of at most ``error``.

    The bound is infinite if the argument may be 0.
    """
    least = argument.double() - 2 * error
    return _rounded(value, torch.where(least > 0, error / least, torch.inf), kind)


def quotient(value: Tensor, a_error: Tensor, b: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the computed quotient ``value`` of a and b from the errors of a and b.

    The bound is infinite if b may be 0.
    """
    least = b.double().abs() - 2 * b_error
    size = value.double().abs() * (1 + kind.gamma(2)) + kind.tiny
    carried = (2 * a_error + 2 * (size + (a_error + size * b_error) / least) * b_error) / least
    carried = torch.where(least > 0, carried, torch.inf)
    return (carried + kind.gamma(2) * (size + carried) + kind.tiny) * _OUTWARD


def summed(size: Tensor, carried: Tensor, terms: int, kind: Format, products: bool = True) -> Tensor:
    """Bound the error of a sum of values, or of products of two values, in any order of summation.

    Args:
        size: the sum of the terms' absolute values.
        carried: the sum of the terms' errors.
        terms: the number of terms.
        kind: the floating-point format.
        products: whether the terms are products of a matrix product, which may round their factors to reduced
            precision (for example TF32).
    """
    reduced = reduction(kind) if products else 0.0
    relative = kind.gamma(terms + products) * (1 + reduced) + reduced
    return (carried + relative * (size + carried) + terms * kind.tiny) * _OUTWARD


def _rounded(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    relative = kind.gamma(FUNCTION_ROUNDINGS + 1)
    return (error + relative * (value.double().abs() + error) + kind.tiny) * _OUTWARD


def product(a: Tensor, a_error: Tensor, b: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the computed product ``a * b`` from the errors of a and b."""
    size = (a.double().abs() + a_error) * (b.double().abs() + b_error)
    carried = a.double().abs() * b_error + b.double().abs() * a_error + a_error * b_error
    return (carried + kind.gamma(2) * size + kind.tiny) * _OUTWARD


def total(value: Tensor, a_error: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """Bound the error of the computed sum or difference ``value`` of a and b from the errors of a and b."""
    carried = a_error + b_error
    return (carried + kind.gamma(2) * (value.double().abs() + carried) + kind.tiny) * _OUTWARD
