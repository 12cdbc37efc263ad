"""minGRU (Feng et al. 2024), also in log space: h <- (1 - z) h + z u, where u is the candidate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from torch import Tensor

from neural.layer import Recurrent
from neural.layer_kind import ClaimWeights, LayerKind, Tables
from neural.linear_recurrence_cell import AffineStep, Functions, UnitCell, diagonal, scanned
from neural.linear_recurrences.kind import unit


class MinGRUCell(UnitCell):
    """A minGRU cell with the gate z (sigmoid) and the candidate u (linear)."""

    token = "z u"
    functions: ClassVar[Functions] = {"z": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- (1 - z) h + z u of a token's step."""
        return AffineStep([g.z * g.u], diagonal([1 - g.z]))

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = (1 - z_t) h_{t-1} + z_t u_t."""
        return scanned([1 - g.z], [g.z * g.u], first)


class MinGRU(Recurrent):
    """A minGRU layer, whose outputs are h_t."""

    cell_class = MinGRUCell


def positive(x: Tensor) -> Tensor:
    """Return x + 1/2 if x >= 0, and otherwise sigmoid(x): the function g of the paper's log-space listing."""
    return torch.relu(x) + torch.sigmoid(-torch.relu(-x))


class MinGRULogSpaceCell(MinGRUCell):
    """A minGRU cell with the candidate g(u), where g is :func:`positive`.

    The first state c_0 is the g(h_0) of the paper's listing.
    """

    functions: ClassVar[Functions] = {"z": torch.sigmoid, "u": positive}


class MinGRULogSpace(Recurrent):
    """A minGRU layer with positive candidates, as in the paper's log-space listing; its outputs are h_t."""

    cell_class = MinGRULogSpaceCell


def log_space_weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the weights of the claim.

    The layer's gate u is already the claim's g(u), so it is also the weight ``g_u``.
    """
    size, weights = unit("h")(layer, tables, start)
    return size, {**weights, "g_u": weights["u"]}


KIND = LayerKind("min-gru", MinGRU, options={}, weights=unit("h"))
LOG_SPACE = LayerKind("min-gru-log-space", MinGRULogSpace, options={}, weights=log_space_weights)
