"""The recurrences' kernels in Triton: c_t = f_t c_{t-1} + u_t over a semiring, forward and backward, one pass
over memory, for all lanes of a chunk of steps.

Arrays are ``(T, N)``, a row a step. A program takes ``BLOCK`` lanes of one chunk of ``chunk`` steps: it is
told what is carried into the chunk (arrays ``(chunks, N)``), or, where ``SUMMARY`` is set, computes what the
chunk does to that: a factor and a summand. With one chunk of T steps that is the serial form. Loads of the
next ``STAGES`` steps are under way while a step is computed. Sums and functions are those of ``kernels.cpp``.
"""

# Triton decides an ``if`` on a constant when it compiles; the conditional expressions it always computes.
# ruff: noqa: SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # nothing calls these functions then
    triton = tl = None


def _constant(value: int) -> Any:
    return value if tl is None else tl.constexpr(value)


def _kernel(function: Callable[..., Any]) -> Any:
    return function if triton is None else triton.jit(function)


REAL = _constant(0)
MAX_PLUS = _constant(1)
LOG = _constant(2)
GATED = _constant(3)  # over the reals, with f = sigmoid(first) and u = (1 - f) second


@_kernel
def _exponential(x):
    """exp(x) for x <= 0, within 2 units in the last place, and 0 where that is no normal number; NaN of
    NaN.
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
        total = total * r + 1.0
        total = total * r + 1.0
        whole = tl.where(n == n, n, 0.0).to(tl.int64)
        power = ((whole + 1023) << 52).to(tl.float64, bitcast=True)
        result = tl.where(x < -708.3964, 0.0, total * power)
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
        total = total * r + 1.0
        total = total * r + 1.0
        whole = tl.where(n == n, n, 0.0).to(tl.int32)
        power = ((whole + 127) << 23).to(tl.float32, bitcast=True)
        result = tl.where(x < -87.3365, 0.0, total * power)
    return result


@_kernel
def _quotient(a, b):
    """a / b, rounded once."""
    if a.dtype == tl.float64:
        result = a / b
    else:
        result = tl.div_rn(a, b)
    return result


@_kernel
def _logarithm(x):
    """log(1 + x) for 0 <= x <= 1: 2 artanh(s) with s = x / (2 + x) <= 1/3; in float32 x times the nearest
    polynomial of degree 8.
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


@_kernel
def _sigmoid(x):
    e = _exponential(tl.where(x < 0, x, -x))
    return _quotient(tl.where(x < 0, e, 1.0), 1.0 + e)


@_kernel
def _gates(a, b, KIND: tl.constexpr):
    """f and u of what is read at a step."""
    if KIND == GATED:
        f = _sigmoid(a)
        u = (1.0 - f) * b
    else:
        f = a
        u = b
    return f, u


@_kernel
def _step(f, before, u, KIND: tl.constexpr):
    if KIND == MAX_PLUS:
        carried = f + before
        result = tl.where((carried > u) | (carried != carried), carried, u)
    elif KIND == LOG:
        carried = f + before
        first = (carried > u) | (carried != carried)
        larger = tl.where(first, carried, u)
        smaller = tl.where(first, u, carried)
        total = larger + _logarithm(_exponential(smaller - larger))
        result = tl.where((larger == float("-inf")) | (larger == float("inf")), larger, total)
    else:
        result = tl.fma(f, before, u)
    return result


@_kernel
def _share(f, before, u, after, KIND: tl.constexpr):
    """dc_t / dc_{t-1}."""
    if KIND == MAX_PLUS:
        carried = f + before
        result = tl.where(carried == u, 0.5, tl.where(carried > u, 1.0, 0.0)).to(f.dtype)
    elif KIND == LOG:
        carried = f + before
        part = _exponential(tl.where(carried < after, carried - after, 0.0))
        result = tl.where(carried == u, 0.5, part)
    else:
        result = f
    return result


