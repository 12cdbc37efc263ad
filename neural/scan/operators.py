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

from automata.errors import InputError
from neural.scan import backends
from neural.scan.arguments import is_narrow
from neural.scan.functional import differentiable, is_asked_again, on_its_backend, operator_named
from neural.scan.loops import gradients, part, shares

Three = tuple[Tensor, Tensor, Tensor]


@operator_named("ratproof::scan")
def scan(forget: Tensor, update: Tensor, start: Tensor, semiring: str) -> Tensor:
    """The states of c_t = forget_t c_{t-1} + update_t over a semiring: ``real``, ``max_plus`` or ``log``.

    Shapes ``(T, ...)``, ``(T, ...)`` and ``(...)``, of one type.
    """
    _require_together(forget, update, start)
    if semiring not in ("real", "max_plus", "log"):
        raise InputError(f"the semiring is {semiring!r:.40}, where real, max_plus or log is right")
    return _contiguous(backends.of(update).scan(forget, update, start, semiring))


@operator_named("ratproof::scan_backward")
def scan_backward(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> Three:
    """The gradients of the arguments of ``scan``."""
    if semiring != "real" and is_narrow(update):  # which term is the greater is not told from rounded states
        grad, forget, update, start = (x.float() for x in (grad, forget, update, start))
        wide = backends.of(update).scan(forget, update, start, semiring)
        made = backends.of(update).scan_backward(grad, forget, update, wide, start, semiring)
        one, two, three = (x.to(states.dtype) for x in made)
        return one, two, three
    return _contiguous(backends.of(update).scan_backward(grad, forget, update, states, start, semiring))


@operator_named("ratproof::gated")
def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """The states of c_t = f c_{t-1} + (1 - f) update_t with f = sigmoid(gate_t)."""
    _require_together(gate, update, start)
    return _contiguous(backends.of(update).gated(gate, update, start))


@operator_named("ratproof::gated_backward")
def gated_backward(grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor) -> Three:
    """The gradients of the arguments of ``gated``."""
    return _contiguous(backends.of(update).gated_backward(grad, gate, update, states, start))


@operator_named("ratproof::pair")
def pair(
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor]:
    """The states of two such recurrences; the second's update is (c1_{t-1} + skip) (1 - f2) update_2."""
    for timed, start in (
        ((gate_1, update_1), start_1),
        ((gate_2, update_2), start_2),
        ((gate_1, update_2), skip),
    ):
        _require_together(*timed, start)
    return _contiguous(backends.of(skip).pair(gate_1, update_1, gate_2, update_2, start_1, start_2, skip))


@operator_named("ratproof::pair_backward")
def pair_backward(
    grad_1: Tensor | None,
    grad_2: Tensor | None,
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    states_1: Tensor,
    states_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of the arguments of ``pair``; ``None`` stands for a gradient of zeros."""
    values = grad_1, grad_2, gate_1, update_1, gate_2, update_2, states_1, states_2, start_1, start_2, skip
    return _contiguous(backends.of(skip).pair_backward(*values))


def _contiguous(results: Any) -> Any:
    """As the fake kernels say that results are, whatever a backend makes of its arguments' strides."""
    if isinstance(results, Tensor):
        return results.contiguous()
    return tuple(x.contiguous() for x in results)


def _require_together(forget: Tensor, update: Tensor, start: Tensor) -> None:
    """Raises :class:`~automata.errors.InputError` where a kernel would read what is not there."""
    if not forget.dtype == update.dtype == start.dtype:
        raise InputError(
            f"the arguments of a recurrence are {forget.dtype}, {update.dtype} and {start.dtype}, where one"
            " type is right"
        )
    if not update.ndim or forget.shape != update.shape or start.shape != update.shape[1:]:
        shapes = ", ".join(str(tuple(x.shape)) for x in (forget, update, start))
        raise InputError(
            f"the arguments of a recurrence have shapes {shapes}, where (T, ...), (T, ...) and (...) are"
            " right"
        )


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
    if is_asked_again():
        if ctx.semiring != "real" and is_narrow(update):
            grad, forget, update, start = (x.float() for x in (grad, forget, update, start))
            states = run_scan(forget, update, start, ctx.semiring)
        made = _in_terms_of_scan(grad, forget, update, states, start, ctx.semiring)
        return *(x.to(ctx.saved_tensors[1].dtype) for x in made), None
    return *scan_backward(grad, forget, update, states, start, ctx.semiring), None


def _gated_gradient(ctx: Any, grad: Tensor) -> Three:
    gate, update, start, states = ctx.saved_tensors
    if not is_asked_again():
        result: Three = gated_backward(grad, gate, update, states, start)
        return result
    return _gated_in_terms_of_scan(grad, gate, update, states, start)


def _gated_in_terms_of_scan(
    grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor
) -> Three:
    f = torch.sigmoid(gate)
    to_f, flow, to_start = _in_terms_of_scan(grad, f, (1 - f) * update, states, start, "real")
    return (to_f - flow * update) * f * (1 - f), flow * (1 - f), to_start


def _keep_pair(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:4], *output, *inputs[4:])
    ctx.set_materialize_grads(False)  # of what is not used, a whole array of zeros


def _pair_gradient(ctx: Any, grad_1: Tensor | None, grad_2: Tensor | None) -> tuple[Tensor, ...]:
    saved = ctx.saved_tensors
    if is_asked_again():
        grad_1, grad_2 = (torch.zeros_like(saved[0]) if g is None else g for g in (grad_1, grad_2))
        return _pair_in_terms_of_scan(grad_1, grad_2, *saved)
    return tuple(pair_backward(grad_1, grad_2, *saved))


def _pair_in_terms_of_scan(
    grad_1: Tensor,
    grad_2: Tensor,
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    states_1: Tensor,
    states_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, ...]:
    """The gradients, where what flows into the second one's updates flows on into the first one's states."""
    f2, before = torch.sigmoid(gate_2), torch.cat([start_1.unsqueeze(0), states_1])
    fed, u2 = before[:-1] + skip, (1 - f2) * update_2
    to_f2, flow, to_start_2 = _in_terms_of_scan(grad_2, f2, fed * u2, states_2, start_2, "real")
    to_before = torch.cat([flow * u2, torch.zeros_like(skip).unsqueeze(0)])
    first = _gated_in_terms_of_scan(grad_1 + to_before[1:], gate_1, update_1, states_1, start_1)
    to_gate_2 = (to_f2 - flow * fed * update_2) * f2 * (1 - f2)
    to_update_2 = flow * fed * (1 - f2)
    return *first[:2], to_gate_2, to_update_2, first[2] + to_before[0], to_start_2, to_before.sum(0)


def _in_terms_of_scan(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> Three:
    """g_t = grad_t + s_{t+1} g_{t+1} is a recurrence over the reals from the end, s_t = dc_t / dc_{t-1}."""
    before = torch.cat([start.unsqueeze(0), states])[:-1]
    share, of_update = shares(forget, update, before, semiring)
    zero = torch.zeros_like(start)
    shifted = torch.cat([share, zero.unsqueeze(0)])[1:]  # the last factor meets what is zero
    flow = run_scan(shifted.flip(0), grad.flip(0), zero, "real").flip(0)
    to_start = part(flow[0], share[0], semiring) if len(flow) else zero
    return *gradients(flow, before, share, of_update, semiring), to_start


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


def _like_states(*arguments: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(arguments[1]).contiguous(), torch.empty_like(arguments[1]).contiguous()


def _like_pair(*arguments: Tensor) -> tuple[Tensor, ...]:
    shapes = (x.shape for x in (*arguments[2:6], *arguments[8:]))
    like = arguments[-1]
    return tuple(torch.empty(shape, dtype=like.dtype, device=like.device) for shape in shapes)


def _registered(
    operator: Any, fake: Any, keep: Any, gradient: Any, starts: Sequence[int], outputs: Any
) -> Any:
    keep, gradient = on_its_backend(keep, gradient)
    operator.registered.register_fake(fake)
    operator.registered.register_autograd(gradient, setup_context=keep)
    operator.registered.register_vmap(_batched(operator, starts, outputs))
    return differentiable(operator, keep, gradient, lambda function: _batched(function, starts, outputs))


for _operator in (scan_backward, gated_backward):
    _operator.registered.register_fake(_like_arguments)
    _operator.registered.register_vmap(_batched(_operator, [4], (1, 1, 0)))
pair_backward.registered.register_fake(_like_pair)
pair_backward.registered.register_vmap(_batched(pair_backward, [8, 9, 10], (1, 1, 1, 1, 0, 0, 0)))
run_scan = _registered(scan, _like_update, _keep, _scan_gradient, [2], 1)
run_gated = _registered(gated, _like_update, _keep, _gated_gradient, [2], 1)
run_pair = _registered(pair, _like_states, _keep_pair, _pair_gradient, [4, 5, 6], (1, 1))
