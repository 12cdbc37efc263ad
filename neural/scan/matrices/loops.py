"""The backend that computes products of vectors and matrices as a loop over time in torch.

It supports all devices and dtypes. Each step copies the matrix of each sequence, unless there is only one
matrix.
"""

from __future__ import annotations

import torch
from torch import Tensor


def forward(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None, semiring: str
) -> Tensor:
    """Compute the states h_1, ..., h_T of h_t = h_{t-1} M[x_t] + o_t, shape ``(T, B, n)``.

    The result is differentiable.
    """
    h, states = start, []
    for t, here in enumerate(symbols.unbind(0)):
        offset = None if offsets is None else offsets[t]
        if semiring == "real":
            h = _product(h, matrices, here)
            h = h if offset is None else h + offset
        else:
            terms = _terms(h, matrices[here], semiring)
            if offset is not None:
                terms = torch.cat([terms, offset.unsqueeze(1)], dim=1)
            h = _logarithm(terms) if semiring == "log" else terms.amax(1)
        states.append(h)
    return torch.stack(states) if states else start.new_zeros(0, *start.shape) + 0 * start


def backward(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute the gradients of the arguments matrices, start and offsets of :func:`forward`."""
    to_matrices, flow = torch.zeros_like(matrices), torch.zeros_like(start)
    to_offsets = None if offsets is None else torch.empty_like(offsets)
    for t in reversed(range(len(symbols))):
        w, here, h = grad[t] + flow, symbols[t], states[t - 1] if t else start
        live = (w != 0).any(1)[:, None]  # padding contributes nothing, even if h is infinite there
        m = matrices[here]
        to_m, to_h, to_offset = _flows(w, h, m, states[t], None if offsets is None else offsets[t], semiring)
        to_matrices.index_add_(0, here, torch.where(live.unsqueeze(2), to_m, 0))
        flow = torch.where(live, to_h, 0)
        if to_offsets is not None and to_offset is not None:
            to_offsets[t] = torch.where(live, to_offset, 0)
    return to_matrices, flow, to_offsets


def gradients(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute the same gradients as :func:`backward` with differentiable functions.

    These functions also support ``torch.func``.
    """
    flow, of_matrices, of_offsets = torch.zeros_like(start), [], []
    for t in reversed(range(len(symbols))):
        w, here, h, after = grad[t] + flow, symbols[t], states[t - 1] if t else start, states[t]
        # Padding contributes nothing, even if states are infinite there. A zero gradient alone does not mean
        # padding.
        infinite = (_is_too_large(h, semiring) | _is_too_large(after, semiring)).any(1)
        padding = ((w == 0).all(1) & infinite)[:, None]
        h, after = torch.where(padding, 0, h), torch.where(padding, 0, after)
        m = torch.where(padding.unsqueeze(2), 0, matrices[here])
        offset = None if offsets is None else torch.where(padding, 0, offsets[t])
        to_m, flow, to_offset = _flows(w, h, m, after, offset, semiring)
        of_matrices.append(to_m)
        if to_offset is not None:
            of_offsets.append(to_offset)
    if not of_matrices:
        return torch.zeros_like(matrices), flow, None if offsets is None else torch.zeros_like(offsets)
    read = symbols.flip(0).flatten()
    to_matrices = torch.zeros_like(matrices).index_add(0, read, torch.cat(of_matrices))
    return to_matrices, flow, None if offsets is None else torch.stack(of_offsets[::-1])


def _is_too_large(values: Tensor, semiring: str) -> Tensor:
    """Return which values have overflowed or are NaN.

    Over semirings other than the reals, -infinity is a valid value.
    """
    return ~values.isfinite() if semiring == "real" else ~(values < torch.inf)


def _flows(
    w: Tensor, h: Tensor, m: Tensor, after: Tensor, offset: Tensor | None, semiring: str
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute the gradients of a step's matrices, its previous state and its offset.

    The step is ``after`` = h m + offset over a semiring, and w is the gradient of ``after``.
    """
    if semiring == "real":
        return h.unsqueeze(2) * w.unsqueeze(1), torch.bmm(m, w.unsqueeze(2)).squeeze(2), w
    terms, value, w = _terms(h, m, semiring), after.unsqueeze(1), w.unsqueeze(1)
    if semiring == "log":
        part = _share(terms, value) * w
        return part, part.sum(2), None if offset is None else _share(offset, after) * w.squeeze(1)
    equal = terms == value
    mine = None if offset is None else offset == after
    count = equal.sum(1, keepdim=True) + (0 if mine is None else mine.unsqueeze(1))
    part = torch.where(equal, w / count.clamp(min=1), 0)
    to_offset = None if mine is None else torch.where(mine, (w / count.clamp(min=1)).squeeze(1), 0)
    if semiring == "max_times":
        return (
            torch.where(equal, part * h.unsqueeze(2), 0),
            torch.where(equal, part * m, 0).sum(2),
            to_offset,
        )
    return part, part.sum(2), to_offset


def _share(term: Tensor, value: Tensor) -> Tensor:
    """Return exp(term - value), the derivative of a log-sum ``value`` with respect to one of its terms.

    If all terms are -infinity, the derivative is 0.
    """
    difference = torch.where(term < value, term - value, 0)
    return torch.where(value == -torch.inf, 0, difference.exp())


def _logarithm(terms: Tensor) -> Tensor:
    """Return the log-sum-exp over axis 1.

    If all terms are -infinity, the gradient is zero, whereas that of torch's function is NaN.
    """
    nothing = (terms == -torch.inf).all(1, keepdim=True)
    return torch.where(nothing.squeeze(1), -torch.inf, torch.where(nothing, 0, terms).logsumexp(1))


def _terms(h: Tensor, m: Tensor, semiring: str) -> Tensor:
    return h.unsqueeze(2) * m if semiring == "max_times" else h.unsqueeze(2) + m


def _product(h: Tensor, matrices: Tensor, here: Tensor) -> Tensor:
    if len(matrices) == 1:
        return h @ matrices[0]
    return torch.bmm(h.unsqueeze(1), matrices[here]).squeeze(1)
