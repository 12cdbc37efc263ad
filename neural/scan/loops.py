"""The recurrences in plain torch, a loop over time: for any device and type, with nothing to build.

Each step writes straight into the result. (A loop that indexes ``f[t]`` lets each index fill a whole gradient
of zeros.)
"""

from __future__ import annotations

import torch
from torch import Tensor

from neural.scan.arguments import widened

NAME = "torch"


def lacking() -> str:
    """Why it is not here: it always is."""
    return ""


def scan(forget: Tensor, update: Tensor, start: Tensor, semiring: str) -> Tensor:
    """c_1, ..., c_T, shape ``(T, ...)``."""
    forget, update, before = (widened(x) for x in (forget, update, start))
    states = torch.empty_like(update, memory_format=torch.contiguous_format)
    for f, u, c in zip(forget.unbind(0), update.unbind(0), states.unbind(0), strict=True):
        if semiring == "real":
            torch.addcmul(u, f, before, out=c)
        else:
            torch.add(f, before, out=c)
            (torch.maximum if semiring == "max_plus" else torch.logaddexp)(c, u, out=c)
        before = c
    return states.to(start.dtype)


def scan_backward(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of forget, update and start."""
    dtype = start.dtype
    grad, forget, update, states, start = (widened(x) for x in (grad, forget, update, states, start))
    before = torch.cat([start.unsqueeze(0), states])[:-1]
    share, of_update = shares(forget, update, before, semiring)
    flow = torch.empty_like(states, memory_format=torch.contiguous_format)
    after = torch.zeros_like(start)
    for s, g, c in zip(
        reversed(share.unbind(0)), reversed(grad.unbind(0)), reversed(flow.unbind(0)), strict=True
    ):
        torch.add(g, after, out=c)
        after = part(c, s, semiring)
    to_forget, to_update = (x.to(dtype) for x in gradients(flow, before, share, of_update, semiring))
    return to_forget, to_update, after.to(dtype)


def shares(forget: Tensor, update: Tensor, before: Tensor, semiring: str) -> tuple[Tensor, Tensor | None]:
    """dc_t / dc_{t-1} and dc_t / du_t (``None``: 1); 1/2 where both terms of a maximum are equal, or both are
    -infinity.
    """
    if semiring == "real":
        return forget, None
    carried = forget + before
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
    flow: Tensor, before: Tensor, share: Tensor, of_update: Tensor | None, semiring: str
) -> tuple[Tensor, Tensor]:
    """Those of forget and update, where that much flows into the states."""
    if of_update is None:
        return flow * before, flow
    return part(flow, share, semiring), part(flow, of_update, semiring)


def part(flow: Tensor, share: Tensor, semiring: str) -> Tensor:
    """What of the flow goes there: nothing to a maximum's lesser term, though what flows be infinite."""
    return torch.where(share == 0, 0, flow * share) if semiring == "max_plus" else flow * share


def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """c_1, ..., c_T of c_t = f c_{t-1} + (1 - f) update_t with f = sigmoid(gate_t)."""
    wide, z, first = (widened(x) for x in (gate, update, start))
    f = torch.sigmoid(wide)
    return scan(f, (1 - f) * z, first, "real").to(start.dtype)


def gated_backward(
    grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of gate, update and start."""
    dtype = start.dtype
    grad, gate, update, states, start = (widened(x) for x in (grad, gate, update, states, start))
    f = torch.sigmoid(gate)
    to_f, flow, to_start = scan_backward(grad, f, update, states, start, "real")
    to_gate = (to_f - flow * update) * (f * (1 - f))
    return to_gate.to(dtype), (flow * (1 - f)).to(dtype), to_start.to(dtype)


def pair(
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor]:
    """Two such recurrences, of which the second is fed by the first: its update is (c1_{t-1} + skip) (1 - f2)
    update_2.
    """
    dtype = skip.dtype
    gate_1, update_1, gate_2, update_2, start_1, start_2, skip = (
        widened(x) for x in (gate_1, update_1, gate_2, update_2, start_1, start_2, skip)
    )
    f1, f2 = torch.sigmoid(gate_1), torch.sigmoid(gate_2)
    one = scan(f1, (1 - f1) * update_1, start_1, "real")
    fed = torch.cat([start_1.unsqueeze(0), one])[:-1] + skip
    return one.to(dtype), scan(f2, fed * ((1 - f2) * update_2), start_2, "real").to(dtype)


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
) -> tuple[Tensor, ...]:
    """The gradients of the arguments of ``pair``; ``None`` stands for a gradient of zeros."""
    dtype = skip.dtype
    grad_1, grad_2 = (widened(torch.zeros_like(gate_1) if x is None else x) for x in (grad_1, grad_2))
    skip = widened(skip)
    before = torch.cat([start_1.unsqueeze(0), states_1])[:-1]
    f2, z2 = torch.sigmoid(widened(gate_2)), widened(update_2)
    u2, fed = (1 - f2) * z2, widened(before) + skip
    to_f2, flow, to_start_2 = scan_backward(grad_2, f2, u2, widened(states_2), widened(start_2), "real")
    to_fed = flow * u2
    # c1_t feeds the step after it
    grad_1 = grad_1 + torch.cat([to_fed, torch.zeros_like(skip).unsqueeze(0)])[1:]
    wide = (widened(x) for x in (gate_1, update_1, states_1, start_1))
    to_gate_1, to_update_1, to_start_1 = gated_backward(grad_1, *wide)
    to_start_1 = to_start_1 + to_fed[0] if len(to_fed) else to_start_1
    to_gate_2 = (to_f2 - flow * fed * z2) * (f2 * (1 - f2))
    gradients = (
        to_gate_1,
        to_update_1,
        to_gate_2,
        flow * fed * (1 - f2),
        to_start_1,
        to_start_2,
        to_fed.sum(0),
    )
    return tuple(x.to(dtype) for x in gradients)
