"""Adapters for kernels with other layouts and names, for :func:`~ratproof.api.kernels.kernel_claim`.

Adapters only change names and layouts. The values are those of the original kernel.

>>> import torch
>>> def decayed_sum(*, x, log_decay, initial_state):  # other names, and axes (B, D, T)
...     states, h = [], x.new_zeros(x.shape[:2]) if initial_state is None else initial_state
...     for t in range(x.shape[2]):
...         h = log_decay[..., t].exp() * h + x[..., t]
...         states.append(h)
...     return torch.stack(states, 2) if states else x, h
>>> kernel = renamed(axes(decayed_sum, "BTD", "BDT"), g="log_decay")
>>> outputs, state = kernel(x=torch.ones(1, 3, 2), g=torch.zeros(1, 3, 2), initial_state=None)
>>> outputs.shape, state.tolist()
(torch.Size([1, 3, 2]), [[3.0, 3.0]])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError

Function = Callable[..., Any]


def renamed(kernel: Function, **names: str) -> Function:
    """Return a kernel whose arguments have other names.

    ``renamed(kernel, g="log_decay")`` passes as ``log_decay`` the tensor that the family calls ``g``.
    """

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        return kernel(**{names.get(name, name): value for name, value in arguments.items()})

    return _with_names(adapted, kernel, {theirs: ours for ours, theirs in names.items()})


def axes(kernel: Function, ours: str, theirs: str) -> Function:
    """Return a kernel whose tensors have their leading axes in another order.

    ``axes(kernel, "BTH", "BHT")`` is for a kernel with heads before time. The outputs are transposed, and so
    are all tensors with at least that many axes, except for ``initial_state``.
    """
    if sorted(ours) != sorted(theirs) or len(set(ours)) != len(ours):
        raise InputError(
            f"axes must be two permutations of the same distinct letters, got {ours!r} and {theirs!r}"
        )
    there = [ours.index(axis) for axis in theirs]
    back = [theirs.index(axis) for axis in ours]

    def moved(x: Any, order: list[int]) -> Any:
        if not isinstance(x, Tensor) or x.dim() < len(order):
            return x
        return x.permute(*order, *range(len(order), x.dim()))

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        own = {n: x if n in OPTIONS else moved(x, there) for n, x in arguments.items()}
        outputs, state = kernel(**own)
        return moved(outputs, back), state

    return adapted


def transposed_states(kernel: Function) -> Function:
    """Return a kernel whose initial and final states have the shape ``(N, H, V, K)``."""

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        state = arguments.get("initial_state")
        if state is not None:
            arguments["initial_state"] = state.transpose(-1, -2)
        outputs, state = kernel(**arguments)
        return outputs, None if state is None else state.transpose(-1, -2)

    return adapted


def with_normaliser(kernel: Function) -> Function:
    """Return a kernel whose initial and final states are pairs (S, z) of a state and its normaliser.

    S has the shape ``(N, H, K, V)`` and z the shape ``(N, H, K)``. ``kernel_claim`` uses z as the last column
    of a state.
    """

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        state = arguments.get("initial_state")
        if state is not None:
            arguments["initial_state"] = (state[..., :-1], state[..., -1])
        outputs, pair = kernel(**arguments)
        return outputs, None if pair is None else torch.cat([pair[0], pair[1][..., None]], -1)

    return adapted


def with_stabilizer(kernel: Function) -> Function:
    """Return an mLSTM kernel whose initial and final states are triples (C, n, m) with a stabilizer m.

    The shapes are ``(N, H, K, V)``, ``(N, H, K)`` and ``(N, H)``. ``kernel_claim`` uses the
    states (exp(m) C, exp(m) n).
    """

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        state = arguments.get("initial_state")
        if state is not None:
            arguments["initial_state"] = (*state, torch.zeros_like(state[1][..., 0]))
        outputs, triple = kernel(**arguments)
        if triple is None:
            return outputs, None
        memory, normaliser, stabilizer = triple
        factor = stabilizer.exp()
        return outputs, (factor[..., None, None] * memory, factor[..., None] * normaliser)

    return adapted


OPTIONS = ("initial_state", "cu_seqlens")
"""Arguments without batch and time axes."""


def _with_names(adapted: Function, kernel: Function, ours: dict[str, str]) -> Function:
    """Give the adapted kernel a signature with the family's names, so that missing options are detected."""
    try:
        signature = inspect.signature(kernel)
    except (TypeError, ValueError):
        return adapted
    parameters = [
        parameter.replace(name=ours.get(name, name)) for name, parameter in signature.parameters.items()
    ]
    adapted.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return adapted
