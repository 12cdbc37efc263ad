"""T-RNN, T-GRU and T-LSTM (Balduzzi & Ghifary 2016): strongly-typed networks.

Their gates read one or two symbols (Peng et al. 2018, section 4.1 and equation 10). The matrices of
V v_{t-1} + W v_t are stored as one matrix [V W].

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
    """A cell that computes c = f * c + (1 - f) * z, with z = W v_t and f = sigmoid(V v_t + b)."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.update = self.linear(bias=False)
        self.forget = self.linear(bias)


class _PairCell(GatedCell):
    """A cell with linear maps of two consecutive inputs: z = V v_{t-1} + W v_t + b.

    The gates f and o are the sigmoid and the tanh of similar maps. Each map has its own V, W and b.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype, window=2)
        self.update = self.linear(bias)
        self.forget = self.linear(bias)
        self.gate = self.linear(bias)


class TGRUCell(_PairCell):
    """A cell that computes h_t = f_t * h_{t-1} + z_t * o_t, where z, f and o read two consecutive inputs."""

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gate f, and u = z * o."""
        return {"f": torch.sigmoid(self.forget(view)), "u": self.update(view) * torch.tanh(self.gate(view))}


class TLSTMCell(_PairCell):
    """A cell that computes c_t = f_t * c_{t-1} + (1 - f_t) * z_t and the output h_t = o_t * c_t.

    The gates f and o and the candidate z read two consecutive inputs.
    """

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute the outputs h = o * c from the states c."""
        return torch.tanh(self.gate(view)) * scores


class TRNN(Recurrent):
    """A T-RNN layer, whose outputs are c_t.

    Args:
        bias: whether to use the bias of f. Defaults to ``True``.
    """

    cell_class = TRNNCell


class TGRU(Recurrent):
    """A T-GRU layer, whose outputs h_t are the scores of the units' automata.

    Its state is ``(h, the previous input)``.

    Args:
        bias: whether to use biases. Defaults to ``True``.
    """

    cell_class = TGRUCell


class TLSTM(Recurrent):
    """A T-LSTM layer, whose outputs are h_t.

    Its state is ``(c, the previous input)``.

    Args:
        bias: whether to use biases. Defaults to ``True``.
    """

    cell_class = TLSTMCell


T_RNN = LayerKind("t-rnn", TRNN)
T_GRU = LayerKind("t-gru", TGRU, weights=windowed)
T_LSTM = LayerKind("t-lstm", TLSTM, weights=windowed)
