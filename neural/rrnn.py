"""The base class of the cells of appendix D (Peng et al. 2018): linear updates and h_t = tanh(o_t * c_t),
with an optional output gate o_t.

>>> issubclass(RRNNCell, AutomatonCell)
True
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from neural.cell import AutomatonCell
from neural.scan import outputs
from neural.unrolled import one_of


class RRNNCell(AutomatonCell):
    """A cell with an optional output gate.

    Args:
        input_size: the size of v_t.
        hidden_size: d.
        bias: of the forget and output gates.
        output_gate: with o_t = sigmoid(W_o v_t + b_o) (equation 23d); without it o_t = 1.
        device, dtype: as in torch.
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
        self.gate = self.linear(bias) if one_of("output_gate", output_gate, (True, False)) else None

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Equation 23e."""
        return outputs.tanh(scores, None if self.gate is None else self.gate(view))
