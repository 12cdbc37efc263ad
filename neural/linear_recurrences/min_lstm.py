"""minLSTM (Feng et al. 2024): h <- f' h + i' u with f' = f / (f + i) and i' = i / (f + i)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, UnitCell, diagonal, scanned
from neural.linear_recurrences.kind import unit


class MinLSTMCell(UnitCell):
    """A minLSTM cell with the gates f and i (sigmoid) and the candidate u (linear).

    The normalised gates are sigmoids of log f - log i and of log i - log f, as in the paper's log-space
    listing.
    """

    token = "f i u"
    names = "f_part i_part u"

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the normalised gates f' and i', and u."""
        f, i = functional.logsigmoid(raw["f"]), functional.logsigmoid(raw["i"])
        return {"f_part": torch.sigmoid(f - i), "i_part": torch.sigmoid(i - f), "u": raw["u"]}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- f' h + i' u of a token's step."""
        return AffineStep([g.i_part * g.u], diagonal([g.f_part]))

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = f'_t h_{t-1} + i'_t u_t."""
        return scanned([g.f_part], [g.i_part * g.u], first)


class MinLSTM(Recurrent):
    """A minLSTM layer, whose outputs are h_t."""

    cell_class = MinLSTMCell


KIND = LayerKind("min-lstm", MinLSTM, options={}, weights=unit("h"))
