"""Mamba-2 without its convolution (Dao and Gu 2024, equation 2): h <- a h + B x, y = C^T h + D x."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, column


class Mamba2Cell(LinearRecurrenceCell):
    """A Mamba-2 cell with the gate a (sigmoid), linear maps B, C and x of the input, and the parameter D."""

    token = "a B[N] C[N] x"
    layer = "D"
    functions: ClassVar[Functions] = {"a": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h_j <- a h_j + B_j x of a token's step, and the output C^T h + D x."""
        return AffineStep([b * g.x for b in g.B], diagonal([g.a for _ in g.B]), g.C, g.D * g.x)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states h_t (equation 2) and the outputs C_t^T h_t + D x_t."""
        h = scanned([g.a for _ in g.B], [b * g.x for b in g.B], first)
        return [*h, dot(g.C, h) + g.D * g.x]


class Mamba2(Recurrent):
    """A Mamba-2 layer without its convolution, whose outputs are C_t^T h_t + D x_t.

    Args:
        keys: N, the length of the state. Defaults to 2.
    """

    cell_class = Mamba2Cell


KIND = LayerKind("mamba-2", Mamba2, options=KEYS, weights=column("h", letter="N"))
