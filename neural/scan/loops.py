"""The recurrences in plain torch, a loop over time: for any device and type, with nothing to build.

Each step writes straight into the result. (A loop that indexes ``f[t]`` lets each index fill a whole gradient
of zeros.)
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.scan.arguments import widened

NAME = "torch"


def lacking() -> str:
    """Why it is not here: it always is."""
    return ""


def scan(first: Tensor, update: Tensor, start: Tensor, kind: str) -> Tensor:
    """c_1, ..., c_T, shape ``(T, ...)``, over a semiring; ``gated`` is over the reals, with
    f = sigmoid(first) and the updates (1 - f) update.
    """
    dtype = start.dtype
    first, update, old = (widened(x) for x in (first, update, start))
    if kind == "gated":
        first = torch.sigmoid(first)
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
    """The gradients of first, update and start."""
    dtype = start.dtype
    grad, first, update, states, start = (widened(x) for x in (grad, first, update, states, start))
    if kind == "gated":
        made = gated_gradients(scan_backward, grad, first, update, states, start)
        return tuple(x.to(dtype) for x in made)  # type: ignore[return-value]
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
    """c_0, ..., c_{T-1}."""
    return torch.cat([start.unsqueeze(0), states])[:-1]


def shares(forget: Tensor, update: Tensor, old: Tensor, semiring: str) -> tuple[Tensor, Tensor | None]:
    """dc_t / dc_{t-1} and dc_t / du_t (``None``: 1); 1/2 where both terms of a maximum are equal, or both are
    -infinity.
    """
    if semiring == "real":
        return forget, None
    carried = forget + old
    if semiring == "max_plus":
        # sign(-infinity) is -1, and where both are -infinity their difference is not asked for
        share = torch.where(carried == update, 0.5, ((carried - update).sign() + 1) / 2)
        return share, 1 - share
    same = (carried == update) & carried.isinf()
    apart = torch.where(same, 0, carried - update)
    return torch.sigmoid(apart), torch.sigmoid(
        -apart
    )  # 1 less the other one would lose the lesser one's digits


def gradients(
    flow: Tensor, old: Tensor, share: Tensor, of_update: Tensor | None, semiring: str
) -> tuple[Tensor, Tensor]:
    """Those of forget and update, where that much flows into the states."""
    if of_update is None:
        return flow * old, flow
    return part(flow, share, semiring), part(flow, of_update, semiring)


def part(flow: Tensor, share: Tensor, semiring: str) -> Tensor:
    """What of the flow goes there: nothing to a maximum's lesser term, though what flows be infinite."""
    return torch.where(share == 0, 0, flow * share) if semiring == "max_plus" else flow * share


def gated_gradients(
    run: Any, grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of gate, update and start, by those of the recurrence over the reals, which ``run``
    computes as :func:`scan_backward` does.
    """
    f = torch.sigmoid(gate)
    to_f, flow, to_start = run(grad, f, (1 - f) * update, states, start, "real")
    to_gate = (to_f - flow * update) * (f * (1 - f))
    return to_gate, flow * (1 - f), to_start


def pair(*arguments: Tensor) -> tuple[Tensor, Tensor]:
    """Two gated recurrences, of which the second is fed by the first."""
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
    """Two such recurrences one after the other, each by ``run``: the second's update is (c1_{t-1} + skip)
    (1 - f2) update_2.
    """
    one, f2 = run(gate_1, update_1, start_1, "gated"), torch.sigmoid(gate_2)
    fed = before(start_1, one) + skip
    return one, run(f2, fed * ((1 - f2) * update_2), start_2, "real")


def pair_backward(grad_1: Tensor | None, grad_2: Tensor | None, *arguments: Tensor) -> tuple[Tensor, ...]:
    """The gradients of the arguments of ``pair``; ``None`` stands for a gradient of zeros."""
    grads = (torch.zeros_like(arguments[0]) if x is None else x for x in (grad_1, grad_2))
    made = pair_gradients(scan_backward, *map(widened, (*grads, *arguments)))
    return tuple(x.to(arguments[-1].dtype) for x in made)


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
    """The gradients, by those of the recurrences, which ``run`` computes: what flows into the second one's
    updates flows on into the first one's states.
    """
    f2, fed = torch.sigmoid(gate_2), before(start_1, states_1) + skip
    u2 = (1 - f2) * update_2
    to_f2, flow, to_start_2 = run(grad_2, f2, fed * u2, states_2, start_2, "real")
    to_fed = flow * u2
    # c1_t feeds the step after it
    grad_1 = grad_1 + torch.cat([to_fed, torch.zeros_like(skip).unsqueeze(0)])[1:]
    to_gate_1, to_update_1, to_start_1 = run(grad_1, gate_1, update_1, states_1, start_1, "gated")
    to_start_1 = to_start_1 + to_fed[0] if len(to_fed) else to_start_1
    to_gate_2 = (to_f2 - flow * fed * update_2) * (f2 * (1 - f2))
    to_update_2 = flow * fed * (1 - f2)
    return to_gate_1, to_update_1, to_gate_2, to_update_2, to_start_1, to_start_2, to_fed.sum(0)
