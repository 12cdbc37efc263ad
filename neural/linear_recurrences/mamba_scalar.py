"""Mamba with a state of size 1, A = -1 and B = 1 (Gu and Dao 2023, section 3.5.1, Theorem 1).

The step is h <- exp(-Delta) h + b x with Delta = softplus(z). With zero-order hold, b is 1 - exp(-Delta); the
published program uses b = Delta.
"""

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


class MambaScalarCell(UnitCell):
    """A Mamba cell with a scalar state that discretises B with zero-order hold.

    The gates z and u (the paper's x) are linear maps of the input.
    """

    token = "z u"
    names = "decay held u"
    factor = "held"

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the decay exp(-Delta), the discretised B, which is 1 - exp(-Delta), and u."""
        decay = torch.exp(-softplus(raw["z"]))
        return {"decay": decay, "held": 1 - decay, "u": raw["u"]}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h <- exp(-Delta) h + b x of a token's step."""
        return AffineStep([getattr(g, self.factor) * g.u], diagonal([g.decay]))

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute h_t = exp(-Delta_t) h_{t-1} + b_t x_t."""
        return scanned([g.decay], [getattr(g, self.factor) * g.u], first)


class MambaScalar(Recurrent):
    """A Mamba layer with scalar states and zero-order hold, whose outputs are h_t."""

    cell_class = MambaScalarCell


class MambaScalarAsProgrammedCell(MambaScalarCell):
    """A Mamba cell with a scalar state that uses Delta B, like the published program.

    The paper uses the discretised B instead.
    """

    names = "decay Delta u"
    factor = "Delta"

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the decay exp(-Delta), Delta, and u."""
        delta = softplus(raw["z"])
        return {"decay": torch.exp(-delta), "Delta": delta, "u": raw["u"]}


class MambaScalarAsProgrammed(Recurrent):
    """A Mamba layer with scalar states, computed as in the published program; its outputs are h_t."""

    cell_class = MambaScalarAsProgrammedCell


def softplus(z: Tensor) -> Tensor:
    """Return log(1 + e^z)."""
    return -functional.logsigmoid(-z)


KIND = LayerKind("mamba-scalar", MambaScalar, options={}, weights=unit("h"))
AS_PROGRAMMED = LayerKind(
    "mamba-scalar-as-programmed", MambaScalarAsProgrammed, options={}, weights=unit("h")
)
