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
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from ratproof.laws.kernels.state_parts import Function


def renamed(kernel: Function, **names: str) -> Function:
    """Adapt a kernel whose arguments have names other than the family's.

    In ``renamed(kernel, g="log_decay")``, ``g`` is the family's name and ``log_decay`` is the kernel's name.
    """

    @functools.wraps(kernel)
    def adapted(**arguments: object) -> object:
        return kernel(**{names.get(name, name): value for name, value in arguments.items()})

    return _with_names(adapted, kernel, {theirs: ours for ours, theirs in names.items()})


def axes(kernel: Function, ours: str, theirs: str) -> Function:
    """Adapt a kernel whose tensors have their leading axes in another order.

    For example, ``axes(kernel, "BTH", "BHT")`` adapts a kernel with heads before time. The tensor arguments
    are transposed for the kernel, and its outputs are transposed back. ``initial_state``, ``cu_seqlens``, the
    final state, and tensors with fewer axes than letters remain unchanged. If other tensors have as many axes
    as letters, pass more letters: ``axes(kernel, "BTD", "TBD")`` leaves the weight of a convolution, of shape
    ``(D, W)``, unchanged; ``axes(kernel, "BT", "TB")`` does not.
    """
    if sorted(ours) != sorted(theirs) or len(set(ours)) != len(ours):
        raise InputError(
            f"axes must be two permutations of the same distinct letters, got {ours!r} and {theirs!r}"
        )
    there = [ours.index(axis) for axis in theirs]
    back = [theirs.index(axis) for axis in ours]

    def moved(x: object, order: list[int]) -> object:
        if not isinstance(x, Tensor) or x.dim() < len(order):
            return x
        return x.permute(*order, *range(len(order), x.dim()))

    @functools.wraps(kernel)
    def adapted(**arguments: object) -> object:
        own = {n: x if n in OPTIONS else moved(x, there) for n, x in arguments.items()}
        outputs, state = kernel(**own)
        return moved(outputs, back), state

    return adapted


def transposed_states(kernel: Function) -> Function:
    """Adapt a kernel whose initial and final states have the shape ``(N, H, V, K)``."""

    @functools.wraps(kernel)
    def adapted(**arguments: Any) -> Any:
        state = arguments.get("initial_state")
        if state is not None:
            arguments["initial_state"] = state.transpose(-1, -2)
        outputs, state = kernel(**arguments)
        return outputs, None if state is None else state.transpose(-1, -2)

    return adapted


def with_normaliser(kernel: Function) -> Function:
    """Adapt a kernel whose initial and final states are pairs (S, z) of a state and its normaliser.

    S has the shape ``(N, H, K, V)`` and z the shape ``(N, H, K)``. The adapted kernel has a single state of
    shape ``(N, H, K, V + 1)`` with z as the last column, as ``kernel_claim`` requires.
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
    """Adapt an mLSTM kernel whose initial and final states are triples (C, n, m) with a stabilizer m.

    The shapes are ``(N, H, K, V)``, ``(N, H, K)`` and ``(N, H)``. The states of the adapted kernel are the
    pairs (exp(m) C, exp(m) n), as ``kernel_claim`` requires.
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
"""Arguments whose axes are not reordered, because they have no time axis."""


def _with_names(adapted: Function, kernel: Function, ours: dict[str, str]) -> Function:
    """Give the adapted kernel the signature of ``kernel`` with the family's names, and return it.

    The signature shows which options the kernel does not accept.
    """
    try:
        signature = inspect.signature(kernel)
    except (TypeError, ValueError):
        return adapted
    parameters = [
        parameter.replace(name=ours.get(name, name))
        for name, parameter in signature.parameters.items()
        if name in ours or name not in ours.values()  # another argument of the kernel may have our name
    ]
    adapted.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return adapted
