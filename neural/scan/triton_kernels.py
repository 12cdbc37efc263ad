"""Triton kernels for c_t = f_t c_{t-1} + u_t over a semiring, forward and backward.

Each kernel makes one pass over memory for all lanes of a chunk of steps. Arrays have shape ``(T, N)``, one
row per step and one column per lane. A program processes ``BLOCK`` lanes of one chunk of ``chunk`` steps, in
one of the forms ``WHOLE``, ``SUMMARY``, ``CHUNKS`` and ``MARKED``. The initial states of chunks are arrays
with one row per chunk. Loads of the next ``STAGES`` steps are in flight while a step is computed. Sums and
functions are computed as in ``kernels.cpp`` (:mod:`neural.scan.triton_functions`).
"""

# Triton evaluates an ``if`` on a constant at compile time, but always computes conditional expressions.
# ruff: noqa: SIM108

from __future__ import annotations

from neural.scan.triton_functions import constant, exponential, kernel, logarithm, quotient, sigmoid, tl

REAL = constant(0)
MAX_PLUS = constant(1)
LOG = constant(2)
GATED = constant(3)  # over the reals, with f = sigmoid(first) and u = (1 - f) second

WHOLE = constant(0)  # all steps are one chunk
SUMMARY = constant(1)  # the affine function from a chunk's initial to its last state: a factor and a summand
CHUNKS = constant(2)  # a chunk from its initial state; lanes whose summary overflowed are marked
MARKED = constant(3)  # all steps of the marked lanes


