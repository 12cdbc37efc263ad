"""What every cell is, automaton or not: it starts somewhere, and reads T symbols of B strings at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.number_text import shorten


class Ran(NamedTuple):
    """What a cell computed for T symbols of B strings.

    Attributes:
        scores: what a reader asks about: of a :class:`~neural.cell.Cell` c_1, ..., c_T before any output
            nonlinearity, shape ``(T, B, hidden_size)``; of a state-regularized cell the transition
            probabilities, shape ``(T, B, k)``.
        outputs: shape ``(T, B, output_size)``.
        states: the state after each symbol, one tensor of shape ``(T, B, ...)`` for each of the state's.
    """

    scores: Tensor
    outputs: Tensor
    states: tuple[Tensor, ...]


class Unrolled(nn.Module):
    """One layer, one direction.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units.
        device, dtype: as in torch; float32 or float64.
    """

    reads_symbols: ClassVar[bool] = False  # the inputs are numbers of symbols, without an axis of their own

    def __init__(self, input_size: int, hidden_size: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size = whole("input_size", input_size)
        self.hidden_size = whole("hidden_size", hidden_size)
        self.output_size = hidden_size
        self.made = {"device": device, "dtype": dtype}

    def sizes(self) -> list[tuple[int, ...]]:
        """The shape of each tensor of the state, without the batch."""
        return [(self.hidden_size,)]

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """The first state of each string: ``value`` (zero without it) everywhere."""
        like = next(self.parameters())
        made = (torch.zeros(batch, *size, dtype=like.dtype, device=like.device) for size in self.sizes())
        return tuple(s if value is None else s + value for s in made)

    def run(self, inputs: Tensor, state: Sequence[Tensor]) -> Ran:
        """Read T symbols of B strings: inputs of shape ``(T, B, input_size)``, the state as ``start`` makes
        it.
        """
        raise NotImplementedError


def whole(name: str, value: Any, least: int = 1) -> int:
    """The value, where it is an integer that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} is {shorten(value)}, where an integer from {least} on is right")
    return value


def one_of(name: str, value: Any, right: Sequence[Any]) -> Any:
    """The value, where it is one of those."""
    if not any(value is r or (isinstance(value, str) and value == r) for r in right):
        shown = ['"' + r + '"' if isinstance(r, str) else repr(r) for r in right]
        raise InputError(f"{name} is {shorten(value)}, where {' or '.join(shown)} is right")
    return value
