"""The base class of recurrent cells, which compute all time steps of a batch of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from automata.checks import checked_integer
from automata.errors import InputError
from automata.text.number_text import shorten


class CellOutput(NamedTuple):
    """The result of a cell on B sequences of T symbols.

    Attributes:
        scores: for an :class:`~neural.cell.AutomatonCell`, c_1, ..., c_T before any output nonlinearity,
            shape ``(T, B, hidden_size)``. For a state-regularized cell, the transition probabilities, shape
            ``(T, B, k)``. For a cell of the baselines without centroids, the hidden states.
        outputs: shape ``(T, B, output_size)``.
        states: the state after each symbol, one tensor ``(T, B, ...)`` for each tensor of the state.
    """

    scores: Tensor
    outputs: Tensor
    states: tuple[Tensor, ...]


class RecurrentCell(nn.Module):
    """A torch module that computes all time steps of one layer in one direction.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units.
        device, dtype: as in torch; float32 or float64.
    """

    reads_symbols: ClassVar[bool] = False  # whether inputs are symbol indices without a feature axis

    def __init__(self, input_size: int, hidden_size: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size = checked_integer("input_size", input_size)
        self.hidden_size = checked_integer("hidden_size", hidden_size)
        self.output_size = hidden_size
        self.factory_kwargs = {"device": device, "dtype": dtype}

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shape of each tensor of the state, without the batch axis."""
        return [(self.hidden_size,)]

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the initial state of each sequence, filled with ``value`` (zero by default)."""
        like = next(self.parameters())
        zeros = (torch.zeros(batch, *size, dtype=like.dtype, device=like.device) for size in self.sizes())
        number = value.to(like) if isinstance(value, Tensor) else value
        return tuple(s if number is None else s + number for s in zeros)

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> CellOutput:
        """Run the cell on B sequences of T symbols.

        Args:
            inputs: shape ``(T, B, input_size)``.
            state: the state, as returned by :meth:`start`.
        """
        raise NotImplementedError


def one_of(name: str, value: Any, options: Sequence[Any]) -> Any:
    """Return the value, or raise InputError unless it is one of the options."""
    if not any(value is r or (isinstance(value, str) and value == r) for r in options):
        choices = ['"' + r + '"' if isinstance(r, str) else repr(r) for r in options]
        raise InputError(f"{name} must be {' or '.join(choices)}, got {shorten(value)}")
    return value
