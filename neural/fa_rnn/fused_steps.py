"""Computation of all steps of a factored FA-RNN on a GPU, with one kernel per pass.

The kernels of the forward and the backward pass use Triton (:mod:`neural.fa_rnn.triton_steps`). The gradient
of each factor is one matrix product over all steps.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.scan import backends, on_gpu
from neural.scan.functional import are_ordinary
from neural.scan.on_gpu import FUSED, device_of

MOST_STATES, SENTENCES, COLUMNS = 256, 16, 32


def is_fused(before: Tensor, *tensors: Tensor) -> bool:
    """Return whether the kernels support these tensors: float32, with at most 256 states."""
    return (
        before.dtype == torch.float32
        and len(before) <= MOST_STATES
        and are_ordinary((before, *tensors))
        and backends.name_for(before) == on_gpu.NAME
    )


def run(before: Tensor, after: Tensor, vectors: Tensor, rows: Tensor, start: Tensor) -> Tensor:
    """Return the state of each sentence after its last word, shape ``(B, K)``.

    A step is h_t = ((h_{t-1} D_1) o z_t) D_2^T (equation 5, Jiang et al. 2020).

    Args:
        before: D_1, shape ``(K, r)``.
        after: D_2, shape ``(K, r)``.
        vectors: the vectors z of m words, shape ``(m, r)``.
        rows: the index of each word's z in ``vectors``, shape ``(T, B)``; -1 after a sentence's end.
        start: the first state, shape ``(B, K)``.
    """
    fused: Any = _FusedSteps
    # copies that autograd records; it would not record those made in the function
    result: Tensor = fused.apply(*(x.contiguous() for x in (before, after, vectors, rows, start)))
    return result


def step_by_step(before: Tensor, after: Tensor, vectors: Tensor, rows: Tensor, start: Tensor) -> Tensor:
    """Compute the result of :func:`run` with torch operations, which are differentiable more than once."""
    h = start
    for row in rows.unbind(0):
        after_word = ((h @ before) * vectors[row.clamp(min=0)]) @ after.T
        h = torch.where((row >= 0).unsqueeze(1), after_word, h)
    return h


class _FusedSteps(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, before: Tensor, after: Tensor, vectors: Tensor, rows: Tensor, start: Tensor
    ) -> Tensor:
        inputs = [before, after, vectors, rows, start]
        every = start.new_empty(len(rows) + 1, *start.shape)
        _start("forward", inputs, [every], before, rows)
        ctx.save_for_backward(*inputs, every)
        return every[-1].clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        before, after, vectors, rows, start, every = ctx.saved_tensors
        graph = torch.is_grad_enabled()
        if graph or not are_ordinary((grad,)):  # differentiated again, or a batch of gradients
            with torch.enable_grad():
                result = step_by_step(before, after, vectors, rows, start)
            inputs = [x for x in (before, after, vectors, start) if x.requires_grad]
            gradients = iter(torch.autograd.grad(result, inputs, grad, create_graph=graph))
            grads = [next(gradients) if x.requires_grad else None for x in (before, after, vectors, start)]
            return *grads[:3], None, grads[3]
        flows = start.new_empty(*rows.shape, len(before))
        products = start.new_empty(*rows.shape, before.shape[1])
        to_start = torch.empty_like(start)
        read = [grad.contiguous(), before, after, vectors, rows]
        _start("backward", read, [flows, products, to_start], before, rows)
        ahead, flow, product = (x.flatten(0, 1) for x in (every[:-1], flows, products))
        chosen = rows.flatten().clamp(min=0)  # any index may replace -1: ``product`` is zero there
        reads, mapped = vectors[chosen], ahead @ before
        to_vectors = torch.zeros_like(vectors).index_add_(0, chosen, product * mapped)
        return ahead.T @ (product * reads), flow.T @ (mapped * reads), to_vectors, None, to_start


def _start(kernel: str, read: list[Tensor], written: list[Tensor], before: Tensor, rows: Tensor) -> None:
    from neural.fa_rnn import triton_steps as kernels

    steps, sentences = rows.shape
    sizes = (steps, sentences, *before.shape)
    if not sentences:
        return
    fixed = {
        "SENTENCES": SENTENCES,
        "STATES": max(16, 2 ** (len(before) - 1).bit_length()),
        "COLUMNS": COLUMNS,
    }
    with device_of(before):
        getattr(kernels, kernel)[(-(-sentences // SENTENCES),)](
            *read, *written, *sizes, **fixed, num_warps=4, **FUSED
        )
