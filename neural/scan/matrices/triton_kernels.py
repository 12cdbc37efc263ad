"""Triton kernels for h_t = h_{t-1} M[x_t] + o_t over a semiring.

A program processes all steps of one sequence, and keeps the state in registers. It loads the matrix of a step
in tiles of ``COLUMNS`` complete columns (forward) or ``ROWS`` complete rows (backward). Each tile therefore
determines some entries of the next state completely, even for the log semiring. The forward kernel has one
loop over the tiles of all steps, which loads the next tiles while it computes a tile. Vectors are padded with
the semiring's zero to ``STATES`` entries, a power of two. Matrices are padded so that this padding is
preserved.

The derivatives are those of ``kernels.cpp``. The backward kernel stores the gradients of the states, divided
by the number of equal terms of a maximum. A second kernel computes the gradients of the matrices as sums in a
fixed order. The results of two runs are therefore bitwise identical, unlike with atomic additions.
"""

# Triton evaluates an ``if`` on a constant at compile time, but always computes conditional expressions.
# ruff: noqa: SIM108

from __future__ import annotations

from neural.scan.triton_functions import constant, exponential, kernel, quotient, tl

REAL = constant(0)
MAX_PLUS = constant(1)
MAX_TIMES = constant(2)
LOG = constant(3)


@kernel
def _zero(KIND: tl.constexpr):
    """Return the semiring's zero: 0 over the reals, otherwise -infinity."""
    if KIND == REAL:
        result = 0.0
    else:
        result = float("-inf")
    return result


@kernel
def _tile(matrix, row, column, n, KIND: tl.constexpr, WIDE: tl.constexpr):
    """Load a tile of a matrix.

    The entries outside the matrix are such that a product with a padded vector is padded with the semiring's
    zero again.
    """
    inside = (row < n)[:, None] & (column < n)[None, :]
    if KIND == MAX_TIMES:
        other = 1.0
    else:
        other = 0.0
    return tl.load(matrix + row[:, None] * n + column[None, :], mask=inside, other=other).to(WIDE)


@kernel
def _counted(number):
    """Convert a loop counter, which is a Python integer in Triton's interpreter, to a Triton value."""
    return tl.program_id(0) * 0 + number


@kernel
def _product(h, m, KIND: tl.constexpr):
    if (KIND == REAL) | (KIND == MAX_TIMES):
        result = h * m
    else:
        result = h + m
    return result


@kernel
def _largest(terms, WIDE: tl.constexpr):
    """Return the maximum of each column, or NaN if the column contains NaN."""
    wrong = terms != terms
    largest = tl.max(tl.where(wrong, float("-inf"), terms), axis=0)
    return tl.where(tl.max(wrong.to(tl.int32), axis=0) > 0, float("nan"), largest).to(WIDE)


@kernel
def _total(terms, offset, KIND: tl.constexpr, ADDED: tl.constexpr, WIDE: tl.constexpr):
    """Return the semiring's sum of each column, to which the offset is added if ``ADDED``."""
    if KIND == REAL:
        result = tl.sum(terms, axis=0)
        if ADDED:
            result += offset
    else:
        result = _largest(terms, WIDE)
        if ADDED:
            result = tl.where((offset > result) | (offset != offset), offset, result)
        if KIND == LOG:
            shift = tl.where(result == float("-inf"), 0.0, result)
            total = tl.sum(exponential(terms - shift[None, :]), axis=0)
            if ADDED:
                total += exponential(offset - shift)
            # the total is at least 1 if the result is finite
            logarithm = tl.log(tl.where(total >= 1.0, total, 1.0))
            infinite = (result == float("-inf")) | (result == float("inf"))
            result = tl.where(infinite, result, result + logarithm)
    return result


@kernel
def _share(term, after):
    """Return exp(term - after), the derivative of a log-sum ``after`` with respect to one of its terms.

    If all terms are -infinity, the derivative is 0.
    """
    part = exponential(tl.where(term < after, term - after, 0.0))
    return tl.where(after == float("-inf"), 0.0, part)


@kernel
def _part_of_state(h, m, after, w, KIND: tl.constexpr):
    """Return the part of the gradient of h that passes through the term h times m of a state.

    ``after`` is the value of the state, and w is its gradient.
    """
    if KIND == REAL:
        result = m * w
    elif KIND == LOG:
        result = _share(h + m, after) * w
    elif KIND == MAX_TIMES:
        result = tl.where(h * m == after, w * m, 0.0)
    else:
        result = tl.where(h + m == after, w, 0.0)
    return result


