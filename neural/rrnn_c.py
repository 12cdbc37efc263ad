"""RRNN(C) (Peng et al. 2018, equation 25): non-contiguous bigrams and the automaton of Figure 2.

>>> layer = RRNNC(3, 2)
>>> h, (c1, c2) = layer(torch.zeros(5, 4, 3))
>>> c2.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([1, 4, 2]), <WFSA: 3 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from neural.cell import AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import GATED, LayerKind, two_states
from neural.pattern import chain
from neural.scan import elementwise, gated_pair, outputs


def shifted(start: Tensor, states: Tensor) -> Tensor:
    """Return the states before each step, c_0, ..., c_{T-1}, from c_0 and c_1, ..., c_T."""
    return torch.cat([start.unsqueeze(0), states])[:-1]


class RRNNCCell(AutomatonCell):
    """A cell that computes c1_t = f1 * c1_{t-1} + u1 and c2_t = f2 * c2_{t-1} + c1_{t-1} * u2.

    The gates f1, u1, f2 and u2 are those of RRNN(B); c is c2.
    """

    pattern = chain(("f1", "f2"), ("u1", "u2"))

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
        self.forget_1, self.forget_2 = self.linear(bias), self.linear(bias)
        self.update_1, self.update_2 = self.linear(bias=False), self.linear(bias=False)

    @property
    def c_states(self) -> int:
        """Return the number of c-states, which is 2: c1 and c2."""
        return 2

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gates f1, u1, f2 and u2 (equations 25a and 25b)."""
        f1, f2 = torch.sigmoid(self.forget_1(view)), torch.sigmoid(self.forget_2(view))
        return {
            "f1": f1,
            "u1": (1 - f1) * self.update_1(view),
            "f2": f2,
            "u2": (1 - f2) * self.update_2(view),
        }

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c1 (equation 25c) and then c2 (equation 25d) at all steps."""
        c1 = elementwise(gates["f1"], gates["u1"], state[0])
        return c1, elementwise(gates["f2"], shifted(state[0], c1) * gates["u2"], state[1])

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute c1 and c2 directly from the linear maps (equations 25a to 25d), in one pass over memory."""
        return self.fused_with(view, state, None)

    def fused_with(self, view: Tensor, state: Sequence[Tensor], skip: Tensor | None) -> tuple[Tensor, ...]:
        """Compute c1 and c2 with one kernel; the step of c2 reads c1_{t-1} + ``skip`` instead of c1_{t-1}."""
        forget = self.forget_1(view), self.forget_2(view)
        return gated_pair(forget, (self.update_1(view), self.update_2(view)), (state[0], state[1]), skip)

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute h_t = tanh(o_t * c2_t) (equation 23e).

        The output gate o_t is sigmoid(W_o v_t + b_o) (equation 23d), or 1 if the cell has no output gate.
        """
        return outputs.tanh(scores, None if self.gate is None else self.gate(view))


class RRNNC(Recurrent):
    """An RRNN(C) layer, whose outputs are h_t.

    Its state is ``(c1, c2)``.

    Args:
        bias: whether to use the biases of the gates. Defaults to ``True``.
        output_gate: whether to use an output gate. Defaults to ``False``.
    """

    cell_class = RRNNCCell


KIND = LayerKind("rrnn-c", RRNNC, options=GATED, weights=two_states)
