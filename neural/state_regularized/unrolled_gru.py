"""A fast SR-GRU for training with large batches, with a hand-written gradient.

The equations are 2 and 5 of Wang & Niepert 2019. Since h_{t-1} = S alpha_{t-1}, the linear maps of h are
linear maps of alpha. At each step, one product with [U S; S] computes both U h (for the gates) and h. The
backward pass uses products of the same size. The gradient of each weight is one product over all steps.
Sequences are packed as in torch: ordered by step, longest sequence first, so that there is no padding.

>>> from neural.state_regularized.layers import SRGRU
>>> cell = SRGRU(3, 2, k=5).cell
>>> packed = pack([[0, 1, 1], [1]])
>>> logits, alpha = run(cell, torch.zeros(2, 3), packed, torch.full((2, 5), 0.2))
>>> logits.shape, packed.last(alpha, torch.full((2, 5), 0.2)).shape
(torch.Size([4, 5]), torch.Size([2, 5]))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.state_regularized.layers import SRCell
from neural.state_regularized.parts import GRUPart


@dataclass(frozen=True)
class Packed:
    """B packed sequences of tokens with N symbols in total.

    Attributes:
        order: the indices of the sequences, longest first, shape ``(B,)``.
        tokens: the tokens of all symbols, shape ``(N,)``: the first symbols of all sequences, then the second
            symbols of all sequences with at least two symbols, and so on.
        sizes: for each t, the number of sequences with at least t symbols.
        before: the index of the state before each symbol, shape ``(N,)``. Indices 0 to B - 1 are the first
            states, and index B + i is the state after symbol i.
        ends: the index of each sequence's last state, in the order of ``order``, shape ``(B,)``.
    """

    order: Tensor
    tokens: Tensor
    sizes: tuple[int, ...]
    before: Tensor
    ends: Tensor

    def last(self, after: Tensor, first: Tensor) -> Tensor:
        """Return the row of each sequence's last symbol, in the original order, shape ``(B, ...)``.

        For an empty sequence, return its row of ``first``.

        Args:
            after: one row per symbol, shape ``(N, ...)``.
            first: one row per sequence, before its first symbol, in the original order, shape ``(B, ...)``.
        """
        rows = torch.cat([first[self.order], after])
        return rows[self.ends][torch.argsort(self.order)]


def pack(strings: Sequence[Sequence[int]]) -> Packed:
    """Pack sequences of tokens in the order of torch's packed sequences.

    The sequences are sorted by decreasing length. The first tokens of all sequences come first, then the
    second tokens, and so on.
    """
    lengths = torch.tensor([len(string) for string in strings])
    order = torch.argsort(lengths, descending=True, stable=True)
    inside = lengths[order]
    longest = int(inside[0]) if len(strings) else 0
    padded = torch.zeros(len(strings), longest, dtype=torch.long)
    for row, index in enumerate(order.tolist()):
        if len(strings[index]):
            padded[row, : len(strings[index])] = torch.as_tensor(strings[index])
    return packed(padded, inside, order)


def packed(padded: Tensor, lengths: Tensor, order: Tensor | None = None) -> Packed:
    """Pack padded sequences of tokens, shape ``(B, T)``, which must be sorted by decreasing length.

    ``lengths`` contains their lengths, shape ``(B,)``. ``order`` contains their indices before sorting; by
    default, 0 to B - 1.
    """
    batch, longest = padded.shape
    there = torch.arange(longest) < lengths[:, None]
    sizes = there.sum(dim=0)
    starts = batch + torch.cumsum(sizes, 0) - sizes  # the index of the first state after each step
    rows = torch.arange(batch)
    previous = torch.cat([torch.zeros(1, dtype=torch.long), starts[:-1]]) if longest else starts
    before = (previous[:, None] + rows)[there.T]
    ends = torch.where(lengths > 0, starts[(lengths - 1).clamp(min=0)] + rows, rows) if longest else rows
    return Packed(rows if order is None else order, padded.T[there.T], tuple(sizes.tolist()), before, ends)


def run(
    cell: SRCell, inputs: Tensor, strings: Packed, first: Tensor, noise: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Compute the logits b / temperature (without the noise) and alpha after each symbol.

    Args:
        cell: the cell of an SR-GRU with ``similarity="dot"`` and ``transition="mixture"``.
        inputs: x of each token, shape ``(tokens, input_size)``.
        strings: the packed sequences.
        first: alpha before the first symbols, in the original order of the sequences, shape ``(B, k)``.
        noise: added to the logits, shape ``(N, k)``.

    Returns:
        ``(logits, alpha)``, each of shape ``(N, k)``, with rows in the packed order.

    Raises:
        InputError: If the cell is of a different kind.
    """
    part, component = cell.part, cell.component
    if not isinstance(part, GRUPart) or (component.similarity, component.transition) != ("dot", "mixture"):
        raise InputError('the cell must be that of an SR-GRU with similarity="dot" and transition="mixture"')
    d = cell.hidden_size
    centroids = component.centroids
    wide = torch.cat([part.hidden.weight @ centroids, centroids]).T  # maps alpha to U h and h: (k, 4 d)
    read = part.read(inputs)
    if part.hidden.bias is not None:
        bias = part.hidden.bias
        read = torch.cat([read[:, : 2 * d] + bias[: 2 * d], read[:, 2 * d :]], dim=1)
        inner = bias[2 * d :]
    else:
        inner = read.new_zeros(d)
    logits, alpha = _Unrolled.apply(  # type: ignore[no-untyped-call]
        read, wide, inner, centroids / component.temperature, first[strings.order], strings, noise
    )
    return logits, alpha


