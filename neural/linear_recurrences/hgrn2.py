"""HGRN2 (Qin et al. 2024): h <- diag(f) h + (1 - f) i^T, and the output o h."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class HGRN2Cell(LinearRecurrenceCell):
    """An HGRN2 cell with the gates f (sigmoid), and o and i (linear)."""

    token = "f[K] o[K] i"
    functions: ClassVar[Functions] = {"f": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map h_j <- f_j h_j + (1 - f_j) i of a token's step.

        The map is returned with the output weights, o_j.
        """
        return AffineStep([(1 - f) * g.i for f in g.f], diagonal(g.f), g.o)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states h_t and the outputs o_t h_t."""
        h = scanned(g.f, [(1 - f) * g.i for f in g.f], first)
        return [*h, dot(g.o, h)]


class HGRN2(KeyedLayer):
    """An HGRN2 layer, whose outputs are o_t h_t."""

    cell_class = HGRN2Cell


KIND = LayerKind("hgrn2", HGRN2, options=KEYS, weights=column("h"))
