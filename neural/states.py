"""Conversion between the state of a network and the states of its cells.

The state of a cell is a tuple of tensors ``(B, ...)``. The state of a network stacks the cells' tensors, as
torch does.

>>> join([(torch.zeros(4, 2),), (torch.ones(4, 2),)], batched=True).shape
torch.Size([2, 4, 2])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.shapes import Layout
from neural.unrolled import RecurrentCell


def join(states: Sequence[tuple[Tensor, ...]], batched: bool) -> Any:
    """Stack the states of the cells into the state of the network.

    The first tensors of all states are stacked into one tensor ``(cells, B, ...)``, then the second tensors,
    and so on. If their shapes differ between cells, the tensors form a tuple instead. The result is the
    single stack if each state has one tensor, and otherwise the tuple of all stacks.
    """
    parts: list[Any] = []
    for same in zip(*states, strict=True):
        column = same if batched else tuple(s.squeeze(0) for s in same)
        parts.append(torch.stack(column) if len({s.shape for s in column}) == 1 else column)
    return parts[0] if len(parts) == 1 else tuple(parts)


def split(state: Any, cells: Sequence[RecurrentCell], form: Layout) -> list[tuple[Tensor, ...]]:
    """Split the state of a network into the states of its cells, which is the inverse of :func:`join`.

    If ``state`` is ``None``, return the initial states of the cells.
    """
    batch = form.inputs.shape[1]
    if state is None:
        return [cell.start(batch) for cell in cells]
    if not isinstance(state, (Tensor, tuple, list)):
        raise InputError(f"state must be a tensor or a tuple of tensors, got {type(state).__name__}")
    parts = (state,) if isinstance(state, Tensor) else tuple(state)
    sizes = [cell.sizes() for cell in cells]
    if len(parts) != len(sizes[0]):
        raise InputError(f"state must have {len(sizes[0])} part(s), got {len(parts)}")
    columns = [
        _part(part, [size[k] for size in sizes], batch, form.batched, k) for k, part in enumerate(parts)
    ]
    return list(zip(*columns, strict=True))


def _part(part: Any, sizes: list[tuple[int, ...]], batch: int, batched: bool, number: int) -> list[Tensor]:
    expected = [(batch, *size) if batched else size for size in sizes]
    if isinstance(part, Tensor) and len(set(expected)) > 1:
        raise InputError(
            f"part {number} of the state must be a tuple of {len(expected)} tensors, one per cell, got one"
            " tensor"
        )
    if isinstance(part, Tensor) and part.shape != (len(expected), *expected[0]):
        raise InputError(f"state must have shape {(len(expected), *expected[0])}, got {tuple(part.shape)}")
    tensors = list(part) if isinstance(part, (Tensor, tuple, list)) else [part]
    shapes = [tuple(p.shape) if isinstance(p, Tensor) else type(p).__name__ for p in tensors]
    if shapes != expected:
        raise InputError(f"part {number} of the state must have shapes {expected}, got {shapes}")
    return [p if batched else p.unsqueeze(0) for p in tensors]