class _Unrolled(torch.autograd.Function):
    """An autograd function that computes the logits and alpha after each symbol; see :func:`run`."""

    @staticmethod
    def forward(
        ctx: Any,
        read: Tensor,
        wide: Tensor,
        inner: Tensor,
        scaled: Tensor,
        first: Tensor,
        strings: Packed,
        noise: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        d, k = scaled.shape
        steps = len(strings.tokens)
        # derivatives of u with respect to the arguments of the sigmoids (r and z), U_n h + b'_n, and h
        factors = read.new_empty(steps, 4, d)
        # the derivative of u with respect to the argument of tanh
        through, us = read.new_empty(steps, d), read.new_empty(steps, d)
        logits, alphas = read.new_empty(steps, k), read.new_empty(steps, k)
        now, at = first, 0
        for size in strings.sizes:
            rows = slice(at, at + size)
            mapped, maps = read[strings.tokens[rows]], now[:size] @ wide
            r, z = maps[:, : 2 * d].add_(mapped[:, : 2 * d]).sigmoid_().chunk(2, dim=1)
            inside, h = maps[:, 2 * d : 3 * d].add_(inner), maps[:, 3 * d :]
            n = torch.addcmul(mapped[:, 2 * d :], r, inside).tanh_()
            rest = 1 - z
            torch.addcmul(rest, rest, n * n, value=-1, out=through[rows])
            torch.mul(through[rows], r, out=factors[rows, 2])
            torch.mul(through[rows] * inside, torch.addcmul(r, r, r, value=-1), out=factors[rows, 0])
            torch.mul(h - n, rest.mul_(z), out=factors[rows, 1])
            factors[rows, 3] = z
            torch.lerp(n, h, z, out=us[rows])
            torch.mm(us[rows], scaled, out=logits[rows])
            now = alphas[rows]
            torch.softmax(logits[rows] if noise is None else logits[rows] + noise[rows], dim=1, out=now)
            at += size
        ctx.save_for_backward(wide, scaled, first, factors, through, us, alphas)
        ctx.strings, ctx.inputs = strings, len(read)
        return logits, alphas

    @staticmethod
    def backward(ctx: Any, from_logits: Tensor, from_alpha: Tensor) -> Any:
        wide, scaled, first, factors, through, us, alphas = ctx.saved_tensors
        strings: Packed = ctx.strings
        d, k = scaled.shape
        steps = len(alphas)
        to_u, to_gates, to_logits = us.new_empty(steps, d), us.new_empty(steps, 4 * d), us.new_empty(steps, k)
        turned, narrow = scaled.T.contiguous(), wide.T.contiguous()
        later: Tensor | None = None
        at = steps
        for size in reversed(strings.sizes):
            at -= size
            rows = slice(at, at + size)
            to_alpha = from_alpha[rows]
            if later is not None:
                to_alpha = to_alpha.clone()
                to_alpha[: len(later)] += later
            torch.add(
                from_logits[rows],
                torch._softmax_backward_data(to_alpha, alphas[rows], 1, alphas.dtype),
                out=to_logits[rows],
            )
            torch.mm(to_logits[rows], turned, out=to_u[rows])
            torch.mul(to_u[rows].unsqueeze(1), factors[rows], out=to_gates[rows].view(size, 4, d))
            later = to_gates[rows] @ narrow
        to_first = torch.zeros_like(first)
        if later is not None:
            to_first[: len(later)] = later
        one_hot = torch.nn.functional.one_hot(strings.tokens, ctx.inputs).to(us.dtype).T
        to_read = torch.cat([one_hot @ to_gates[:, : 2 * d], one_hot @ to_u.mul_(through)], dim=1)
        to_wide = torch.cat([first, alphas])[strings.before].T @ to_gates
        return to_read, to_wide, to_gates[:, 2 * d : 3 * d].sum(dim=0), us.T @ to_logits, to_first, None, None
