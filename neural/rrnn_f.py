"""RRNN(F) (Peng et al. 2018, section 5.1 and equation 26): unigrams and bigrams together.

The automaton is in Figure 4. Equation 26g is interpreted as c = p1 * c1 + p2 * c2, like equation 19c.

>>> layer = RRNNF(3, 2)
>>> h, (c1, c2) = layer(torch.zeros(5, 4, 3))
>>> layer.to_automata(torch.eye(3), "abc")[0]
<WFSA: 4 states, 3 symbols, real semiring, exact>
>>> layer.to_automata(torch.eye(3), "abc", epsilon=True)[0]  # as drawn in Figure 4
<WFSA: 4 states, 3 symbols, real semiring, exact, with epsilon>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from automata.wfsa import WFSA
from neural.layer import Recurrent
from neural.layer_kind import GATED, LayerKind, two_states
from neural.pattern import ONE, START, ZERO, Pattern
from neural.rounding import format_of
from neural.rrnn_c import RRNNCCell, shifted
from neural.scan import elementwise
from neural.tracked import RunningErrorTensor


class RRNNFCell(RRNNCCell):
    """A cell that computes c2_t = f2 * c2_{t-1} + (c1_{t-1} + r) * u2, and c1 and the gates as RRNN(C) does.

    The gates p1, p2 and r are sigmoids of learned vectors. The automaton omits the epsilon transition of
    Figure 4 from q_0 to q_3. Instead, paths also start in q_3 with weight r, and stay there with weight 1.
    Every weight is therefore a gate or 1.
    """

    pattern = Pattern(
        initial=(ONE, START, START, "r"),
        final=(ZERO, "p1", "p2", ZERO),
        arrows=(
            (0, 0, ONE),
            (0, 1, "u1"),
            (1, 1, "f1"),
            (1, 2, "u2"),
            (2, 2, "f2"),
            (3, 3, ONE),
            (3, 2, "u2"),
        ),
    )

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        output_gate: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, output_gate, device, dtype)
        self.final_1, self.final_2, self.skip = self.vector(), self.vector(), self.vector()

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gates f1, u1, f2, u2, p1, p2 and r (equations 26a to 26d)."""
        p1, p2, r = torch.sigmoid(self.final_1), torch.sigmoid(self.final_2), torch.sigmoid(self.skip)
        return super().gates(view) | {"p1": p1, "p2": p2, "r": r}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c1 (equation 26e) and then c2 (equation 26f) at all steps."""
        c1 = elementwise(gates["f1"], gates["u1"], state[0])
        return c1, elementwise(gates["f2"], (shifted(state[0], c1) + gates["r"]) * gates["u2"], state[1])

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute c1 and c2 directly from the linear maps (equations 26a to 26f), in one pass over memory."""
        return self.fused_with(view, state, torch.sigmoid(self.skip))

    def score(self, state: Sequence[Tensor]) -> Tensor:
        """Compute the scores p1 * c1 + p2 * c2 (equation 26g)."""
        p1, p2 = torch.sigmoid(self.final_1), torch.sigmoid(self.final_2)
        return torch.addcmul(p1 * state[0], p2, state[1])  # two passes over memory instead of three

    def slack(self, gates: dict[str, RunningErrorTensor]) -> dict[str, Tensor]:
        """Bound the difference between two evaluations of each gate.

        The bound on u2 also covers a rounding that the automaton may lack: the cell always rounds
        (c1 + r) * u2, but the automaton's product c1 * u2 is exact if c1 = 1.
        """
        bounds = super().slack(gates)
        u2 = gates["u2"].value
        bounds["u2"] = bounds["u2"] + 2 * format_of(u2.dtype).unit * u2.double().abs()
        return bounds


class RRNNF(Recurrent):
    """An RRNN(F) layer, whose outputs are h_t.

    Its state is ``(c1, c2)``.

    Args:
        bias: whether to use the biases of the gates. Defaults to ``True``.
        output_gate: whether to use an output gate. Defaults to ``False``.
    """

    cell_class = RRNNFCell

    def to_automata(self, *arguments: Any, epsilon: bool = False, **options: Any) -> list[WFSA]:
        """Return one automaton per unit; see :meth:`neural.layer.Recurrent.to_automata`.

        If ``epsilon`` is true, return the equivalent automata with the epsilon transition of Figure 4.
        """
        units = super().to_automata(*arguments, **options)
        return [_with_epsilon(unit) for unit in units] if epsilon else units


def _with_epsilon(unit: WFSA) -> WFSA:
    """Replace the initial weight and the loop of q_3 by an epsilon transition from q_0 to q_3."""
    initial, matrices = unit.initial.copy(), unit.matrices.copy()
    epsilon = unit.semiring.zeros(4, 4, exact=unit.exact)
    epsilon[0, 3], initial[3], matrices[:, 3, 3] = initial[3], epsilon[0, 3], epsilon[0, 0]
    return unit.replace(initial=initial, matrices=matrices, epsilon=epsilon)


KIND = LayerKind("rrnn-f", RRNNF, options=GATED, weights=two_states)
