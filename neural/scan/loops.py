"""The backend that computes the elementwise recurrences as a loop over time in torch.

It supports all devices and dtypes.

Each step writes directly into the result. Differentiating a loop that indexes ``f[t]`` would instead allocate
an array of zeros for each step.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.scan.arguments import widened

NAME = "torch"


def lacking() -> str:
    """Return an empty string, because this backend is always available."""
    return ""


def scan(first: Tensor, update: Tensor, start: Tensor, kind: str) -> Tensor:
    """Compute the states c_1, ..., c_T of a recurrence, shape ``(T, ...)``.

    Args:
        first: f, or the pre-activation of f if ``kind`` is ``gated``, shape ``(T, ...)``.
        update: u, shape ``(T, ...)``.
        start: c_0, shape ``(...)``.
        kind: the semiring of c_t = f_t * c_{t-1} + u_t: ``real``, ``max_plus`` or ``log``. The kind ``gated``
            is c_t = f_t * c_{t-1} + (1 - f_t) * u_t over the reals with f = sigmoid(first).
    """
    dtype = start.dtype
    first, update, old = (widened(x) for x in (first, update, start))
    update = update.contiguous()  # torch rounds logaddexp and sigmoid differently in strided layouts
    if kind == "gated":
        first = torch.sigmoid(first.contiguous())
        update, kind = (1 - first) * update, "real"
    states = torch.empty_like(update, memory_format=torch.contiguous_format)
    for f, u, c in zip(first.unbind(0), update.unbind(0), states.unbind(0), strict=True):
        if kind == "real":
            torch.addcmul(u, f, old, out=c)
        else:
            torch.add(f, old, out=c)
            (torch.maximum if kind == "max_plus" else torch.logaddexp)(c, u, out=c)
        old = c
    return states.to(dtype)


def scan_backward(
    grad: Tensor, first: Tensor, update: Tensor, states: Tensor, start: Tensor, kind: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the gradients of the arguments first, update and start of :func:`scan`."""
    dtype = start.dtype
    grad, first, update, states, start = (widened(x) for x in (grad, first, update, states, start))
    if kind == "gated":
        results = gated_gradients(scan_backward, grad, first, update, states, start)
        return tuple(x.to(dtype) for x in results)  # type: ignore[return-value]
    old = before(start, states)
    share, of_update = shares(first, update, old, kind)
    flow = torch.empty_like(states, memory_format=torch.contiguous_format)
    after = torch.zeros_like(start)
    for s, g, c in zip(
        reversed(share.unbind(0)), reversed(grad.unbind(0)), reversed(flow.unbind(0)), strict=True
    ):
        torch.add(g, after, out=c)
        after = part(c, s, kind)
    to_first, to_update = (x.to(dtype) for x in gradients(flow, old, share, of_update, kind))
    return to_first, to_update, after.to(dtype)


def before(start: Tensor, states: Tensor) -> Tensor:
    """Return the states before each step, c_0, ..., c_{T-1}, from c_0 and c_1, ..., c_T."""
    return torch.cat([start.unsqueeze(0), states])[:-1]


def shares(forget: Tensor, update: Tensor, old: Tensor, semiring: str) -> tuple[Tensor, Tensor | None]:
    """Return the derivatives dc_t / dc_{t-1} and dc_t / du_t, where ``old`` is c_{t-1}.

    Over the reals, dc_t / du_t is 1, and ``None`` stands for it. Over max-plus, both derivatives are 1/2 if
    the two terms of the maximum are equal, even if both are -infinity.
    """
    if semiring == "real":
        return forget, None
    carried = forget + old
    if semiring == "max_plus":
        # sign(-infinity) is -1; if both terms are -infinity, the first branch applies.
        share = torch.where(carried == update, 0.5, ((carried - update).sign() + 1) / 2)
        return share, 1 - share
    same = (carried == update) & carried.isinf()
    difference = torch.where(same, 0, carried - update)
    # 1 minus the other sigmoid would lose the digits of the smaller one
    return torch.sigmoid(difference), torch.sigmoid(-difference)


