"""QRNN with forget pooling (Bradbury et al. 2017), whose gates read a window of K symbols.

See Peng et al. 2018, section 4.1.

>>> layer = QRNN(3, 2, window=2)
>>> h, (c_n, before) = layer(torch.zeros(5, 4, 3))
>>> before.shape, layer.to_automata(torch.eye(3), "abc")[0]  # a start state, and two states for each history
(torch.Size([1, 4, 1, 3]), <WFSA: 7 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import GATED, LayerKind, windowed


class QRNNCell(GatedCell):
    """A cell that computes c = f * c + (1 - f) * z and h = o * c from the window V.

    The gates are z = tanh(W_z * V), f = sigmoid(W_f * V) and o = sigmoid(W_o * V).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        window: int = 2,
        output_gate: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype, window)
        self.forget = self.linear(bias)
        self.update = self.linear(bias)
        self.gate = self.output_gate(output_gate, bias)

    def new(self, view: Tensor) -> Tensor:
        """Compute the candidate z = tanh(W_z * V), where V is the window."""
        return torch.tanh(self.update(view))

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute the outputs o * c from the states c, or return c if there is no output gate."""
        return scores if self.gate is None else torch.sigmoid(self.gate(view)) * scores


class QRNN(Recurrent):
    """A QRNN layer, whose outputs are h_t.

    Its state is c, or ``(c, the K - 1 previous inputs)`` if K > 1.

    Args:
        bias: whether to use the biases of all gates and of z. Defaults to ``True``.
        window: K, the number of inputs that each gate reads. Inputs before the first are zero. Defaults to 2.
        output_gate: whether to use an output gate. Defaults to ``False``.
    """

    cell_class = QRNNCell


KIND = LayerKind("qrnn", QRNN, options={"window": st.integers(1, 3), **GATED}, weights=windowed)
