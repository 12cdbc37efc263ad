"""Computation of all steps of an LSTM with a hand-written gradient.

Peepholes and a stochastic component are optional (equations 2, 5 and 6 to 8, Wang & Niepert 2019). Rows are
ordered as in :class:`~neural.state_regularized.rows.Rows`. The state ``a`` passes from step to step. With a
stochastic component, a is alpha, because h = S alpha and therefore R h = (R S) alpha. Otherwise, a is h.

The gradient of a step is one product with the matrix R S (or R) and a few elementwise products, whose factors
are computed for many steps at once. The gradient of each weight is one product over all steps.
Gates are in torch's order: input, forget, cell, output.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.state_regularized.rows import Rows, added, blocks, needs_differentiable_steps, softmax_backward


class LSTMSteps(torch.autograd.Function):
    """An autograd function that computes all steps of an LSTM.

    :func:`differentiable_steps` computes the same results with functions that autograd differentiates.
    """

    @staticmethod
    def forward(
        ctx: Any,
        read: Tensor,
        first: Tensor,
        c: Tensor,
        wide: Tensor,
        peepholes: Tensor | None,
        scaled: Tensor | None,
        noise: Tensor | None,
        rows: Rows,
    ) -> tuple[Tensor, Tensor | None, Tensor]:
        """Compute u, alpha (with a stochastic component) and c after each step.

        Args:
            ctx: the autograd context, which stores tensors for the gradient.
            read: W x + b of all gates, shape ``(N, 4 d)``.
            first: R h before the first step, shape ``(B, 4 d)``.
            c: the first cell state, shape ``(B, d)``.
            wide: the matrix that maps a to R h, shape ``(k, 4 d)``, or ``(d, 4 d)`` without a stochastic
                component.
            peepholes: the peephole weights of the gates i, f and o, shape ``(3, d)``.
            scaled: the centroids divided by the temperature, S / tau, shape ``(d, k)``; ``None`` without a
                stochastic component.
            noise: added to the logits, shape ``(N, k)``.
            rows: the order of the N rows.
        """
        count, d = len(read), c.shape[1]
        gates, tanhs, us = read.new_empty(count, 4, d), read.new_empty(count, d), read.new_empty(count, d)
        cells = read.new_empty(len(c) + count, d)
        cells[: len(c)] = c
        after = cells[len(c) :]
        alphas = None if scaled is None else read.new_empty(count, scaled.shape[1])
        parts = [rows.split(x) for x in (read, gates, after, tanhs, us)]
        chosen = None if alphas is None else rows.split(alphas)
        noises = None if noise is None else rows.split(noise)
        see_i_f, see_o = (None, None) if peepholes is None else (peepholes[:2], peepholes[2])
        a, last = first, c
        for t, (input_part, gate, now, tanh, u) in enumerate(zip(*parts, strict=True)):
            size, flat = len(u), gate.view(len(u), 4 * d)
            if t:
                torch.addmm(input_part, a[:size], wide, out=flat)
            else:
                torch.add(input_part, a, out=flat)
            i, f, g, o = gate.unbind(1)
            both, before = gate[:, :2], last[:size]
            if see_i_f is not None:
                both.addcmul_(see_i_f, before.unsqueeze(1))
            both.sigmoid_()
            g.tanh_()
            last = torch.mul(f, before, out=now).addcmul_(i, g)
            if see_o is not None:
                o.addcmul_(see_o, last)
            o.sigmoid_()
            a = torch.mul(o, torch.tanh(last, out=tanh), out=u)
            if scaled is not None and chosen is not None:
                logits = u @ scaled if noises is None else torch.addmm(noises[t], u, scaled)
                a = torch.softmax(logits, dim=1, out=chosen[t])
        ctx.save_for_backward(read, first, c, wide, peepholes, scaled, noise, gates, cells, tanhs, us, alphas)
        ctx.rows = rows
        ctx.set_materialize_grads(False)
        return us, alphas, after

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        """Compute the gradients of the tensor arguments of :meth:`forward`."""
        saved = ctx.saved_tensors
        values, (gates, cells, tanhs, us, alphas) = saved[:7], saved[7:]
        _, first, _, wide, peepholes, scaled, noise = values
        rows: Rows = ctx.rows
        start = len(first)
        if needs_differentiable_steps(grads):
            return (*rows.again(differentiable_steps, ctx, values, grads), None)
        to_u, to_alpha, from_c = (None if x is None else x.contiguous() for x in grads)
        count, d = us.shape
        to_us = torch.zeros_like(us) if to_u is None else to_u.clone()
        to_gates, to_logits = torch.empty_like(gates), None
        if alphas is not None:
            to_logits = torch.zeros_like(alphas) if to_alpha is None else to_alpha.clone()
        before = cells[:count] if rows.alike else cells[rows.before]
        later = later_c = None  # the gradients that later steps pass to a and c of a step
        ends = rows.ends
        for steps in blocks(rows, d):
            low, high = (ends[steps[-1] - 1] if steps[-1] else 0), ends[steps[0]]
            i, f, g, o = gates[low:high].unbind(1)
            tanh, past = tanhs[low:high], before[low:high]
            factors = torch.empty_like(gates[low:high, :3])
            torch.mul(torch.addcmul(i, i, i, value=-1), g, out=factors[:, 0])
            torch.mul(torch.addcmul(f, f, f, value=-1), past, out=factors[:, 1])
            torch.addcmul(i, i, g * g, value=-1, out=factors[:, 2])
            through_o = torch.addcmul(o, o, o, value=-1).mul_(tanh)
            through_c = torch.addcmul(o, o, tanh * tanh, value=-1)
            onwards = f
            if peepholes is not None:
                through_c.addcmul_(through_o, peepholes[2])
                onwards = torch.addcmul(f, factors[:, 0], peepholes[0]).addcmul_(factors[:, 1], peepholes[1])
            for t in steps:
                at, to = ends[t] - rows.sizes[t], ends[t]
                here = slice(at - low, to - low)
                into_u = to_us[at:to]
                if to_logits is not None:
                    added(to_logits[at:to], later)
                    softmax_backward(to_logits[at:to], alphas[at:to])
                    into_u.addmm_(to_logits[at:to], scaled.T)
                else:
                    added(into_u, later)
                gate = to_gates[at:to]
                torch.mul(into_u, through_o[here], out=gate[:, 3])
                into_c = into_u * through_c[here]
                added(into_c, later_c)
                if from_c is not None:
                    into_c += from_c[at:to]
                torch.mul(into_c.unsqueeze(1), factors[here], out=gate[:, :3])
                later_c = into_c.mul_(onwards[here])
                if t:
                    later = gate.view(len(into_u), 4 * d) @ wide.T
        flat = to_gates.view(count, 4 * d)
        to_peepholes = None
        if peepholes is not None:
            seen = ((0, before), (1, before), (3, cells[start:]))
            to_peepholes = torch.stack([torch.linalg.vecdot(to_gates[:, n], c, dim=0) for n, c in seen])
        return (
            flat,
            rows.first(flat),
            later_c,
            rows.previous(us if alphas is None else alphas).T @ rows.later(flat),
            to_peepholes,
            None if to_logits is None else us.T @ to_logits,
            None if noise is None else to_logits,
            None,
        )


def differentiable_steps(
    read: Tensor,
    first: Tensor,
    c: Tensor,
    wide: Tensor,
    peepholes: Tensor | None,
    scaled: Tensor | None,
    noise: Tensor | None,
    rows: Rows,
) -> tuple[Tensor, Tensor | None, Tensor]:
    """Compute the same results as :class:`LSTMSteps` with functions that autograd differentiates."""
    us, alphas, cells = list[Tensor](), list[Tensor](), list[Tensor]()
    a = first
    for t, input_part in enumerate(rows.split(read)):
        size = len(input_part)
        i, f, g, o = (input_part + (a[:size] @ wide if t else a)).chunk(4, dim=1)
        c = c[:size]
        if peepholes is not None:
            i, f = i + peepholes[0] * c, f + peepholes[1] * c
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        a = torch.sigmoid(o if peepholes is None else o + peepholes[2] * c) * torch.tanh(c)
        us.append(a)
        cells.append(c)
        if scaled is not None:
            logits = a @ scaled
            a = torch.softmax(logits if noise is None else logits + rows.split(noise)[t], dim=1)
            alphas.append(a)
    return torch.cat(us), None if scaled is None else torch.cat(alphas), torch.cat(cells)
