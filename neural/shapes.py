"""Conversion of a layer's inputs to the shape ``(T, B, ...)`` and of its results back.

Inputs may be batched or not, batch first, or packed.

>>> inputs, lengths = torch.zeros(4, 7, 3), [7, 2, 0, 1]
>>> form = Layout(inputs, input_size=3, batch_first=True, reads_symbols=False, lengths=lengths)
>>> form.inputs.shape, form.ends.tolist(), form.back(torch.zeros(7, 4, 5)).shape
(torch.Size([7, 4, 3]), [7, 2, 0, 1], torch.Size([4, 7, 5]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from automata.errors import InputError
from automata.text.number_text import shorten


class Layout:
    """The inputs of a layer in the layout ``(T, B, ...)``, with a method that converts results back.

    Results are converted to the layout in which the caller passed the inputs.

    Attributes:
        inputs: shape ``(T, B, input)`` (symbols: ``(T, B)``), zero after a sequence's end.
        ends: the sequences' lengths, shape ``(B,)``, on the inputs' device; ``None`` if all have length T.
        batched: whether the inputs have a batch axis.
    """

    def __init__(
        self,
        source: Any,
        input_size: int,
        batch_first: bool,
        reads_symbols: bool,
        lengths: Tensor | Sequence[int] | None,
    ) -> None:
        self.packed = isinstance(source, PackedSequence)
        if self.packed:
            if lengths is not None:
                raise InputError("lengths must be None for a packed sequence, which contains its lengths")
            self.source = source
            source, lengths = pad_packed_sequence(source)
            batch_first = False
        if not isinstance(source, Tensor):
            raise InputError(f"input must be a tensor or a packed sequence, got {type(source).__name__}")
        axes = 2 if reads_symbols else 3
        self.batched, self.batch_first = source.dim() == axes, batch_first
        source = _checked(source, axes, input_size, batch_first, reads_symbols)
        inputs = (
            source.unsqueeze(1) if not self.batched else source.transpose(0, 1) if batch_first else source
        )
        time, batch = inputs.shape[:2]
        self.ends = None if lengths is None else _ends(lengths, time, batch).to(inputs.device)
        self.inputs = self.masked(inputs)

    def masked(self, values: Tensor) -> Tensor:
        """Return values of shape ``(T, B, ...)`` with zeros after each sequence's end."""
        if self.ends is None:
            return values
        behind = torch.arange(len(values), device=values.device)[:, None] >= self.ends
        return values.masked_fill(behind.reshape(*behind.shape, *[1] * (values.dim() - 2)), 0)

    def reversed(self, values: Tensor) -> Tensor:
        """Reverse each sequence of ``(T, B, ...)`` within its length."""
        if self.ends is None:
            return values.flip(0)
        time = torch.arange(len(values), device=values.device)[:, None]
        source = torch.where(time < self.ends, self.ends - 1 - time, time)
        return values[source, torch.arange(values.shape[1], device=values.device)]

    def last(self, start: Tensor, states: Tensor) -> Tensor:
        """Return each sequence's state after its last symbol.

        ``start`` has shape ``(B, ...)`` and ``states`` has shape ``(T, B, ...)``.
        """
        if not len(states):
            return start
        if self.ends is None:
            return states[-1]
        final = states[(self.ends - 1).clamp(min=0), torch.arange(len(start), device=start.device)]
        empty = (self.ends == 0).reshape(-1, *[1] * (start.dim() - 1))
        return torch.where(empty, start, final)

    def back(self, values: Tensor) -> Any:
        """Convert values of shape ``(T, B, ...)`` to the layout in which the caller passed the inputs."""
        masked = self.masked(values)
        if self.packed:
            assert self.ends is not None
            order, source = self.source.sorted_indices, self.source
            ends = self.ends.cpu()
            if order is not None:
                masked, ends = masked.index_select(1, order), ends[order.cpu()]
            data = pack_padded_sequence(masked, ends).data
            return PackedSequence(data, source.batch_sizes, order, source.unsorted_indices)
        if not self.batched:
            return masked.squeeze(1)
        return masked.transpose(0, 1) if self.batch_first else masked


def _checked(inputs: Tensor, axes: int, input_size: int, batch_first: bool, reads_symbols: bool) -> Tensor:
    """Return the inputs, with symbols as 64-bit integers, or raise InputError if they are invalid."""
    order = "batch, time" if batch_first else "time, batch"
    if reads_symbols:
        if inputs.dim() not in (1, 2) or not is_integer(inputs):
            raise InputError(
                f"inputs must be integers of shape ({order}), got {inputs.dtype} of shape"
                f" {tuple(inputs.shape)}"
            )
        inputs = inputs.long()  # torch does not index with some of the smaller integers
        if inputs.numel() and not 0 <= int(inputs.min()) <= int(inputs.max()) < input_size:
            raise InputError(
                f"inputs must be between 0 and {input_size - 1}, got {int(inputs.min())} to"
                f" {int(inputs.max())}"
            )
    elif inputs.dim() not in (axes - 1, axes) or inputs.shape[-1] != input_size:
        raise InputError(
            f"inputs must have shape ({order}, input) with input = {input_size}, got shape"
            f" {tuple(inputs.shape)}"
        )
    return inputs


def is_integer(values: Tensor) -> bool:
    """Return whether the dtype of a tensor is an integer type; bool is not."""
    return not (values.is_floating_point() or values.is_complex() or values.dtype == torch.bool)


def _ends(lengths: Tensor | Sequence[int], time: int, batch: int) -> Tensor:
    try:
        ends = torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError):
        raise InputError(
            f"lengths must be {batch} integers from 0 to {time}, got {shorten(lengths)}"
        ) from None
    valid = ends.shape == (batch,) and (not batch or is_integer(ends))
    if not valid or (batch and not (int(ends.min()) >= 0 and int(ends.max()) <= time)):
        raise InputError(f"lengths must be {batch} integers from 0 to {time}, got {ends.tolist()}")
    return ends.long()
