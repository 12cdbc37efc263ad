"""RRNN(B) over the max-plus semiring (Peng et al. 2018, Example 15 and equation 24); c_0 is -infinity.

>>> layer = RRNNBMaxPlus(3, 2)
>>> h, c_n = layer(torch.zeros(0, 4, 3))
>>> c_n[0, 0].tolist(), layer.to_automata(torch.eye(3), "abc")[0]
([-inf, -inf], <WFSA: 2 states, 3 symbols, max-plus semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from automata.semirings import MAX_PLUS
from neural.layer import Recurrent
from neural.layer_kind import GATED, STARTS, LayerKind
from neural.rrnn_b import RRNNBCell
from neural.scan import max_plus


class RRNNBMaxPlusCell(RRNNBCell):
    """A cell that computes c_t = max(f_t + c_{t-1}, u_t) and h_t = tanh(o_t + c_t).

    The gates are f_t = log sigmoid(W_f v_t + b_f) and u_t = W_u v_t.
    """

    semiring = MAX_PLUS

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gates f_t (equation 24a) and u_t (equation 24b)."""
        return {"f": functional.logsigmoid(self.forget(view)), "u": self.update(view)}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c_t = max(f_t + c_{t-1}, u_t) at all steps (equation 24c)."""
        return (max_plus(gates["f"], gates["u"], state[0]),)

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute h_t = tanh(o_t + c_t) (equation 24e).

        The output gate o_t is log sigmoid(W_o v_t + b_o), or 0 if the cell has no output gate.
        """
        return torch.tanh(scores if self.gate is None else functional.logsigmoid(self.gate(view)) + scores)


class RRNNBMaxPlus(Recurrent):
    """A max-plus RRNN(B) layer, whose outputs are h_t.

    Args:
        bias: whether to use the biases of the gates. Defaults to ``True``.
        output_gate: whether to use an output gate. Defaults to ``False``.
    """

    cell_class = RRNNBMaxPlusCell


KIND = LayerKind("rrnn-b-max-plus", RRNNBMaxPlus, options=GATED, starts=st.none() | STARTS)
