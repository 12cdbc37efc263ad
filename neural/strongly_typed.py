"""T-RNN, T-GRU and T-LSTM (Balduzzi & Ghifary 2016): strongly-typed networks, whose gates read one or two
symbols.

Peng et al. 2018, section 4.1 and equation 10. A matrix pair V v_{t-1} + W v_t is one matrix over both, the
older first.

>>> layer = TLSTM(3, 2)
>>> h, (c_n, before) = layer(torch.zeros(5, 4, 3))
>>> layer.to_automata(torch.eye(3), "abc")[0]
<WFSA: 7 states, 3 symbols, real semiring, exact>
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import LayerKind, windowed


class TRNNCell(GatedCell):
    """z = W v_t, f = sigmoid(V v_t + b), c = f * c + (1 - f) * z."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.update = self.linear(bias=False)
        self.forget = self.linear(bias)


class _PairCell(GatedCell):
    """z = V v_{t-1} + W v_t + b, f = sigmoid and o = tanh of such maps; each has its own V, W and b."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype, window=2)
        self.update = self.linear(bias)
        self.forget = self.linear(bias)
        self.gate = self.linear(bias)


class TGRUCell(_PairCell):
    """The state is h = f * h + z * o."""

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """The gate f, and u = z * o."""
        return {"f": torch.sigmoid(self.forget(view)), "u": self.update(view) * torch.tanh(self.gate(view))}


class TLSTMCell(_PairCell):
    """The state is c = f * c + (1 - f) * z, the output h = o * c."""

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """The state through the output gate, o * c."""
        return torch.tanh(self.gate(view)) * scores


class TRNN(Recurrent):
    """A T-RNN layer; its outputs are c_t. Option: ``bias``, of f."""

    cell_class = TRNNCell


class TGRU(Recurrent):
    """A T-GRU layer; its outputs are h_t, which the automata score; its state is ``(h, the input before)``.
    Option: ``bias``.
    """

    cell_class = TGRUCell


class TLSTM(Recurrent):
    """A T-LSTM layer; its outputs are h_t, its state is ``(c, the input before)``. Option: ``bias``."""

    cell_class = TLSTMCell


T_RNN = LayerKind("t-rnn", TRNN)
T_GRU = LayerKind("t-gru", TGRU, weights=windowed)
T_LSTM = LayerKind("t-lstm", TLSTM, weights=windowed)