@kernel
def _lanes_and_chunk(lanes, BLOCK: tl.constexpr):
    """Return the indices of this program's lanes and of its chunk, as 64-bit integers.

    Indices into an array of 8 GB do not fit into 32 bits. The grid has one axis because CUDA limits the other
    axes to 65,535 blocks.
    """
    blocks = tl.cdiv(lanes, BLOCK)
    program = tl.program_id(0)
    lane = (program % blocks).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    return lane, (program // blocks).to(tl.int64)


@kernel
def _gates(a, b, KIND: tl.constexpr):
    """Return f and u of c_t = f c_{t-1} + u from the loaded values ``a`` and ``b``.

    For gated recurrences, f is sigmoid(a) and u is (1 - f) b. Otherwise, f is a and u is b.
    """
    if KIND == GATED:
        f = sigmoid(a)
        u = (1.0 - f) * b
    else:
        f = a
        u = b
    return f, u


@kernel
def _step(f, before, u, KIND: tl.constexpr):
    if KIND == MAX_PLUS:
        carried = f + before
        result = tl.where((carried > u) | (carried != carried), carried, u)
    elif KIND == LOG:
        carried = f + before
        first = (carried > u) | (carried != carried)
        larger = tl.where(first, carried, u)
        smaller = tl.where(first, u, carried)
        total = larger + logarithm(exponential(smaller - larger))
        result = tl.where((larger == float("-inf")) | (larger == float("inf")), larger, total)
    else:
        result = tl.fma(f, before, u)
    return result


@kernel
def _shares(f, before, u, KIND: tl.constexpr):
    """Return the derivatives dc_t / dc_{t-1} and dc_t / du_t, where ``before`` is c_{t-1}."""
    if KIND == MAX_PLUS:
        carried = f + before
        share = tl.where(carried == u, 0.5, tl.where(carried > u, 1.0, 0.0)).to(f.dtype)
        rest = 1.0 - share
    elif KIND == LOG:
        carried = f + before
        difference = tl.where(carried == u, 0.0, carried - u)
        e = exponential(tl.where(difference < 0, difference, -difference))
        lesser = quotient(e, 1.0 + e)
        greater = quotient(tl.full(e.shape, 1.0, e.dtype), 1.0 + e)
        share = tl.where(difference < 0, lesser, greater)
        rest = tl.where(difference < 0, greater, lesser)
    else:
        share = f
        rest = tl.full(f.shape, 1.0, f.dtype)
    return share, rest


@kernel
def _part(flow, share, KIND: tl.constexpr):
    """Return the gradient of one of the two terms that the semiring adds to a state.

    ``flow`` is the gradient of the state, and ``share`` is the derivative of the state with respect to the
    term. The smaller term of a maximum has the gradient zero, even if ``flow`` is infinite.
    """
    if KIND == MAX_PLUS:
        result = tl.where(share == 0.0, 0.0, flow * share)
    else:
        result = flow * share
    return result


@kernel
def _overflowed(carried, KIND: tl.constexpr):
    """Return whether the state that was computed from the summaries of the earlier chunks overflowed.

    Over max-plus and log, -infinity is a valid state.
    """
    size = carried if (KIND == MAX_PLUS) | (KIND == LOG) else tl.abs(carried)
    return (size == float("inf")) | (size != size)


@kernel
def forward(
    first,
    second,
    start,
    ends,
    states,
    factors,
    marks,
    steps,
    chunk,
    lanes,
    KIND: tl.constexpr,
    FORM: tl.constexpr,
    STAGES: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Compute all states of a chunk from ``start``, or from the last state of the previous chunk in ``ends``.

    In the form ``SUMMARY``, start from the semiring's zero instead. Store only the chunk's last state in
    ``states``, and the product of the factors f_t of its steps in ``factors``.
    """
    lane, number = _lanes_and_chunk(lanes, BLOCK)
    inside = lane < lanes
    count = tl.minimum(chunk, steps - number * chunk).to(tl.int32)
    if FORM == MARKED:
        inside = inside & (tl.load(marks + lane, mask=inside, other=0) != 0)
        count = tl.where(tl.max(inside.to(tl.int32), axis=0) > 0, count, 0)
    edge = number * lanes + lane
    row = number * chunk * lanes + lane
    if FORM == SUMMARY:
        if (KIND == MAX_PLUS) | (KIND == LOG):
            c = tl.full((BLOCK,), float("-inf"), WIDE)
            product = tl.zeros((BLOCK,), WIDE)
        else:
            c = tl.zeros((BLOCK,), WIDE)
            product = tl.full((BLOCK,), 1.0, WIDE)
    else:
        c = tl.load(start + lane, mask=inside, other=0).to(WIDE)
    if FORM == CHUNKS:
        later = inside & (edge >= lanes)  # not the first chunk
        c = tl.where(later, tl.load(ends + edge - lanes, mask=later, other=0).to(WIDE), c)
        tl.store(marks + lane, 1, mask=later & _overflowed(c, KIND))
    for _ in tl.range(0, count, num_stages=STAGES):
        a = tl.load(first + row, mask=inside, other=0).to(WIDE)
        b = tl.load(second + row, mask=inside, other=0).to(WIDE)
        f, u = _gates(a, b, KIND)
        c = _step(f, c, u, KIND)
        if FORM == SUMMARY:
            if (KIND == MAX_PLUS) | (KIND == LOG):
                total = product + f
                # -infinity is a valid factor, but NaN makes CHUNKS mark the lane
                finite = (product != float("-inf")) & (f != float("-inf"))
                product = tl.where((total == float("-inf")) & finite, float("nan"), total)
            else:
                product = product * f
        else:
            tl.store(states + row, c.to(states.dtype.element_ty), mask=inside)
        row += lanes
    if FORM == SUMMARY:
        tl.store(states + edge, c, mask=inside)
        tl.store(factors + edge, product, mask=inside)


@kernel
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
    marks,
    steps,
    chunk,
    lanes,
    KIND: tl.constexpr,
    FORM: tl.constexpr,
    STAGES: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Compute the gradients of the arguments of ``forward`` for one chunk.

    The gradient of c_t is g_t = grad_t + s_{t+1} g_{t+1} with s_t = dc_t / dc_{t-1}. Over the reals, s is f,
    and the gradients of f_t and u_t are g_t c_{t-1} and g_t. Over other semirings, they are g_t s_t and
    g_t dc_t / du_t.

    ``flows`` contains the gradient that the next chunk passes to this chunk's last state. The gradient that
    this chunk passes to the previous chunk is stored in ``sums``. In the form ``SUMMARY``, compute only the
    gradient in ``sums``, as if ``flows`` were zero, and store the product of all s_t in ``factors``.
    """
    lane, number = _lanes_and_chunk(lanes, BLOCK)
    inside = lane < lanes
    count = tl.minimum(chunk, steps - number * chunk).to(tl.int32)
    last = number * chunk + count - 1
    if FORM == MARKED:
        inside = inside & (tl.load(marks + lane, mask=inside, other=0) != 0)
        count = tl.where(tl.max(inside.to(tl.int32), axis=0) > 0, count, 0)
    edge = number * lanes + lane
    row = last * lanes + lane
    begin = tl.load(start + lane, mask=inside, other=0).to(WIDE)
    product = tl.full((BLOCK,), 1.0, WIDE)
    after = tl.zeros((BLOCK,), WIDE)
    if FORM == CHUNKS:
        sooner = inside & (lane * 0 + last < steps - 1)  # not the last chunk
        after = tl.load(flows + edge, mask=sooner, other=0).to(WIDE)
        tl.store(marks + lane, 1, mask=sooner & _overflowed(after, REAL))
    for _ in tl.range(0, count, num_stages=STAGES):
        later = row >= lanes  # not the first step
        old = tl.load(states + row - lanes, mask=inside & later, other=0).to(WIDE)
        old = tl.where(later, old, begin)
        a = tl.load(first + row, mask=inside, other=0).to(WIDE)
        b = tl.load(second + row, mask=inside, other=0).to(WIDE)
        flow = tl.load(grad + row, mask=inside, other=0).to(WIDE) + after
        f, u = _gates(a, b, KIND)
        share, rest = _shares(f, old, u, KIND)
        if FORM == SUMMARY:
            product = product * share
        else:
            if KIND == GATED:
                of_first = flow * (old - b) * (f * (1.0 - f))
                of_second = flow * (1.0 - f)
            elif KIND == REAL:
                of_first = flow * old
                of_second = flow
            else:
                of_first = _part(flow, share, KIND)
                of_second = _part(flow, rest, KIND)
            tl.store(to_first + row, of_first.to(to_first.dtype.element_ty), mask=inside)
            tl.store(to_second + row, of_second.to(to_second.dtype.element_ty), mask=inside)
        after = _part(flow, share, KIND)
        row -= lanes
    tl.store(sums + edge, after.to(sums.dtype.element_ty), mask=inside)
    if FORM == SUMMARY:
        tl.store(factors + edge, product, mask=inside)


@kernel
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
    STAGES: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Compute two gated recurrences, the second of which reads the states of the first.

    They are c1_t = f1 c1_{t-1} + (1 - f1) z1_t and c2_t = f2 c2_{t-1} + (c1_{t-1} + r) (1 - f2) z2_t, where z
    is an update and r is ``skip``.
    """
    lane, _ = _lanes_and_chunk(lanes, BLOCK)
    inside = lane < lanes
    c1 = tl.load(start_1 + lane, mask=inside, other=0).to(WIDE)
    c2 = tl.load(start_2 + lane, mask=inside, other=0).to(WIDE)
    r = tl.load(skip + lane, mask=inside, other=0).to(WIDE)
    row = lane
    for _ in tl.range(0, steps, num_stages=STAGES):
        f1 = sigmoid(tl.load(gate_1 + row, mask=inside, other=0).to(WIDE))
        f2 = sigmoid(tl.load(gate_2 + row, mask=inside, other=0).to(WIDE))
        z1 = tl.load(update_1 + row, mask=inside, other=0).to(WIDE)
        z2 = tl.load(update_2 + row, mask=inside, other=0).to(WIDE)
        c2 = tl.fma(f2, c2, (c1 + r) * ((1.0 - f2) * z2))
        c1 = tl.fma(f1, c1, (1.0 - f1) * z1)
        tl.store(states_1 + row, c1.to(states_1.dtype.element_ty), mask=inside)
        tl.store(states_2 + row, c2.to(states_2.dtype.element_ty), mask=inside)
        row += lanes


@kernel
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
    STAGES: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Compute the gradients of the arguments of ``pair_forward``."""
    lane, _ = _lanes_and_chunk(lanes, BLOCK)
    inside = lane < lanes
    begin_1 = tl.load(start_1 + lane, mask=inside, other=0).to(WIDE)
    begin_2 = tl.load(start_2 + lane, mask=inside, other=0).to(WIDE)
    r = tl.load(skip + lane, mask=inside, other=0).to(WIDE)
    after_1 = tl.zeros((BLOCK,), WIDE)
    after_2 = tl.zeros((BLOCK,), WIDE)
    of_skip = tl.zeros((BLOCK,), WIDE)
    row = lane + (lane * 0 + steps - 1) * lanes
    for _ in tl.range(0, steps, num_stages=STAGES):
        later = row >= lanes
        old_1 = tl.load(states_1 + row - lanes, mask=inside & later, other=0).to(WIDE)
        old_2 = tl.load(states_2 + row - lanes, mask=inside & later, other=0).to(WIDE)
        old_1 = tl.where(later, old_1, begin_1)
        old_2 = tl.where(later, old_2, begin_2)
        f1 = sigmoid(tl.load(gate_1 + row, mask=inside, other=0).to(WIDE))
        f2 = sigmoid(tl.load(gate_2 + row, mask=inside, other=0).to(WIDE))
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
