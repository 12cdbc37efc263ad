"""The elementwise recurrences, fast on any device: c_t = f_t * c_{t-1} + u_t, and max(f_t + c_{t-1}, u_t).

(Equations 5c and 21c, Peng et al. 2018.) Each time step writes straight into the result; the gradient runs
back through the same loop. (A plain Python loop that indexes ``f[t]`` lets each index fill a whole gradient
of zeros.)

>>> updates = torch.tensor([[2.0], [0.0], [5.0]])
>>> max_plus(-torch.ones(3, 1), updates, torch.tensor([-torch.inf])).flatten().tolist()
[2.0, 1.0, 5.0]
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def elementwise(forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """c_1, ..., c_T of c_t = forget_t * c_{t-1} + update_t.

    >>> ones = torch.ones(3, 1)
    >>> elementwise(ones / 2, ones, torch.zeros(1)).flatten().tolist()
    [1.0, 1.5, 1.75]

    Args:
        forget: shape ``(T, ...)``.
        update: shape ``(T, ...)``.
        start: c_0, shape ``(...)``.

    Returns:
        All states, shape ``(T, ...)``. Differentiable once in all three arguments.
    """
    result: Tensor = _Elementwise.apply(forget, update, start)  # type: ignore[no-untyped-call]
    return result


class _Elementwise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
        states = torch.empty_like(update)
        before = start
        for f, u, c in zip(forget.unbind(0), update.unbind(0), states.unbind(0), strict=True):
            torch.addcmul(u, f, before, out=c)
            before = c
        ctx.save_for_backward(forget, states, start)
        return states

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        forget, states, start = ctx.saved_tensors
        # g_t = dL/dc_t in all: what comes from outside, and what comes back through c_{t+1}.
        flow = torch.empty_like(states)
        after = torch.zeros_like(start)
        for f, g, c in zip(
            reversed(forget.unbind(0)), reversed(grad.unbind(0)), reversed(flow.unbind(0)), strict=True
        ):
            torch.add(g, after, out=c)
            after = f * c
        before = torch.cat([start.expand_as(states[:1]), states[:-1]]) if len(states) else states
        return flow * before, flow, after


def max_plus(forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """c_1, ..., c_T of c_t = max(forget_t + c_{t-1}, update_t).

    Args:
        forget: shape ``(T, ...)``, finite.
        update: shape ``(T, ...)``; may be -infinity.
        start: c_0, shape ``(...)``; may be -infinity.

    Returns:
        All states, shape ``(T, ...)``. Differentiable once; where both are equal each gets half, as in
        ``torch.maximum``.
    """
    result: Tensor = _MaxPlus.apply(forget, update, start)  # type: ignore[no-untyped-call]
    return result


class _MaxPlus(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
        states = torch.empty_like(update)
        before = start
        for f, u, c in zip(forget.unbind(0), update.unbind(0), states.unbind(0), strict=True):
            torch.add(f, before, out=c)
            torch.maximum(c, u, out=c)
            before = c
        ctx.save_for_backward(forget, update, states, start)
        return states

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        forget, update, states, start = ctx.saved_tensors
        before = torch.cat([start.expand_as(states[:1]), states[:-1]]) if len(states) else states
        carried = forget + before
        # 1 where the old state was larger, 1/2 where both were equal: sign(-infinity) is -1, and where both
        # are -infinity their difference is not asked for, so nothing is undefined.
        share = torch.where(carried == update, 0.5, ((carried - update).sign() + 1) / 2)
        flow = torch.empty_like(states)
        after = torch.zeros_like(start)
        for s, g, c in zip(
            reversed(share.unbind(0)), reversed(grad.unbind(0)), reversed(flow.unbind(0)), strict=True
        ):
            torch.add(g, after, out=c)
            after = s * c
        return flow * share, flow * (1 - share), after
