"""The adapters for torch's own recurrent modules."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from automata.errors import InputError
from ratproof.laws.models.inputs import Vectors
from ratproof.laws.models.model import State, StatefulModel


class TorchRNN(StatefulModel):
    """An adapter for ``nn.RNN``, ``nn.LSTM`` and ``nn.GRU``.

    Their states are tensors of shape ``(layers, B, size)``; an LSTM has two of them.
    """

    module: nn.RNNBase

    def __init__(self, module: nn.RNNBase) -> None:
        self.module, self.inputs = module, Vectors(module.input_size)
        unsupported = {"padding", "pieces"} if module.bidirectional else {"padding"}
        self.without = frozenset(unsupported)  # a bidirectional module cannot be called in pieces

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Call the module with the batch axis first."""
        if self.module.batch_first:
            outputs, state = self.module(inputs, state)
            return outputs, state
        outputs, state = self.module(inputs.transpose(0, 1), state)
        return outputs.transpose(0, 1), state

    def reorder(self, state: State, rows: Tensor) -> State:
        """Return the state with the rows of each tensor reordered."""
        return _map_parts(state, lambda part: part.index_select(1, rows))

    def clear(self, state: State) -> State:
        """Return zeros, the initial state of a module."""
        return _map_parts(state, torch.zeros_like)

    def name(self) -> str:
        """Return the module as torch prints it."""
        return str(self.module)


class TorchCell(StatefulModel):
    """An adapter for ``nn.RNNCell``, ``nn.LSTMCell`` and ``nn.GRUCell``, called token by token.

    Their states are tensors of shape ``(B, size)``; an LSTM has two of them. The first tensor is also the
    output.
    """

    without = frozenset({"padding"})
    module: nn.RNNCellBase

    def __init__(self, module: nn.RNNCellBase) -> None:
        self.module, self.inputs = module, Vectors(module.input_size)

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Call the cell for each token."""
        outputs = []
        for token in inputs.unbind(1):
            state = self.module(token, state)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return torch.stack(outputs, 1), state

    def reorder(self, state: State, rows: Tensor) -> State:
        """Return the state with the rows of each tensor reordered."""
        return _map_parts(state, lambda part: part.index_select(0, rows))

    def clear(self, state: State) -> State:
        """Return zeros, the initial state of a cell."""
        return _map_parts(state, torch.zeros_like)

    def name(self) -> str:
        """Return the module as torch prints it."""
        return str(self.module)


def of_torch_rnn(module: nn.RNNBase | nn.RNNCellBase) -> TorchRNN | TorchCell:
    """Return the adapter for one of torch's recurrent modules.

    >>> of_torch_rnn(torch.nn.LSTM(3, 5)).inputs
    Vectors(size=3)

    These modules do not accept a mask, so ``padding`` is not tested. A bidirectional module cannot be called
    in pieces.

    Args:
        module: ``nn.RNN``, ``nn.LSTM`` or ``nn.GRU``, with either layout, or one of their cells.

    Raises:
        InputError: If the module has a different type.
    """
    if isinstance(module, nn.RNNCellBase):
        return TorchCell(module)
    if not isinstance(module, nn.RNNBase):
        raise InputError(
            "the module must be an nn.RNN, nn.LSTM or nn.GRU, or one of their cells, got a"
            f" {type(module).__name__}"
        )
    return TorchRNN(module)


def _map_parts(state: State, change: Callable[[Tensor], Tensor]) -> State:
    return tuple(map(change, state)) if isinstance(state, tuple) else change(state)
