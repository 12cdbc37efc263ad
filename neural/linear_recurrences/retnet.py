"""Retention (Sun et al. 2023, section 2.1, equation 6): S <- gamma S + k v^T, o = S^T q."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class RetNetCell(LinearRecurrenceCell):
    """A cell of retention with linear maps q, k and v of the input; gamma is the sigmoid of a parameter."""

    token = "q[K] k[K] v"
    layer = "gamma"
    functions: ClassVar[Functions] = {"gamma": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- gamma s_j + k_j v of a token's step, and the output weights q_j."""
        return AffineStep([k * g.v for k in g.k], diagonal([g.gamma for _ in g.k]), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t in the recurrent representation, and the outputs S_t^T q_t."""
        s = scanned([g.gamma for _ in g.k], [k * g.v for k in g.k], first)
        return [*s, dot(g.q, s)]


class RetNet(KeyedLayer):
    """A layer of retention, whose outputs are o_t = S_t^T q_t."""

    cell_class = RetNetCell


KIND = LayerKind("retnet", RetNet, options=KEYS, weights=column("s"))
