"""Gated linear attention (Yang et al. 2024, section 4.1, equation 3).

S <- diag(alpha) S + k v^T, o = S^T q.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class GLACell(LinearRecurrenceCell):
    """A cell of gated linear attention with the gate alpha (sigmoid) and linear q, k and v."""

    token = "alpha[K] q[K] k[K] v"
    functions: ClassVar[Functions] = {"alpha": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- alpha_j s_j + k_j v of a token's step, and the output weights q_j."""
        return AffineStep([k * g.v for k in g.k], diagonal(g.alpha), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t by equation 3, and the outputs S_t^T q_t."""
        s = scanned(g.alpha, [k * g.v for k in g.k], first)
        return [*s, dot(g.q, s)]


class GLA(KeyedLayer):
    """A layer of gated linear attention, whose outputs are o_t = S_t^T q_t."""

    cell_class = GLACell


KIND = LayerKind("gla", GLA, options=KEYS, weights=column("s"))
