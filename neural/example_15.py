"""Example 15 (Peng et al. 2018, equations 21a to 21c): Example 6 over the max-plus semiring.

The first state c_0 is -infinity.

>>> layer = Example15(3, 2)
>>> c, c_n = layer(torch.zeros(5, 4, 3))
>>> c.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 4, 2]), <WFSA: 2 states, 3 symbols, max-plus semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from hypothesis import strategies as st
from torch import Tensor

from automata.semirings import MAX_PLUS
from neural.cell import NONLINEARITIES
from neural.example_6 import Example6Cell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, NONLINEARITY, STARTS, LayerKind
from neural.scan import max_plus


class Example15Cell(Example6Cell):
    """A cell that computes c_t = max(f_t + c_{t-1}, u_t).

    The gates are f_t = log sigmoid(W_f v_t + b_f) and u_t = g(W_u v_t + b_u).
    """

    semiring = MAX_PLUS

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the gates f_t (equation 21a) and u_t (equation 21b)."""
        return {
            "f": torch.nn.functional.logsigmoid(self.forget(view)),
            "u": NONLINEARITIES[self.nonlinearity](self.update(view)),
        }

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute c_t = max(f_t + c_{t-1}, u_t) at all steps (equation 21c)."""
        return (max_plus(gates["f"], gates["u"], state[0]),)


class Example15(Recurrent):
    """A layer of Example 15, whose outputs are the states c_t.

    Args:
        bias: whether to use the biases b_f and b_u. Defaults to ``True``.
        nonlinearity: the function g of equation 21b, ``"tanh"`` (the default) or ``"identity"``.
    """

    cell_class = Example15Cell


KIND = LayerKind(
    "example-15", Example15, options={"nonlinearity": NONLINEARITY, "bias": FLAG}, starts=st.none() | STARTS
)
