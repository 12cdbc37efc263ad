"""ISAN (Foerster et al. 2017): a matrix and a vector for each symbol (Peng et al. 2018, equation 16).

>>> layer = ISAN(3, 2)  # the inputs are the indices of three symbols
>>> c, c_n = layer(torch.tensor([[0, 2], [1, 1]]))
>>> c.shape, layer.to_automata(torch.arange(3), "abc")[0]
(torch.Size([2, 2, 2]), <WFSA: 3 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from neural.affine import AffineCell
from neural.layer import Recurrent
from neural.layer_kind import ClaimWeights, LayerKind, Tables


class ISANCell(AffineCell):
    """A cell that computes c_t = W_{x_t} c_{t-1} + b_{x_t}."""

    reads_symbols = True

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.weight = nn.Parameter(torch.empty(input_size, hidden_size, hidden_size, **self.factory_kwargs))
        self.bias = (
            nn.Parameter(torch.zeros(input_size, hidden_size, **self.factory_kwargs)) if bias else None
        )
        nn.init.uniform_(self.weight, -(hidden_size**-0.5), hidden_size**-0.5)

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Look up the symbols' matrices and offsets."""
        d = self.hidden_size
        matrix = functional.embedding(view, self.weight.flatten(1)).reshape(*view.shape, d, d)
        offset = (
            self.weight.new_zeros(*view.shape, d)
            if self.bias is None
            else functional.embedding(view, self.bias)
        )
        return {"W": matrix, "b": offset}

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute c_t = W_{x_t} c_{t-1} + b_{x_t} without copying a matrix at each step."""
        offsets = None if self.bias is None else functional.embedding(view, self.bias)
        return self.recurrence(self.weight, view.long(), state[0], offsets)


class ISAN(Recurrent):
    """An ISAN layer, whose outputs are c_t.

    Inputs are integers of shape ``(T, B)``; ``input_size`` is the number of symbols. ``num_layers``
    must be 1, because a second layer would read vectors, not symbols.

    Args:
        bias: whether to use a bias. Defaults to ``True``.
    """

    cell_class = ISANCell


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the size d of the state and the weights of the claim of Proposition 13."""
    d = layer.hidden_size
    return ("d", d), {"c_0": (start,) * d, **tables}


KIND = LayerKind("isan", ISAN, weights=weights)
