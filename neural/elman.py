"""The Elman network without its nonlinearity (Peng et al. 2018, Corollary 14).

>>> layer = LinearElman(3, 2)
>>> c, c_n = layer(torch.zeros(5, 4, 3))
>>> c.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 4, 2]), <WFSA: 3 states, 3 symbols, real semiring, exact>)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from neural.affine import AffineCell
from neural.layer import Recurrent
from neural.layer_kind import ClaimWeights, LayerKind, Tables, constant


class LinearElmanCell(AffineCell):
    """A cell that computes c_t = W_c c_{t-1} + W_v v_t + b."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype)
        self.recurrent = nn.Parameter(torch.empty(hidden_size, hidden_size, **self.factory_kwargs))
        self.update = self.linear(bias)
        nn.init.uniform_(self.recurrent, -(hidden_size**-0.5), hidden_size**-0.5)

    def gates(self, view: Tensor) -> dict[str, Tensor]:
        """Compute the matrix W_c and the offsets W_v v_t + b."""
        d = self.hidden_size
        return {"W": self.recurrent.expand(*view.shape[:-1], d, d), "b": self.update(view)}

    def fused(self, view: Tensor, state: Sequence[Tensor]) -> tuple[Tensor, ...] | None:
        """Compute c_1, ..., c_T without a copy of the matrix W_c for each step."""
        same = torch.zeros(view.shape[:2], dtype=torch.long, device=view.device)
        return self.recurrence(self.recurrent.unsqueeze(0), same, state[0], self.update(view))


class LinearElman(Recurrent):
    """A linear Elman layer, whose outputs are c_t.

    Args:
        bias: whether to use a bias. Defaults to ``True``.
    """

    cell_class = LinearElmanCell


def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the size d and the weights of the claim of Corollary 14.

    The weights are c_0, and for each symbol the matrix W_c and the offset W_v v + b.
    """
    d = layer.hidden_size
    return ("d", d), {"c_0": (start,) * d, "W": constant(tables["W"]), "v": tables["b"]}


KIND = LayerKind("linear-elman", LinearElman, weights=weights)