@_kernel
def forward(
    first,
    second,
    starts,
    states,
    factors,
    only,
    steps,
    chunk,
    lanes,
    KIND: tl.constexpr,
    SUMMARY: tl.constexpr,
    SOME: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """All states of a chunk, from ``starts``; or, as ``SUMMARY``, the state at its end from zero in
    ``states`` and the product of its factors in ``factors``. With ``SOME`` only lanes that ``only`` names.
    """
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.program_id(1)
    inside = lane < lanes
    count = tl.minimum(chunk, steps - number * chunk)
    if SOME:
        inside = inside & (tl.load(only + lane, mask=inside, other=0) != 0)
        count = tl.where(tl.max(inside.to(tl.int32), axis=0) > 0, count, 0)
    edge = number.to(tl.int64) * lanes + lane
    row = number.to(tl.int64) * chunk * lanes + lane
    if SUMMARY:
        if (KIND == MAX_PLUS) | (KIND == LOG):
            c = tl.full((BLOCK,), float("-inf"), WIDE)
            product = tl.zeros((BLOCK,), WIDE)
        else:
            c = tl.zeros((BLOCK,), WIDE)
            product = tl.full((BLOCK,), 1.0, WIDE)
    else:
        c = tl.load(starts + edge, mask=inside, other=0).to(WIDE)
    for _ in tl.range(0, count, num_stages=STAGES):
        a = tl.load(first + row, mask=inside, other=0).to(WIDE)
        b = tl.load(second + row, mask=inside, other=0).to(WIDE)
        f, u = _gates(a, b, KIND)
        c = _step(f, c, u, KIND)
        if SUMMARY:
            if (KIND == MAX_PLUS) | (KIND == LOG):
                product = product + f
            else:
                product = product * f
        else:
            tl.store(states + row, c.to(states.dtype.element_ty), mask=inside)
        row += lanes
    if SUMMARY:
        tl.store(states + edge, c, mask=inside)
        tl.store(factors + edge, product, mask=inside)


@_kernel
def backward(
    grad,
    first,
    second,
    states,
    start,
    flows,
    to_first,
    to_second,
    sums,
    factors,
    only,
    steps,
    chunk,
    lanes,
    KIND: tl.constexpr,
    SUMMARY: tl.constexpr,
    SOME: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """The gradients of a chunk, from ``flows``, what flows into its last state from behind it; what flows
    out of its first step goes to ``sums``. As ``SUMMARY`` that alone, of no flow from behind, and the product
    of the shares in ``factors``.

    g_t = grad_t + s_{t+1} g_{t+1} flows into c_t, where s_t = dc_t / dc_{t-1}; over the reals s = f, df = g
    c_{t-1}, du = g; else df = g s, du = g (1 - s).
    """
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.program_id(1)
    inside = lane < lanes
    count = tl.minimum(chunk, steps - number * chunk)
    last = number * chunk + count - 1
    if SOME:
        inside = inside & (tl.load(only + lane, mask=inside, other=0) != 0)
        count = tl.where(tl.max(inside.to(tl.int32), axis=0) > 0, count, 0)
    edge = number.to(tl.int64) * lanes + lane
    row = last.to(tl.int64) * lanes + lane
    begin = tl.load(start + lane, mask=inside, other=0).to(WIDE)
    product = tl.full((BLOCK,), 1.0, WIDE)
    if SUMMARY:
        after = tl.zeros((BLOCK,), WIDE)
    else:
        after = tl.load(flows + edge, mask=inside, other=0).to(WIDE)
    for _ in tl.range(0, count, num_stages=STAGES):
        later = row >= lanes  # not the first step
        old = tl.load(states + row - lanes, mask=inside & later, other=0).to(WIDE)
        old = tl.where(later, old, begin)
        a = tl.load(first + row, mask=inside, other=0).to(WIDE)
        b = tl.load(second + row, mask=inside, other=0).to(WIDE)
        c = tl.load(states + row, mask=inside, other=0).to(WIDE)
        flow = tl.load(grad + row, mask=inside, other=0).to(WIDE) + after
        f, u = _gates(a, b, KIND)
        share = _share(f, old, u, c, KIND)
        if SUMMARY:
            product = product * share
        else:
            if KIND == GATED:
                of_first = flow * (old - b) * (f * (1.0 - f))
                of_second = flow * (1.0 - f)
            elif KIND == REAL:
                of_first = flow * old
                of_second = flow
            else:
                of_first = flow * share
                of_second = flow * (1.0 - share)
            tl.store(to_first + row, of_first.to(to_first.dtype.element_ty), mask=inside)
            tl.store(to_second + row, of_second.to(to_second.dtype.element_ty), mask=inside)
        after = share * flow
        row -= lanes
    tl.store(sums + edge, after.to(sums.dtype.element_ty), mask=inside)
    if SUMMARY:
        tl.store(factors + edge, product, mask=inside)


@_kernel
def pair_forward(
    gate_1,
    update_1,
    gate_2,
    update_2,
    start_1,
    start_2,
    skip,
    states_1,
    states_2,
    steps,
    lanes,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Two gated recurrences, of which the second is fed by the first: c2_t = f2 c2_{t-1} + (c1_{t-1} + r)
    (1 - f2) z2_t.
    """
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < lanes
    c1 = tl.load(start_1 + lane, mask=inside, other=0).to(WIDE)
    c2 = tl.load(start_2 + lane, mask=inside, other=0).to(WIDE)
    r = tl.load(skip + lane, mask=inside, other=0).to(WIDE)
    row = lane.to(tl.int64)
    for _ in tl.range(0, steps, num_stages=STAGES):
        f1 = _sigmoid(tl.load(gate_1 + row, mask=inside, other=0).to(WIDE))
        f2 = _sigmoid(tl.load(gate_2 + row, mask=inside, other=0).to(WIDE))
        z1 = tl.load(update_1 + row, mask=inside, other=0).to(WIDE)
        z2 = tl.load(update_2 + row, mask=inside, other=0).to(WIDE)
        c2 = tl.fma(f2, c2, (c1 + r) * ((1.0 - f2) * z2))
        c1 = tl.fma(f1, c1, (1.0 - f1) * z1)
        tl.store(states_1 + row, c1.to(states_1.dtype.element_ty), mask=inside)
        tl.store(states_2 + row, c2.to(states_2.dtype.element_ty), mask=inside)
        row += lanes


@_kernel
def pair_backward(
    grad_1,
    grad_2,
    gate_1,
    update_1,
    gate_2,
    update_2,
    states_1,
    states_2,
    start_1,
    start_2,
    skip,
    to_gate_1,
    to_update_1,
    to_gate_2,
    to_update_2,
    to_start_1,
    to_start_2,
    to_skip,
    steps,
    lanes,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """The gradients of ``pair_forward``'s arguments."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < lanes
    begin_1 = tl.load(start_1 + lane, mask=inside, other=0).to(WIDE)
    begin_2 = tl.load(start_2 + lane, mask=inside, other=0).to(WIDE)
    r = tl.load(skip + lane, mask=inside, other=0).to(WIDE)
    after_1 = tl.zeros((BLOCK,), WIDE)
    after_2 = tl.zeros((BLOCK,), WIDE)
    of_skip = tl.zeros((BLOCK,), WIDE)
    row = lane + (lane * 0 + steps - 1).to(tl.int64) * lanes
    for _ in tl.range(0, steps, num_stages=STAGES):
        later = row >= lanes
        old_1 = tl.load(states_1 + row - lanes, mask=inside & later, other=0).to(WIDE)
        old_2 = tl.load(states_2 + row - lanes, mask=inside & later, other=0).to(WIDE)
        old_1 = tl.where(later, old_1, begin_1)
        old_2 = tl.where(later, old_2, begin_2)
        f1 = _sigmoid(tl.load(gate_1 + row, mask=inside, other=0).to(WIDE))
        f2 = _sigmoid(tl.load(gate_2 + row, mask=inside, other=0).to(WIDE))
        z1 = tl.load(update_1 + row, mask=inside, other=0).to(WIDE)
        z2 = tl.load(update_2 + row, mask=inside, other=0).to(WIDE)
        flow_1 = tl.load(grad_1 + row, mask=inside, other=0).to(WIDE) + after_1
        flow_2 = tl.load(grad_2 + row, mask=inside, other=0).to(WIDE) + after_2
        fed = old_1 + r
        to_fed = flow_2 * ((1.0 - f2) * z2)
        of_gate_1 = flow_1 * (old_1 - z1) * (f1 * (1.0 - f1))
        of_gate_2 = flow_2 * (old_2 - fed * z2) * (f2 * (1.0 - f2))
        of_update_1 = flow_1 * (1.0 - f1)
        of_update_2 = flow_2 * fed * (1.0 - f2)
        tl.store(to_gate_1 + row, of_gate_1.to(to_gate_1.dtype.element_ty), mask=inside)
        tl.store(to_update_1 + row, of_update_1.to(to_update_1.dtype.element_ty), mask=inside)
        tl.store(to_gate_2 + row, of_gate_2.to(to_gate_2.dtype.element_ty), mask=inside)
        tl.store(to_update_2 + row, of_update_2.to(to_update_2.dtype.element_ty), mask=inside)
        after_1 = tl.fma(f1, flow_1, to_fed)
        after_2 = f2 * flow_2
        of_skip += to_fed
        row -= lanes
    tl.store(to_start_1 + lane, after_1.to(to_start_1.dtype.element_ty), mask=inside)
    tl.store(to_start_2 + lane, after_2.to(to_start_2.dtype.element_ty), mask=inside)
    tl.store(to_skip + lane, of_skip.to(to_skip.dtype.element_ty), mask=inside)
