"""RCNN (Lei et al. 2016), which matches n-grams of words that need not be adjacent.

See Peng et al. 2018, equation 14 and Appendix B.

>>> layer = RCNN(3, 2, order=3)
>>> h, state = layer(torch.zeros(5, 4, 3))
>>> len(state), layer.to_automata(torch.eye(3), "abc")[0]
(3, <WFSA: 4 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

from automata.checks import checked_integer
from neural.cell import NONLINEARITIES, AutomatonCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, NONLINEARITY, ClaimWeights, LayerKind, Tables
from neural.pattern import chain
from neural.rrnn_c import shifted
from neural.scan import elementwise
from neural.unrolled import one_of


class RCNNCell(AutomatonCell):
    """A cell that computes c1_t = lambda * c1_{t-1} + u1 and cj_t = lambda * cj_{t-1} + c(j-1)_{t-1} * uj.

    The updates are uj = (1 - lambda) * g(W_j v_t + b_j).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        order: int = 2,
        nonlinearity: Literal["tanh", "identity"] = "tanh",
        decay: Literal["input", "constant"] = "input",
        output: Literal["tanh", "identity"] = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.order = checked_integer("order", order)
        self.nonlinearity = one_of("nonlinearity", nonlinearity, tuple(NONLINEARITIES))
        self.outputs = one_of("output", output, tuple(NONLINEARITIES))
        constant = one_of("decay", decay, ("input", "constant")) == "constant"
        self.forget = None if constant else self.linear(bias)
        self.logit = self.vector() if constant else None
        self.updates = nn.ModuleList(self.linear(bias) for _ in range(order))
        self.names = [f"u{j}" for j in range(1, order + 1)]
        self.pattern = chain(("f",) * order, tuple(self.names))

    @property
    def c_states(self) -> int:
        """Return the number of c-states, one per n-gram length."""
        return self.order

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gate f (lambda in equation 14) and u1, ..., un."""
        f: Any = torch.sigmoid(self.logit if self.forget is None else self.forget(view))  # type: ignore[arg-type]
        g = NONLINEARITIES[self.nonlinearity]
        updates = {
            name: (1 - f) * g(update(view)) for name, update in zip(self.names, self.updates, strict=True)
        }
        return {"f": f.expand(*view.shape[:-1], self.hidden_size), **updates}

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c1, ..., cn (equation 14) one after another, each at all time steps."""
        states = [elementwise(gates["f"], gates["u1"], state[0])]
        for j, name in enumerate(self.names[1:], 1):
            states.append(elementwise(gates["f"], shifted(state[j - 1], states[-1]) * gates[name], state[j]))
        return tuple(states)

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Return tanh(cn) or cn, depending on the option ``output``."""
        return NONLINEARITIES[self.outputs](scores)


class RCNN(Recurrent):
    """An RCNN layer, whose state is ``(c1, ..., cn)``, or the tensor c1 if n is 1.

    Args:
        bias: whether to use biases. Defaults to ``True``.
        order: n, the length of the n-grams. Defaults to 2.
        nonlinearity: the function g, ``"tanh"`` (the default) or ``"identity"``.
        decay: ``"input"`` (the default) if lambda depends on the input, or ``"constant"`` if it is the
            sigmoid of a learned value per unit.
        output: the function that is applied to c^(n), ``"tanh"`` (the default) or ``"identity"``.
    """

    cell_class = RCNNCell


OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "order": st.integers(1, 4),
    "nonlinearity": NONLINEARITY,
    "decay": st.sampled_from(["input", "constant"]),
    "bias": FLAG,
}


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the size n and the weights of the claim of Proposition 12.

    The weights u1, ..., un of each symbol form one vector.
    """
    n = layer.cell.c_states
    updates = {x: tuple(tables[f"u{j}"][x] for j in range(1, n + 1)) for x in tables["u1"]}
    return ("n", n), {"c_0": (start,) * n, "f": tables["f"], "u": updates}


KIND = LayerKind("rcnn", RCNN, options=OPTIONS, weights=weights)
