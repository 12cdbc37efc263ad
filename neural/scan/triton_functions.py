"""Elementwise functions for Triton kernels, with the algorithms of ``kernels.cpp``."""

# Triton evaluates an ``if`` on a constant at compile time, but always computes conditional expressions.
# ruff: noqa: SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # without Triton, these functions are not called
    triton = tl = None


__all__ = [
    "constant",
    "exponential",
    "hyperbolic_tangent",
    "kernel",
    "logarithm",
    "quotient",
    "sigmoid",
    "tl",
]
COUNTS = ["steps", "chunk", "strings"]
"""Arguments that Triton does not specialise for the value 1 or for multiples of 16."""


def constant(value: int) -> Any:
    """Return ``value`` as a Triton constant if Triton is installed, so that kernels may use it."""
    return value if tl is None else tl.constexpr(value)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile the function with Triton if it is installed."""
    return function if triton is None else triton.jit(function, do_not_specialize=COUNTS)


@kernel
def _reduced(x):
    """Decompose x <= 0 as n log 2 + r with an integer n, and return 2^n, r and (exp(r) - 1 - r) / r^2.

    A very small x is first replaced by a larger number, so that 2^n is a normal number.
    """
    if x.dtype == tl.float64:
        bounded = tl.where(x < -708.3964, -708.3964, x)
        n = tl.floor(bounded * 1.4426950408889634 + 0.5)
        r = tl.fma(n, tl.full(n.shape, -0.69314718036912382, tl.float64), bounded)
        r = tl.fma(n, tl.full(n.shape, -1.9082149292705877e-10, tl.float64), r)
        total = tl.full(n.shape, 1.0 / 6227020800, tl.float64)
        total = total * r + 1.0 / 479001600
        total = total * r + 1.0 / 39916800
        total = total * r + 1.0 / 3628800
        total = total * r + 1.0 / 362880
        total = total * r + 1.0 / 40320
        total = total * r + 1.0 / 5040
        total = total * r + 1.0 / 720
        total = total * r + 1.0 / 120
        total = total * r + 1.0 / 24
        total = total * r + 1.0 / 6
        total = total * r + 0.5
        exponent = tl.where(n == n, n, 0.0).to(tl.int64)
        power = ((exponent + 1023) << 52).to(tl.float64, bitcast=True)
    else:
        bounded = tl.where(x < -87.3365, -87.3365, x)
        n = tl.floor(bounded * 1.44269504 + 0.5)
        r = tl.fma(n, tl.full(n.shape, -0.693145752, tl.float32), bounded)
        r = tl.fma(n, tl.full(n.shape, -1.42860677e-6, tl.float32), r)
        total = tl.full(n.shape, 1.0 / 5040, tl.float32)
        total = total * r + 1.0 / 720
        total = total * r + 1.0 / 120
        total = total * r + 1.0 / 24
        total = total * r + 1.0 / 6
        total = total * r + 0.5
        exponent = tl.where(n == n, n, 0.0).to(tl.int32)
        power = ((exponent + 127) << 23).to(tl.float32, bitcast=True)
    return power, r, total


@kernel
def exponential(x):
    """Return exp(x) for x <= 0 with an error of at most 2 ulp.

    A result that would be subnormal is 0. The result for NaN is NaN.
    """
    power, r, total = _reduced(x)
    least = -708.3964 if x.dtype == tl.float64 else -87.3365
    return tl.where(x < least, 0.0, power * ((total * r + 1.0) * r + 1.0))


@kernel
def hyperbolic_tangent(x):
    """Return tanh(x) with an error of at most 3 ulp; tanh(NaN) is NaN.

    For y = -2 |x|, exp(y) - 1 is 2^n (exp(r) - 1) + (2^n - 1). Near 0, n is 0, so no digits cancel.
    """
    power, r, total = _reduced(-2.0 * tl.abs(x))
    less = power * (r * r * total + r) + (power - 1.0)
    size = quotient(-less, 2.0 + less)
    return tl.where(x < 0, -size, tl.where(x == 0, x, size))


@kernel
def quotient(a, b):
    """Return a / b, correctly rounded."""
    if a.dtype == tl.float64:
        result = a / b
    else:
        result = tl.div_rn(a, b)
    return result


@kernel
def logarithm(x):
    """Return log(1 + x) for 0 <= x <= 1.

    In float64, the result is computed as 2 artanh(s) with s = x / (2 + x) <= 1/3. In float32, it is x times
    the minimax polynomial of degree 8.
    """
    if x.dtype == tl.float64:
        s = x / (2.0 + x)
        square = s * s
        total = tl.full(x.shape, 1.0 / 33, tl.float64)
        for i in tl.static_range(16):
            total = total * square + 1.0 / (31 - 2 * i)
        result = 2.0 * s * total
    else:
        total = tl.full(x.shape, 0.005232695, tl.float32)
        total = total * x - 0.02950524
        total = total * x + 0.078225955
        total = total * x - 0.13663246
        total = total * x + 0.19106007
        total = total * x - 0.24842982
        total = total * x + 0.33319098
        total = total * x - 0.49999493
        total = total * x + 0.99999994
        result = x * total
    return result


@kernel
def sigmoid(x):
    e = exponential(tl.where(x < 0, x, -x))
    return quotient(tl.where(x < 0, e, 1.0), 1.0 + e)
