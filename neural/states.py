"""Conversion of states between a network's form, stacked as in torch, and the cells': one tuple of tensors
``(B, ...)`` for each cell.

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
    """The cells' states as one tensor ``(cells, B, ...)``, or a tuple: of such, or of tensors ``(B, ...)``
    whose shapes differ.
    """
    parts: list[Any] = []
    for same in zip(*states, strict=True):
        column = same if batched else tuple(s.squeeze(0) for s in same)
        parts.append(torch.stack(column) if len({s.shape for s in column}) == 1 else column)
    return parts[0] if len(parts) == 1 else tuple(parts)


def split(state: Any, cells: Sequence[RecurrentCell], form: Layout) -> list[tuple[Tensor, ...]]:
    """The states of the cells from a network's state, the inverse of :func:`join`; their own starts for
    ``None``.
    """
    batch = form.inputs.shape[1]
    if state is None:
        return [cell.start(batch) for cell in cells]
    parts = (state,) if isinstance(state, Tensor) else tuple(state)
    sizes = [cell.sizes() for cell in cells]
    if len(parts) != len(sizes[0]):
        raise InputError(f"state has {len(parts)} part(s), where {len(sizes[0])} are right")
    columns = [
        _part(part, [size[k] for size in sizes], batch, form.batched, k) for k, part in enumerate(parts)
    ]
    return list(zip(*columns, strict=True))


def _part(part: Any, sizes: list[tuple[int, ...]], batch: int, batched: bool, number: int) -> list[Tensor]:
    right = [(batch, *size) if batched else size for size in sizes]
    if isinstance(part, Tensor) and len(set(right)) > 1:
        raise InputError(
            f"part {number} of the state is one tensor, where a tuple of {len(right)}, one a cell, is right"
        )
    if isinstance(part, Tensor) and part.shape != (len(right), *right[0]):
        raise InputError(f"state has shape {tuple(part.shape)}, where {(len(right), *right[0])} is right")
    tensors = list(part)
    shapes = [tuple(p.shape) if isinstance(p, Tensor) else type(p).__name__ for p in tensors]
    if shapes != right:
        raise InputError(f"part {number} of the state has shapes {shapes}, where {right} are right")
    return [p if batched else p.unsqueeze(0) for p in tensors]
