"""Example 6 (Peng et al. 2018, equations 5a to 5c): the gated recurrent layer behind SRU, QRNN and others.

>>> import torch
>>> layer = Example6(3, 2, dtype=torch.float64)
>>> c, c_n = layer(torch.zeros(5, 4, 3, dtype=torch.float64))  # T = 5 steps, a batch of 4
>>> c.shape, c_n.shape
(torch.Size([5, 4, 2]), torch.Size([1, 4, 2]))
>>> layer.to_automata(torch.eye(3, dtype=torch.float64), "abc")[0]
<WFSA: 2 states, 3 symbols, real semiring, exact>
"""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor

from neural.cell import NONLINEARITIES
from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, NONLINEARITY, LayerKind
from neural.unrolled import one_of


class Example6Cell(GatedCell):
    """A cell that computes c_t = f_t * c_{t-1} + u_t.

    The gates are f_t = sigmoid(W_f v_t + b_f) and u_t = (1 - f_t) * g(W_u v_t + b_u).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Literal["tanh", "identity"] = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.nonlinearity = one_of("nonlinearity", nonlinearity, tuple(NONLINEARITIES))
        self.forget = self.linear(bias)
        self.update = self.linear(bias)

    def new(self, view: Tensor) -> Tensor:
        """Compute the candidate, g(W_u v_t + b_u) in equation 5b."""
        z: Tensor = NONLINEARITIES[self.nonlinearity](self.update(view))
        return z


class Example6(Recurrent):
    """A layer of Example 6, whose outputs are the states c_t.

    Args:
        bias: whether to use the biases b_f and b_u. Defaults to ``True``.
        nonlinearity: the function g of equation 5b, ``"tanh"`` (the default) or ``"identity"``.
    """

    cell_class = Example6Cell


KIND = LayerKind("example-6", Example6, options={"nonlinearity": NONLINEARITY, "bias": FLAG})
