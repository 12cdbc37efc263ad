"""Tests that the SR-GRU with manual gradients has the outputs and gradients of the layer and of autograd."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from neural.state_regularized import unrolled_gru
from neural.state_regularized.layers import SRGRU, SRElman

STRINGS = st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=5)


@given(STRINGS, st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_values_and_gradients_match_the_layer(strings, seed, bias, noisy):
    torch.manual_seed(seed)
    cell = SRGRU(4, 5, k=3, bias=bias, temperature=0.7, dtype=torch.float64).cell
    inputs = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    first = torch.softmax(torch.randn(len(strings), 3, dtype=torch.float64), dim=1).requires_grad_()
    packed = unrolled_gru.pack(strings)
    noise = torch.randn(len(packed.tokens), 3, dtype=torch.float64) if noisy else None
    logits, alpha = unrolled_gru.run(cell, inputs, packed, first, noise)
    ours = [logits, alpha, packed.last(alpha, first)]
    theirs = _step_by_step(cell, inputs, strings, packed, first, noise)
    weights = [torch.randn_like(one) for one in ours]
    leaves = [inputs, first, *cell.parameters()]
    gradients = [
        torch.autograd.grad(
            sum((w * v).sum() for w, v in zip(weights, values, strict=True)), leaves, allow_unused=True
        )
        for values in (ours, theirs)
    ]
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(
            *(torch.zeros(()) if g is None or not g.any() else g for g in (one, other))
        )


def _step_by_step(cell, inputs, strings, packed, first, noise):  # type: ignore[no-untyped-def]
    """Compute the results of the unrolled GRU with the modules of the layer, sequence by sequence."""
    order = packed.order.tolist()
    rows = {}
    at = 0
    for step, size in enumerate(packed.sizes):
        for index in order[:size]:
            rows[index, step] = at
            at += 1
    logits, alphas, last = [None] * at, [None] * at, []
    for index, string in enumerate(strings):
        alpha = first[index]
        for step, token in enumerate(string):
            (u,) = cell.part.step(cell.part.read(inputs[token]), (cell.component.centroids @ alpha,))
            b = cell.component.similarities(u) / cell.component.temperature
            row = rows[index, step]
            alpha = torch.softmax(b if noise is None else b + noise[row], dim=0)
            logits[row], alphas[row] = b, alpha
        last.append(alpha)
    empty = first.new_zeros(0, cell.component.k)
    return [torch.stack(logits) if at else empty, torch.stack(alphas) if at else empty, torch.stack(last)]


def test_only_what_it_computes():
    packed, first = unrolled_gru.pack([[0]]), torch.full((1, 3), 1 / 3)
    for layer in (
        SRElman(2, 2, k=3),
        SRGRU(2, 2, k=3, similarity="euclidean"),
        SRGRU(2, 2, k=3, transition="limit"),
    ):
        with pytest.raises(InputError, match="dot"):
            unrolled_gru.run(layer.cell, torch.zeros(1, 2), packed, first)
