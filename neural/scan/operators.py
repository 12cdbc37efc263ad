"""The recurrences as operators of torch: their shapes, gradients and batching rules; a backend computes
them.

The gradient is one operator too, which is fast; where a gradient of the gradient is asked for, it is written
in terms of the recurrence instead, which is differentiable again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from neural.scan import backends
from neural.scan.functional import differentiable
from neural.scan.loops import shares

Three = tuple[Tensor, Tensor, Tensor]


@torch.library.custom_op("ratproof::scan", mutates_args=())
def scan(forget: Tensor, update: Tensor, start: Tensor, semiring: str) -> Tensor:
    """The states of c_t = forget_t c_{t-1} + update_t over a semiring: ``real``, ``max_plus`` or ``log``.

    Shapes ``(T, ...)``, ``(T, ...)`` and ``(...)``, of one type.
    """
    return backends.of(update).scan(forget, update, start, semiring)


@torch.library.custom_op("ratproof::scan_backward", mutates_args=())
def scan_backward(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> Three:
    """The gradients of the arguments of ``scan``."""
    return backends.of(update).scan_backward(grad, forget, update, states, start, semiring)


@torch.library.custom_op("ratproof::gated", mutates_args=())
def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """The states of c_t = f c_{t-1} + (1 - f) update_t with f = sigmoid(gate_t)."""
    return backends.of(update).gated(gate, update, start)


@torch.library.custom_op("ratproof::gated_backward", mutates_args=())
def gated_backward(grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor) -> Three:
    """The gradients of the arguments of ``gated``."""
    return backends.of(update).gated_backward(grad, gate, update, states, start)


def _like_update(first: Tensor, update: Tensor, start: Tensor, semiring: str = "") -> Tensor:
    return torch.empty(update.shape, dtype=update.dtype, device=update.device)


def _like_arguments(
    grad: Tensor, first: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str = ""
) -> Three:
    one, other = (torch.empty(update.shape, dtype=update.dtype, device=update.device) for _ in range(2))
    return one, other, torch.empty(start.shape, dtype=update.dtype, device=update.device)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:3], output)
    ctx.semiring = inputs[3] if len(inputs) > 3 else None


def _scan_gradient(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    forget, update, start, states = ctx.saved_tensors
    if torch.is_grad_enabled():
        return *_in_terms_of_scan(grad, forget, update, states, start, ctx.semiring), None
    return *scan_backward(grad, forget, update, states, start, ctx.semiring), None


def _gated_gradient(ctx: Any, grad: Tensor) -> Three:
    gate, update, start, states = ctx.saved_tensors
    if not torch.is_grad_enabled():
        result: Three = gated_backward(grad, gate, update, states, start)
        return result
    f = torch.sigmoid(gate)
    to_f, flow, to_start = _in_terms_of_scan(grad, f, (1 - f) * update, states, start, "real")
    return (to_f - flow * update) * f * (1 - f), flow * (1 - f), to_start


def _in_terms_of_scan(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> Three:
    """g_t = grad_t + s_{t+1} g_{t+1} is a recurrence over the reals from the end, s_t = dc_t / dc_{t-1}."""
    before = torch.cat([start.unsqueeze(0), states])[:-1]
    share = shares(forget, update, states, before, semiring)
    zero = torch.zeros_like(start)
    shifted = torch.cat([share, zero.unsqueeze(0)])[1:]  # the last factor meets what is zero
    flow = run_scan(shifted.flip(0), grad.flip(0), zero, "real").flip(0)
    to_start = share[0] * flow[0] if len(flow) else zero
    if semiring == "real":
        return flow * before, flow, to_start
    return flow * share, flow * (1 - share), to_start


def _batched(operator: Any, starts: Sequence[int], outputs: Any) -> Any:
    """The batching rule of an operator: the batch becomes the first lane axis. ``starts`` are the places of
    arguments without a time axis.
    """

    def rule(info: Any, in_dims: Sequence[int | None], *arguments: Any) -> tuple[Any, Any]:
        moved = []
        for place, (argument, dim) in enumerate(zip(arguments, in_dims, strict=True)):
            if not isinstance(argument, Tensor):
                moved.append(argument)
                continue
            axis = 0 if place in starts else 1
            if dim is None:
                shape = [*argument.shape[:axis], info.batch_size, *argument.shape[axis:]]
                moved.append(argument.unsqueeze(axis).expand(shape))
            else:
                moved.append(argument.movedim(dim, axis))
        return operator(*moved), outputs

    return rule


def _registered(operator: Any, gradient: Any) -> Any:
    operator.register_fake(_like_update)
    operator.register_autograd(gradient, setup_context=_keep)
    operator.register_vmap(_batched(operator, [2], 1))
    return differentiable(operator, _keep, gradient, lambda function: _batched(function, [2], 1))


for _operator in (scan_backward, gated_backward):
    _operator.register_fake(_like_arguments)
    _operator.register_vmap(_batched(_operator, [4], (1, 1, 0)))
run_scan, run_gated = _registered(scan, _scan_gradient), _registered(gated, _gated_gradient)