def gradients(
    flow: Tensor, old: Tensor, share: Tensor, of_update: Tensor | None, semiring: str
) -> tuple[Tensor, Tensor]:
    """Return the gradients of f and u in c_t = f_t * c_{t-1} + u_t over a semiring.

    Args:
        flow: the gradient of the states c_1, ..., c_T.
        old: the states before each step.
        share: dc_t / dc_{t-1}.
        of_update: dc_t / du_t, or ``None`` if it is 1.
        semiring: ``real``, ``max_plus`` or ``log``.
    """
    if of_update is None:
        return flow * old, flow
    return part(flow, share, semiring), part(flow, of_update, semiring)


def part(flow: Tensor, share: Tensor, semiring: str) -> Tensor:
    """Return the gradient of one of the two terms that the semiring adds to a state.

    ``flow`` is the gradient of the state, and ``share`` is the derivative of the state with respect to the
    term. The smaller term of a maximum has the gradient zero, even if ``flow`` is infinite.
    """
    return torch.where(share == 0, 0, flow * share) if semiring == "max_plus" else flow * share


def gated_gradients(
    run: Any, grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the gradients of gate, update and start in c_t = f_t * c_{t-1} + (1 - f_t) * update_t.

    Here f = sigmoid(gate). The function ``run``, with the signature of :func:`scan_backward`, computes the
    gradients of the recurrence c_t = f_t * c_{t-1} + u_t.
    """
    f = torch.sigmoid(gate)
    to_f, flow, to_start = run(grad, f, (1 - f) * update, states, start, "real")
    to_gate = (to_f - flow * update) * (f * (1 - f))
    return to_gate, flow * (1 - f), to_start


def pair(*arguments: Tensor) -> tuple[Tensor, Tensor]:
    """Compute two gated recurrences, the second of which reads the states of the first.

    The arguments are those of :func:`pair_of` after ``run``.
    """
    one, two = pair_of(scan, *map(widened, arguments))
    return one.to(arguments[-1].dtype), two.to(arguments[-1].dtype)


def pair_of(
    run: Any,
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor]:
    """Compute two gated recurrences with ``run``, the second of which reads the states of the first.

    The first recurrence is c1_t = f1 c1_{t-1} + (1 - f1) update_1, and the second is
    c2_t = f2 c2_{t-1} + (c1_{t-1} + skip) (1 - f2) update_2. The function ``run`` has the signature of
    :func:`scan`.
    """
    one, f2 = run(gate_1, update_1, start_1, "gated"), torch.sigmoid(gate_2)
    fed = before(start_1, one) + skip
    return one, run(f2, fed * ((1 - f2) * update_2), start_2, "real")


def pair_backward(grad_1: Tensor | None, grad_2: Tensor | None, *arguments: Tensor) -> tuple[Tensor, ...]:
    """Compute the gradients of the arguments of :func:`pair`.

    The arguments are those of :func:`pair_gradients` after ``run``, but ``grad_1`` and ``grad_2`` may be
    ``None`` for a gradient of zeros.
    """
    grads = (torch.zeros_like(arguments[0]) if x is None else x for x in (grad_1, grad_2))
    results = pair_gradients(scan_backward, *map(widened, (*grads, *arguments)))
    return tuple(x.to(arguments[-1].dtype) for x in results)


def pair_gradients(
    run: Any,
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
    """Compute the gradients of the arguments of :func:`pair_of` with ``run``.

    The function ``run`` has the signature of :func:`scan_backward` and computes the gradients of a single
    recurrence. The states of the first recurrence are inputs of the second. Their gradient from the second
    recurrence is therefore added to ``grad_1``.
    """
    f2, fed = torch.sigmoid(gate_2), before(start_1, states_1) + skip
    u2 = (1 - f2) * update_2
    to_f2, flow, to_start_2 = run(grad_2, f2, fed * u2, states_2, start_2, "real")
    to_fed = flow * u2
    # c1_t is an input of the second recurrence at step t + 1.
    grad_1 = grad_1 + torch.cat([to_fed, torch.zeros_like(skip).unsqueeze(0)])[1:]
    to_gate_1, to_update_1, to_start_1 = run(grad_1, gate_1, update_1, states_1, start_1, "gated")
    to_start_1 = to_start_1 + to_fed[0] if len(to_fed) else to_start_1
    to_gate_2 = (to_f2 - flow * fed * update_2) * (f2 * (1 - f2))
    to_update_2 = flow * fed * (1 - f2)
    return to_gate_1, to_update_1, to_gate_2, to_update_2, to_start_1, to_start_2, to_fed.sum(0)
