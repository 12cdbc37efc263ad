"""How far two evaluations of one float formula may be apart: derived bounds for gates, for any order of summation.

A network computes its gates for a whole batch at once, and again, in other shapes, when its automata are read off; the
matrix products may then be summed in another order. These bounds say by how much the two can differ.

The one assumption is on the elementary functions: sigmoid and tanh are within 4 units in the last place, or within the
smallest normal number (a sigmoid whose exponential overflows is 0). The vector library behind torch's CPU kernels states 1
for exp and tanh, and CUDA's mathematics library 2; ``proofs_tests/neural/test_rounding.py`` measures them against ball
arithmetic.
"""

from __future__ import annotations

import torch
from torch import Tensor

from automata.rounding import FLOAT32, FLOAT64, Format

FUNCTION_ROUNDINGS = 8
"""4 units in the last place are at most 8 unit roundoffs."""

# The bounds are computed in float64 with errors far below this.
_OUTWARD = 1 + 2.0**-40
# What torch.set_float32_matmul_precision may make of float32's products: TF32 has 11 significant bits, bfloat16 has 8.
_PRODUCT_UNITS = {"highest": FLOAT32.unit, "high": 2.0**-11, "medium": 2.0**-8}


def format_of(dtype: torch.dtype) -> Format:
    """The floating-point format of a torch dtype."""
    formats = {torch.float32: FLOAT32, torch.float64: FLOAT64}
    if dtype not in formats:
        raise ValueError(f"weights are {dtype}, where torch.float32 or torch.float64 is right")
    return formats[dtype]


def affine(weight: Tensor, bias: Tensor | None, inputs: Tensor) -> Tensor:
    """A bound on the error of one evaluation of ``inputs @ weight.T + bias``, in float64, shape ``(rows, outputs)``."""
    kind = format_of(weight.dtype)
    terms = weight.shape[1] + 1
    product_unit = _PRODUCT_UNITS[torch.get_float32_matmul_precision()] if kind is FLOAT32 else kind.unit
    size = inputs.double().abs() @ weight.double().abs().T
    # Reduced precision rounds both factors of each product first; the sums are kept in the full format.
    reduced = 2 * product_unit + product_unit**2 if product_unit > kind.unit else 0.0
    if bias is not None:
        size = size + bias.double().abs()
    relative = kind.gamma(terms + 1) * (1 + reduced) + reduced
    return (size * relative + terms * kind.tiny) * _OUTWARD


def sigmoid(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the sigmoid of something that is off by ``error``; ``value`` is the computed sigmoid."""
    # Its slope is at most 1/4, and at most the value itself, which may be off too: e^error covers the way between.
    slope = torch.minimum(torch.full_like(error, 0.25), value.double() * torch.exp(error.clamp(max=1)) + kind.tiny)
    return _rounded(value, error * slope, kind)


def tanh(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of the tanh of something that is off by ``error``, whose slope is at most 1."""
    return _rounded(value, error, kind)


def _rounded(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    relative = kind.gamma(FUNCTION_ROUNDINGS + 1)
    return (error + relative * (value.double().abs() + error) + kind.tiny) * _OUTWARD


def identity(value: Tensor, error: Tensor, kind: Format) -> Tensor:
    """Nothing is computed, so nothing is added."""
    return error


def product(a: Tensor, a_error: Tensor, b: Tensor, b_error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of ``a * b`` for computed factors that are off by these errors."""
    size = (a.double().abs() + a_error) * (b.double().abs() + b_error)
    carried = a.double().abs() * b_error + b.double().abs() * a_error + a_error * b_error
    return (carried + kind.gamma(2) * size + kind.tiny) * _OUTWARD


def complement(a: Tensor, a_error: Tensor, kind: Format) -> Tensor:
    """A bound on the error of ``1 - a``."""
    return (a_error + kind.gamma(2) * ((1 - a.double()).abs() + a_error)) * _OUTWARD
