"""Triton kernels that compute all steps of a factored FA-RNN (equation 5, Jiang et al. 2020).

Each step is h_t = ((h_{t-1} D_1) o z_t) D_2^T. A Triton program processes all words of ``SENTENCES``
sentences. It keeps the states in registers, and loads the factors in tiles of ``COLUMNS`` columns. States are
padded with zeros to ``STATES`` components.
"""

from __future__ import annotations

from neural.scan.triton_functions import kernel, tl


@kernel
def _factor(factor, first_column, states, columns, STATES: tl.constexpr, COLUMNS: tl.constexpr):
    """Load a tile of D_1 or D_2, shape ``(STATES, COLUMNS)``; entries outside the matrix are zero."""
    row = tl.arange(0, STATES)[:, None]
    column = first_column + tl.arange(0, COLUMNS)[None, :]
    return tl.load(factor + row * columns + column, mask=(row < states) & (column < columns), other=0)


@kernel
def forward(
    before, after, vectors, rows, start, every, steps, sentences, states, columns, SENTENCES: tl.constexpr,
    STATES: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Compute all states, and store them in ``every``, shape ``(T + 1, B, K)``.

    They are the states before each word and after the last word. ``vectors``, shape ``(m, r)``, contains the
    vectors z of m words. ``rows``, shape ``(T, B)``, contains the index of each word's z in ``vectors``. The
    index -1 marks positions after a sentence's end, at which the state is unchanged.
    """
    sentence = tl.program_id(0) * SENTENCES + tl.arange(0, SENTENCES)
    inside = sentence < sentences
    unit = tl.arange(0, STATES)
    at = sentence[:, None].to(tl.int64) * states + unit[None, :]
    known = inside[:, None] & (unit < states)[None, :]
    h = tl.load(start + at, mask=known, other=0)
    tl.store(every + at, h, mask=known)
    word = sentence
    for _ in range(steps):
        row = tl.load(rows + word, mask=inside, other=-1)
        total = tl.zeros((SENTENCES, STATES), h.dtype)
        for first in range(0, columns, COLUMNS):
            column = first + tl.arange(0, COLUMNS)
            read = (row >= 0)[:, None] & (column < columns)[None, :]
            z = tl.load(vectors + row[:, None] * columns + column[None, :], mask=read, other=0)
            one = _factor(before, first, states, columns, STATES, COLUMNS)
            two = _factor(after, first, states, columns, STATES, COLUMNS)
            product = tl.dot(h, one, input_precision="ieee") * z
            total = tl.dot(product, tl.trans(two), total, input_precision="ieee")
        h = tl.where((row >= 0)[:, None], total, h)
        word += sentences
        at += sentences * states
        tl.store(every + at, h, mask=known)


@kernel
def backward(
    grad, before, after, vectors, rows, flows, products, to_start, steps, sentences, states, columns,
    SENTENCES: tl.constexpr, STATES: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Compute gradients from ``grad``, the gradient of the last states.

    ``flows``, shape ``(T, B, K)``, receives the gradients of the states after each word. ``products``, shape
    ``(T, B, r)``, receives the gradients of (h_{t-1} D_1) o z_t. Both are zero after a sentence's end.
    ``to_start``, shape ``(B, K)``, receives the gradient of the first state.
    """
    sentence = tl.program_id(0) * SENTENCES + tl.arange(0, SENTENCES)
    inside = sentence < sentences
    unit = tl.arange(0, STATES)
    at = sentence[:, None].to(tl.int64) * states + unit[None, :]
    known = inside[:, None] & (unit < states)[None, :]
    flow = tl.load(grad + at, mask=known, other=0)
    word = sentence.to(tl.int64) + sentences * (steps - 1)
    later = at + sentences * states * (sentence[:, None].to(tl.int64) * 0 + steps - 1)
    for _ in range(steps):
        row = tl.load(rows + word, mask=inside, other=-1)
        stays = (row < 0)[:, None]
        tl.store(flows + later, tl.where(stays, 0.0, flow), mask=known)
        total = tl.zeros((SENTENCES, STATES), flow.dtype)
        for first in range(0, columns, COLUMNS):
            column = first + tl.arange(0, COLUMNS)
            there = inside[:, None] & (column < columns)[None, :]
            z = tl.load(
                vectors + row[:, None] * columns + column[None, :], mask=there & (row >= 0)[:, None], other=0
            )
            one = _factor(before, first, states, columns, STATES, COLUMNS)
            two = _factor(after, first, states, columns, STATES, COLUMNS)
            product = tl.dot(flow, two, input_precision="ieee")
            to = products + word[:, None] * columns + column[None, :]
            tl.store(to, tl.where(stays, 0.0, product), mask=there)
            total = tl.dot(product * z, tl.trans(one), total, input_precision="ieee")
        flow = tl.where(stays, flow, total)
        word -= sentences
        later -= sentences * states
    tl.store(to_start + at, flow, mask=known)
