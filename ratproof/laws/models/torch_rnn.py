"""The adapter for torch's own recurrent modules."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from ratproof.laws.models.inputs import Vectors
from ratproof.laws.models.model import StatefulModel


class TorchRNN(StatefulModel):
    """``nn.RNN``, ``nn.LSTM`` or ``nn.GRU``; their states are tensors of shape ``(layers, B, size)``, of an
    LSTM two of them.
    """

    module: nn.RNNBase

    def __init__(self, module: nn.RNNBase) -> None:
        self.module, self.inputs = module, Vectors(module.input_size)
        lacks = {"padding", "pieces"} if module.bidirectional else {"padding"}
        self.without = frozenset(lacks)  # what reads from behind, too, reads no pieces

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Call it, with the batch first."""
        if self.module.batch_first:
            outputs, state = self.module(inputs, state)
            return outputs, state
        outputs, state = self.module(inputs.transpose(0, 1), state)
        return outputs.transpose(0, 1), state

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """The rows of each tensor."""
        return _of_each(state, lambda part: part.index_select(1, rows))

    def clear(self, state: Any) -> Any:
        """Zeros, which a module begins with."""
        return _of_each(state, torch.zeros_like)

    def name(self) -> str:
        """As torch prints it."""
        return str(self.module)


class TorchCell(StatefulModel):
    """``nn.RNNCell``, ``nn.LSTMCell`` or ``nn.GRUCell``, called token after token; their states are tensors
    of shape ``(B, size)``, of an LSTM two of them, and the outputs are the first.
    """

    without = frozenset({"padding"})
    module: nn.RNNCellBase

    def __init__(self, module: nn.RNNCellBase) -> None:
        self.module, self.inputs = module, Vectors(module.input_size)

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Call it for each token."""
        outputs = []
        for token in inputs.unbind(1):
            state = self.module(token, state)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return torch.stack(outputs, 1), state

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """The rows of each tensor."""
        return _of_each(state, lambda part: part.index_select(0, rows))

    def clear(self, state: Any) -> Any:
        """Zeros, which a cell begins with."""
        return _of_each(state, torch.zeros_like)

    def name(self) -> str:
        """As torch prints it."""
        return str(self.module)


def of_torch_rnn(module: nn.RNNBase | nn.RNNCellBase) -> TorchRNN | TorchCell:
    """The adapter for one of torch's recurrent modules.

    >>> of_torch_rnn(torch.nn.LSTM(3, 5)).inputs
    Vectors(size=3)

    They take no mask, so ``padding`` is not tried; one that is bidirectional reads no pieces.

    Args:
        module: ``nn.RNN``, ``nn.LSTM`` or ``nn.GRU``, of either layout; or the cell of one.

    Raises:
        InputError: it is none of them.
    """
    if isinstance(module, nn.RNNCellBase):
        return TorchCell(module)
    if not isinstance(module, nn.RNNBase):
        raise InputError(
            f"the module is a {type(module).__name__}, where an nn.RNN, nn.LSTM or nn.GRU, or the cell of"
            " one, is right"
        )
    return TorchRNN(module)


def _of_each(state: Any, change: Any) -> Any:
    return tuple(map(change, state)) if isinstance(state, tuple) else change(state)
