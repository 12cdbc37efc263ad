"""Triton kernels for the outputs of gated layers (:mod:`neural.scan.outputs`).

An output is tanh(c), tanh(s c), or s tanh(c) + (1 - s) x, where s is the sigmoid of the gate, and x is
``skip``.
"""

from __future__ import annotations

from neural.scan.triton_functions import constant, hyperbolic_tangent, kernel, sigmoid, tl

TANH = constant(0)
TANH_OF_PRODUCT = constant(1)
PRODUCT_WITH_TANH = constant(2)


@kernel
def output(
    states, gate, skip, outputs, number, FORM: tl.constexpr, HAS_SKIP: tl.constexpr, WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Compute the outputs of one block of ``BLOCK`` elements."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < number
    c = tl.load(states + index, mask=inside, other=0).to(WIDE)
    if FORM == TANH:
        result = hyperbolic_tangent(c)
    else:
        s = sigmoid(tl.load(gate + index, mask=inside, other=0).to(WIDE))
        if FORM == TANH_OF_PRODUCT:
            result = hyperbolic_tangent(s * c)
        else:
            result = s * hyperbolic_tangent(c)
            if HAS_SKIP:
                result = tl.fma(1.0 - s, tl.load(skip + index, mask=inside, other=0).to(WIDE), result)
    tl.store(outputs + index, result.to(outputs.dtype.element_ty), mask=inside)


@kernel
def output_backward(
    grad, states, gate, skip, to_states, to_gate, to_skip, number, FORM: tl.constexpr, HAS_SKIP: tl.constexpr,
    WIDE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Compute the gradients of states, gate and skip for one block of ``BLOCK`` elements."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < number
    g = tl.load(grad + index, mask=inside, other=0).to(WIDE)
    c = tl.load(states + index, mask=inside, other=0).to(WIDE)
    if FORM == TANH:
        h = hyperbolic_tangent(c)
        of_states = g * ((1.0 - h) * (1.0 + h))
    else:
        s = sigmoid(tl.load(gate + index, mask=inside, other=0).to(WIDE))
        slope = s * (1.0 - s)
        if FORM == TANH_OF_PRODUCT:
            h = hyperbolic_tangent(s * c)
            flow = g * ((1.0 - h) * (1.0 + h))
            of_states = flow * s
            of_gate = flow * c * slope
        else:
            h = hyperbolic_tangent(c)
            of_states = g * s * ((1.0 - h) * (1.0 + h))
            of_gate = g * h * slope
            if HAS_SKIP:
                of_gate = g * (h - tl.load(skip + index, mask=inside, other=0).to(WIDE)) * slope
                tl.store(to_skip + index, (g * (1.0 - s)).to(to_skip.dtype.element_ty), mask=inside)
        tl.store(to_gate + index, of_gate.to(to_gate.dtype.element_ty), mask=inside)
    tl.store(to_states + index, of_states.to(to_states.dtype.element_ty), mask=inside)
