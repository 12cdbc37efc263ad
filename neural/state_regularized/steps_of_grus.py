"""Computation of all steps of a state-regularized GRU with a hand-written gradient.

The equations are 2 and 5 of Wang & Niepert 2019. :mod:`~neural.state_regularized.steps_of_lstms` has the
steps of LSTMs. The state that passes from step to step is alpha, the probabilities of the centroids S. Since
h = S alpha, one product with [U S; S] computes both U h (for the gates) and h.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.state_regularized.rows import Rows, added, blocks, needs_differentiable_steps, softmax_backward


class GRUSteps(torch.autograd.Function):
    """An autograd function that computes all steps of a state-regularized GRU.

    :func:`differentiable_steps` computes the same results with functions that autograd differentiates.
    """

    @staticmethod
    def forward(
        ctx: Any,
        read: Tensor,
        first: Tensor,
        wide: Tensor,
        inner: Tensor,
        scaled: Tensor,
        noise: Tensor | None,
        rows: Rows,
    ) -> tuple[Tensor, Tensor]:
        """Compute u and alpha after each step.

        Args:
            ctx: the autograd context, which stores tensors for the gradient.
            read: W x + b of all gates, shape ``(N, 3 d)``. For r and z, b includes the bias of U h.
            first: U h of all gates, and h, before the first step, shape ``(B, 4 d)``.
            wide: the matrix that maps alpha to U h and h, shape ``(k, 4 d)``.
            inner: the bias b'_n of U_n h, shape ``(d,)``.
            scaled: the centroids divided by the temperature, S / tau, shape ``(d, k)``.
            noise: added to the logits, shape ``(N, k)``.
            rows: the order of the N rows.
        """
        count, (d, k) = len(read), scaled.shape
        maps, ns, us = read.new_empty(count, 4, d), read.new_empty(count, d), read.new_empty(count, d)
        alphas = read.new_empty(count, k)
        parts = [rows.split(x) for x in (read, maps, ns, us, alphas)]
        noises = None if noise is None else rows.split(noise)
        bias = torch.cat([inner.new_zeros(2 * d), inner, inner.new_zeros(d)])
        a = first
        for t, (input_part, map_, n, u, alpha) in enumerate(zip(*parts, strict=True)):
            size = len(u)
            flat = map_.view(size, 4 * d)
            if t:
                torch.addmm(bias, a[:size], wide, out=flat)
            else:
                torch.add(bias, a, out=flat)
            flat[:, : 2 * d].add_(input_part[:, : 2 * d]).sigmoid_()
            r, z, inside, h = map_.unbind(1)
            torch.addcmul(input_part[:, 2 * d :], r, inside, out=n).tanh_()
            torch.lerp(n, h, z, out=u)
            logits = u @ scaled if noises is None else torch.addmm(noises[t], u, scaled)
            a = torch.softmax(logits, dim=1, out=alpha)
        ctx.save_for_backward(read, first, wide, inner, scaled, noise, maps, ns, us, alphas)
        ctx.rows = rows
        ctx.set_materialize_grads(False)
        return us, alphas

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        """Compute the gradients of the tensor arguments of :meth:`forward`."""
        read, first, wide, inner, scaled, noise, maps, ns, us, alphas = ctx.saved_tensors
        rows: Rows = ctx.rows
        if needs_differentiable_steps(grads):
            values = (read, first, wide, inner, scaled, noise)
            return (*rows.again(differentiable_steps, ctx, values, grads), None)
        to_u, to_alpha = grads
        count, d = us.shape
        to_us = torch.zeros_like(us) if to_u is None else to_u.contiguous().clone()
        to_logits = torch.zeros_like(alphas) if to_alpha is None else to_alpha.contiguous().clone()
        to_maps, to_n = torch.empty_like(maps), torch.empty_like(us)
        later = None  # the gradient that later steps pass to alpha of a step
        ends = rows.ends
        for steps in blocks(rows, d):
            low, high = (ends[steps[-1] - 1] if steps[-1] else 0), ends[steps[0]]
            r, z, inside, h = maps[low:high].unbind(1)
            n, rest = ns[low:high], 1 - z
            factors = torch.empty_like(maps[low:high])
            through_n = torch.addcmul(rest, rest, n * n, value=-1)
            torch.mul(through_n, r, out=factors[:, 2])
            torch.mul(torch.addcmul(r, r, r, value=-1), inside, out=factors[:, 0]).mul_(through_n)
            torch.mul(h - n, rest.mul_(z), out=factors[:, 1])
            factors[:, 3] = z
            for t in steps:
                at, to = ends[t] - rows.sizes[t], ends[t]
                here = slice(at - low, to - low)
                added(to_logits[at:to], later)
                softmax_backward(to_logits[at:to], alphas[at:to])
                into_u = to_us[at:to].addmm_(to_logits[at:to], scaled.T)
                torch.mul(into_u.unsqueeze(1), factors[here], out=to_maps[at:to])
                if t:
                    later = to_maps[at:to].view(len(into_u), 4 * d) @ wide.T
            torch.mul(to_us[low:high], through_n, out=to_n[low:high])
        flat = to_maps.view(count, 4 * d)
        return (
            torch.cat([flat[:, : 2 * d], to_n], dim=1),
            rows.first(flat),
            rows.previous(alphas).T @ rows.later(flat),
            to_maps[:, 2].sum(dim=0),
            us.T @ to_logits,
            None if noise is None else to_logits,
            None,
        )


def differentiable_steps(
    read: Tensor, first: Tensor, wide: Tensor, inner: Tensor, scaled: Tensor, noise: Tensor | None, rows: Rows
) -> tuple[Tensor, Tensor]:
    """Compute the same results as :class:`GRUSteps` with functions that autograd differentiates."""
    us, alphas = list[Tensor](), list[Tensor]()
    d, a = len(scaled), first
    for t, input_part in enumerate(rows.split(read)):
        maps = a[: len(input_part)] @ wide if t else a
        r, z = torch.sigmoid(input_part[:, : 2 * d] + maps[:, : 2 * d]).chunk(2, dim=1)
        n = torch.tanh(input_part[:, 2 * d :] + r * (maps[:, 2 * d : 3 * d] + inner))
        us.append(torch.lerp(n, maps[:, 3 * d :], z))
        logits = us[-1] @ scaled
        a = torch.softmax(logits if noise is None else logits + rows.split(noise)[t], dim=1)
        alphas.append(a)
    return torch.cat(us), torch.cat(alphas)
