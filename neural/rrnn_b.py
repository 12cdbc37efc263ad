"""RRNN(B) (Peng et al. 2018, equation 23): Example 6 with a linear candidate, and an output layer.

>>> import torch
>>> layer = RRNNB(3, 2, output_gate=True)
>>> h, c_n = layer(torch.zeros(5, 4, 3))
>>> h.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 4, 2]), <WFSA: 2 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import GATED, LayerKind
from neural.scan import outputs


class RRNNBCell(GatedCell):
    """A cell that computes c_t = f_t * c_{t-1} + u_t and h_t = tanh(o_t * c_t).

    The gates are f_t = sigmoid(W_f v_t + b_f) and u_t = (1 - f_t) * W_u v_t.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        output_gate: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.gate = self.output_gate(output_gate, bias)
        self.forget = self.linear(bias)
        self.update = self.linear(bias=False)

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute h_t = tanh(o_t * c_t) (equation 23e).

        The output gate o_t is sigmoid(W_o v_t + b_o) (equation 23d), or 1 if the cell has no output gate.
        """
        return outputs.tanh(scores, None if self.gate is None else self.gate(view))


class RRNNB(Recurrent):
    """An RRNN(B) layer, whose outputs are h_t.

    Args:
        bias: whether to use the biases of the gates. Defaults to ``True``.
        output_gate: whether to use an output gate. Defaults to ``False``.
    """

    cell_class = RRNNBCell


KIND = LayerKind("rrnn-b", RRNNB, options=GATED)