@kernel
def _part_of_matrix(h, m, after, w, KIND: tl.constexpr):
    """Return the part of the gradient of m that passes through the term h times m of a state.

    ``after`` is the value of the state, and w is its gradient.
    """
    if KIND == REAL:
        result = h * w
    elif KIND == MAX_TIMES:
        result = tl.where(h * m == after, w * h, 0.0)
    else:
        result = _part_of_state(h, m, after, w, KIND)
    return result


@kernel
def _state_before(states, start, position, strings, unit, n, WIDE: tl.constexpr):
    """Load some units of the state before a position, which is ``start`` before the first step."""
    later = position >= strings
    old = tl.load(states + (position - strings) * n + unit, mask=unit < tl.where(later, n, 0), other=0)
    begin = tl.load(start + position * n + unit, mask=unit < tl.where(later, 0, n), other=0)
    return tl.where(later, old.to(WIDE), begin.to(WIDE))


@kernel
def forward(
    matrices,
    symbols,
    start,
    offsets,
    states,
    steps,
    strings,
    n,
    KIND: tl.constexpr,
    ADDED: tl.constexpr,
    WIDE: tl.constexpr,
    STATES: tl.constexpr,
    COLUMNS: tl.constexpr,
    TILES: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Compute all states of one sequence, which must have at least one step."""
    string = tl.program_id(0).to(tl.int64)
    row = tl.arange(0, STATES)
    block = tl.arange(0, STATES // COLUMNS)[:, None]
    h = tl.load(start + string * n + row, mask=row < n, other=_zero(KIND)).to(WIDE)
    fresh = tl.full((STATES // COLUMNS, COLUMNS), _zero(KIND), WIDE)
    symbol = tl.load(symbols + string)
    for number in tl.range(0, steps * TILES, num_stages=STAGES):
        k = _counted(number)
        tile = k % TILES
        position = (k // TILES).to(tl.int64) * strings + string
        column = tile * COLUMNS + tl.arange(0, COLUMNS)
        inside = column < n
        m = _tile(matrices + symbol * n * n, row, column, n, KIND, WIDE)
        # prefetch the symbol of the next tile
        following = ((k + 1) // TILES).to(tl.int64)
        symbol = tl.load(symbols + following * strings + string, mask=following < steps, other=0)
        offset = tl.zeros((COLUMNS,), WIDE)
        if ADDED:
            offset = tl.load(offsets + position * n + column, mask=inside, other=0).to(WIDE)
        after = _total(_product(h[:, None], m, KIND), offset, KIND, ADDED, WIDE)
        tl.store(states + position * n + column, after, mask=inside)
        after = tl.where(inside, after, _zero(KIND))
        if COLUMNS == STATES:
            h = after
        else:
            fresh = tl.where(block == tile, after[None, :], fresh)
            h = tl.where(tile == TILES - 1, tl.reshape(fresh, (STATES,)), h)


@kernel
def backward(
    grad,
    matrices,
    symbols,
    states,
    start,
    offsets,
    weights,
    live,
    to_start,
    to_offsets,
    steps,
    strings,
    n,
    KIND: tl.constexpr,
    ADDED: tl.constexpr,
    WIDE: tl.constexpr,
    STATES: tl.constexpr,
    ROWS: tl.constexpr,
    TILES: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Compute the gradients of the states, the start and the offsets of one sequence.

    ``weights`` receives the gradients of the states, divided by the number of equal terms of a maximum.
    ``live`` marks the steps whose state has a nonzero gradient. Other steps contribute nothing to the
    gradients: they may be padding, where states may be infinite.
    """
    string = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, STATES)
    inside = column < n
    block = tl.arange(0, STATES // ROWS)[:, None]
    flow = tl.zeros((STATES,), WIDE)
    for s in tl.range(0, steps):
        position = _counted(steps - 1 - s).to(tl.int64) * strings + string
        matrix = matrices + tl.load(symbols + position) * n * n
        at = position * n + column
        w = tl.load(grad + at, mask=inside, other=0).to(WIDE) + flow
        after = tl.load(states + at, mask=inside, other=0).to(WIDE)
        flows = tl.max((w != 0).to(tl.int32), axis=0) > 0
        if ADDED:
            offset = tl.load(offsets + at, mask=inside, other=0).to(WIDE)
        if (KIND == MAX_PLUS) | (KIND == MAX_TIMES):
            count = tl.zeros((STATES,), WIDE)
            for tile in tl.range(0, TILES, num_stages=STAGES):
                row = tile * ROWS + tl.arange(0, ROWS)
                h = _state_before(states, start, position, strings, row, n, WIDE)
                m = _tile(matrix, row, column, n, KIND, WIDE)
                equal = (_product(h[:, None], m, KIND) == after[None, :]) & (row < n)[:, None]
                count += tl.sum(equal.to(WIDE), axis=0)
            if ADDED:
                count += (offset == after).to(WIDE)
            w = tl.where(count > 1, quotient(w, tl.where(count > 1, count, 1.0)), w)
        fresh = tl.zeros((STATES // ROWS, ROWS), WIDE)
        for tile in tl.range(0, TILES, num_stages=STAGES):
            row = tile * ROWS + tl.arange(0, ROWS)
            h = _state_before(states, start, position, strings, row, n, WIDE)
            m = _tile(matrix, row, column, n, KIND, WIDE)
            parts = _part_of_state(h[:, None], m, after[None, :], w[None, :], KIND)
            parts = tl.where((row < n)[:, None], parts, 0.0)  # so that w remains 0 beyond n
            fresh = tl.where(block == tile, tl.sum(parts, axis=1)[None, :], fresh)
        flow = tl.where(flows, tl.reshape(fresh, (STATES,)), 0.0)
        tl.store(weights + at, w, mask=inside)
        tl.store(live + position, flows.to(tl.int8))
        if ADDED:  # noqa: SIM102 - Triton requires one constant per condition
            if KIND != REAL:  # over the reals, the offsets' gradient is ``weights``
                if KIND == LOG:
                    part = _share(offset, after) * w
                else:
                    part = tl.where(offset == after, w, 0.0)
                tl.store(to_offsets + at, tl.where(flows, part, 0.0), mask=inside)
    tl.store(to_start + string * n + column, flow, mask=inside)


@kernel
def gather(
    matrices,
    states,
    start,
    weights,
    order,
    ends,
    to_matrices,
    strings,
    n,
    number,
    KIND: tl.constexpr,
    WIDE: tl.constexpr,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """Sum the gradient of a block of a matrix over a part of the positions that use this matrix.

    ``order`` contains all positions, grouped by matrix, and ``ends`` contains the index at which each group
    begins. Each part of the positions has its own array for the sums.
    """
    across = tl.cdiv(n, BLOCK)
    tile = tl.program_id(0) % (across * across)
    symbol = (tl.program_id(0) // (across * across)).to(tl.int64)
    part = tl.program_id(1).to(tl.int64)
    row = tile // across * BLOCK + tl.arange(0, BLOCK)
    column = tile % across * BLOCK + tl.arange(0, BLOCK)
    begin = tl.load(ends + symbol)
    uses = tl.load(ends + symbol + 1) - begin
    each = tl.cdiv(uses, tl.num_programs(1))
    begin += part * each
    count = tl.minimum(each, uses - part * each).to(tl.int32)
    m = tl.zeros((BLOCK, BLOCK), WIDE)
    if KIND != REAL:
        m = _tile(matrices + symbol * n * n, row, column, n, KIND, WIDE)
    total = tl.zeros((BLOCK, BLOCK), WIDE)
    for k in tl.range(0, count, num_stages=STAGES):
        position = tl.load(order + begin + k)
        h = _state_before(states, start, position, strings, row, n, WIDE)
        w = tl.load(weights + position * n + column, mask=column < n, other=0).to(WIDE)
        after = tl.zeros((BLOCK,), WIDE)
        if KIND != REAL:
            after = tl.load(states + position * n + column, mask=column < n, other=0).to(WIDE)
        total += _part_of_matrix(h[:, None], m, after[None, :], w[None, :], KIND)
    inside = (row < n)[:, None] & (column < n)[None, :]
    to = to_matrices + (part * number + symbol) * n * n
    tl.store(to + row[:, None] * n + column[None, :], total, mask=inside)
