"""Computation of all steps of state-regularized cells and LSTMs, with a hand-written gradient.

The results equal those of :meth:`~neural.unrolled.RecurrentCell.run`, and gradients are faster. The layers of
:mod:`~neural.state_regularized.layers` use this code automatically. Call :func:`steps` in a training loop
that adds noise, or that reads the input of the stochastic component.

>>> from neural.state_regularized.layers import SRLSTMP
>>> cell = SRLSTMP(3, 2, k=5).cell
>>> result = steps(cell, torch.zeros(7, 4, 3), cell.start(4))
>>> result.u.shape, result.h.shape, result.alpha.shape, result.c.shape
(torch.Size([7, 4, 2]), torch.Size([7, 4, 2]), torch.Size([7, 4, 5]), torch.Size([7, 4, 2]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from automata.errors import InputError
from neural.state_regularized.component import COLD, StochasticComponent
from neural.state_regularized.parts import GRUPart, LSTMPart, PeepholePart, RecurrentPart
from neural.state_regularized.rows import Rows
from neural.state_regularized.steps_of_grus import GRUSteps
from neural.state_regularized.steps_of_lstms import LSTMSteps


class Steps(NamedTuple):
    """The results of all steps; each tensor has the axes of the inputs, except the last axis.

    Attributes:
        u: the output of the recurrent component, before the stochastic component.
        h: the new hidden state; without a stochastic component, it is u.
        alpha: the probabilities of the centroids; ``None`` without a stochastic component.
        c: the cell state; ``None`` if the cell has none.
    """

    u: Tensor
    h: Tensor
    alpha: Tensor | None
    c: Tensor | None


def steps(
    cell: nn.Module,
    inputs: Tensor,
    state: Sequence[Tensor],
    sizes: Sequence[int] | None = None,
    noise: Tensor | None = None,
    gate_noise: Tensor | None = None,
) -> Steps:
    """Run a cell, and return the results of all steps.

    Args:
        cell: the cell of an SR-GRU, SR-LSTM or SR-LSTM-P with ``similarity="dot"`` and
            ``transition="mixture"``, or of an LSTM or LSTM-P without centroids.
        inputs: x, shape ``(T, B, input_size)``. With ``sizes``, packed sequences as in torch, shape
            ``(N, input_size)``: the first symbols of all sequences, longest sequence first, then the second
            symbols, and so on.
        state: the first state, ``(h,)`` or ``(h, c)``, of shape ``(B, d)`` each.
        sizes: for each t, the number of sequences with at least t symbols; all are positive.
        noise: added to the logits u S / tau, shape ``(T, B, k)`` or ``(N, k)``.
        gate_noise: added to the gates' pre-activations, shape ``(T, B, gates * d)`` or ``(N, gates * d)``,
            gates in torch's order.

    Raises:
        InputError: If the cell is of a different kind, or if there are no steps.
    """
    part, component = _parts_of(cell)
    sizes = (inputs.shape[1],) * len(inputs) if sizes is None else tuple(sizes)
    lead = inputs.shape[:-1]
    if not sizes or 0 in sizes:
        raise InputError(
            "inputs must have at least one step, and each step at least one sequence, got the sizes"
            f" {sizes!r:.80}"
        )
    run, rows = _gru if isinstance(part, GRUPart) else _lstm, Rows(sizes)
    with torch.autocast(inputs.device.type, enabled=False):  # all steps use the weights' precision
        inputs, *first = (x.to(part.hidden.weight.dtype) for x in (inputs, *state))
        read = part.read(inputs).reshape(rows.ends[-1], part.hidden.out_features)
        if gate_noise is not None:
            read = read + gate_noise.reshape(read.shape)
        flat = None if noise is None else noise.reshape(len(read), -1)
        results = run(part, component, read, first, flat, rows)
    return Steps(*(None if one is None else one.reshape(*lead, -1) for one in results))  # type: ignore[arg-type]


def can_run(cell: nn.Module, inputs: Tensor, state: Sequence[Tensor]) -> bool:
    """Return whether a cell should compute these steps with :func:`steps`.

    The cell must be supported, and a gradient must be required. Under transforms of ``torch.func``,
    forward-mode differentiation and compilers, the cell computes the steps itself.
    """
    tensors = (inputs, *state, *cell.parameters())
    return (
        torch.is_grad_enabled()
        and inputs.shape[0] > 0
        and inputs.shape[1] > 0
        and any(one.requires_grad for one in tensors)
        and computes(cell)
        and not torch.compiler.is_compiling()
        and not torch._C._get_tracing_state()
        and not torch.is_autocast_enabled(inputs.device.type)
        and not torch._C._are_functorch_transforms_active()
        and torch.autograd.forward_ad._current_level < 0
    )


def _parts_of(cell: Any) -> tuple[RecurrentPart, StochasticComponent | None]:
    if not computes(cell):
        raise InputError(
            'the cell must be that of an SR-GRU, SR-LSTM or SR-LSTM-P with similarity="dot" and'
            f' transition="mixture" and a temperature of at least {COLD:.3g}, or that of an LSTM or LSTM-P'
        )
    return cell.part, getattr(cell, "component", None)


def computes(cell: Any) -> bool:
    """Return whether :func:`steps` supports this cell."""
    part, component = getattr(cell, "part", None), getattr(cell, "component", None)
    if component is None:
        return isinstance(part, LSTMPart)
    usual = (component.similarity, component.transition) == ("dot", "mixture")
    return isinstance(part, GRUPart | LSTMPart) and usual and component.temperature >= COLD


def _lstm(
    part: Any,
    component: StochasticComponent | None,
    read: Tensor,
    state: Sequence[Tensor],
    noise: Tensor | None,
    rows: Rows,
) -> tuple[Tensor | None, ...]:
    h, c = state
    weight = part.hidden.weight.T
    first, wide, scaled = part.hidden(h), weight, None
    if part.hidden.bias is not None:
        first = h @ weight
        read = read + part.hidden.bias
    if component is not None:
        wide, scaled = component.centroids.T @ weight, component.centroids / component.temperature
    peepholes = part.peepholes if isinstance(part, PeepholePart) else None
    u, alpha, cells = LSTMSteps.apply(  # type: ignore[no-untyped-call]
        read, first, c, wide, peepholes, scaled, noise, rows
    )
    return u, u if component is None else alpha @ component.centroids.T, alpha, cells


def _gru(
    part: Any,
    component: StochasticComponent | None,
    read: Tensor,
    state: Sequence[Tensor],
    noise: Tensor | None,
    rows: Rows,
) -> tuple[Tensor | None, ...]:
    assert component is not None
    (h,) = state
    centroids, weight, bias = component.centroids, part.hidden.weight, part.hidden.bias
    d = len(centroids)
    wide = torch.cat([weight @ centroids, centroids]).T
    first = torch.cat([h @ weight.T, h], dim=1)
    inner = read.new_zeros(d)
    if bias is not None:
        read = read + torch.cat([bias[: 2 * d], bias.new_zeros(d)])
        inner = bias[2 * d :]
    u, alpha = GRUSteps.apply(  # type: ignore[no-untyped-call]
        read, first, wide, inner, centroids / component.temperature, noise, rows
    )
    return u, alpha @ centroids.T, alpha, None
