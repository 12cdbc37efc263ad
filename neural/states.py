"""Conversion of states between a network's form and the cells' form.

A network stacks states as torch does. A cell's state is one tuple of tensors ``(B, ...)``.

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
    """Stack the cells' states into one tensor ``(cells, B, ...)``, or a tuple with one such tensor per part.

    If the shapes of a part differ between cells, a tuple of tensors ``(B, ...)`` replaces its tensor.
    """
    parts: list[Any] = []
    for same in zip(*states, strict=True):
        column = same if batched else tuple(s.squeeze(0) for s in same)
        parts.append(torch.stack(column) if len({s.shape for s in column}) == 1 else column)
    return parts[0] if len(parts) == 1 else tuple(parts)


def split(state: Any, cells: Sequence[RecurrentCell], form: Layout) -> list[tuple[Tensor, ...]]:
    """Split a network's state into the cells' states; the inverse of :func:`join`.

    If the state is ``None``, return the cells' first states.
    """
    batch = form.inputs.shape[1]
    if state is None:
        return [cell.start(batch) for cell in cells]
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
    tensors = list(part)
    shapes = [tuple(p.shape) if isinstance(p, Tensor) else type(p).__name__ for p in tensors]
    if shapes != expected:
        raise InputError(f"part {number} of the state must have shapes {expected}, got {shapes}")
    return [p if batched else p.unsqueeze(0) for p in tensors]
