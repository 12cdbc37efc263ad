"""SRU (Lei et al. 2017) in the form of Peng et al. 2018, section 4.1: the gates do not read the state.

>>> layer = SRU(3, 3, highway=True)
>>> h, c_n = layer(torch.zeros(5, 4, 3))
>>> layer.to_automata(torch.eye(3), "abc")[0]
<WFSA: 2 states, 3 symbols, real semiring, exact>
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from automata.errors import InputError
from neural.cell import NONLINEARITIES
from neural.gated import GatedCell
from neural.layer import Recurrent
from neural.layer_kind import FLAG, NONLINEARITY, LayerKind
from neural.scan import outputs
from neural.unrolled import one_of


class SRUCell(GatedCell):
    """A cell that computes c = f * c + (1 - f) * W x and h = r * g(c) [+ (1 - r) * x].

    The gates are f = sigmoid(W_f x + b_f) and r = sigmoid(W_r x + b_r).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Literal["tanh", "identity"] = "tanh",
        highway: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.nonlinearity = one_of("nonlinearity", nonlinearity, tuple(NONLINEARITIES))
        self.highway = one_of("highway", highway, (True, False))
        if highway and input_size != hidden_size:
            raise InputError(
                f"input_size must equal hidden_size if highway is on, got {input_size} and {hidden_size}"
            )
        self.update = self.linear(bias=False)
        self.forget = self.linear(bias)
        self.reset = self.linear(bias)

    def output(self, scores: Tensor, view: Tensor) -> Tensor:
        """Compute the outputs h = r * g(c), plus (1 - r) * x if the cell has a highway connection."""
        skip = view if self.highway else None
        if self.nonlinearity == "tanh":
            return outputs.gated_tanh(scores, self.reset(view), skip)
        r = torch.sigmoid(self.reset(view))
        return r * scores if skip is None else r * scores + (1 - r) * skip


class SRU(Recurrent):
    """An SRU layer, whose outputs are h_t.

    Args:
        bias: whether to use the biases of the gates. Defaults to ``True``.
        nonlinearity: the function g, ``"tanh"`` (the default) or ``"identity"``.
        highway: whether to use highway connections, which require ``input_size == hidden_size``. Defaults to
            ``False``, as in the paper's experiments.
    """

    cell_class = SRUCell


KIND = LayerKind("sru", SRU, options={"nonlinearity": NONLINEARITY, "bias": FLAG})
