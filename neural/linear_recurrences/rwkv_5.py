"""RWKV-5 (Peng et al. 2024, equations 8 and 9): o = r (S + diag(u) k^T v), then S <- diag(w) S + k^T v."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class RWKV5Cell(LinearRecurrenceCell):
    """An RWKV-5 cell with the gates r, k and v (linear) and the parameter u.

    The decay w is the sigmoid of a parameter.
    """

    token = "r[K] k[K] v"
    layer = "w[K] u[K]"
    functions: ClassVar[Functions] = {"w": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- w_j s_j + k_j v of a token's step, and the output.

        The output is the sum of r_j (s_j + u_j k_j v) over j, where s is the state before the step.
        """
        bonus = dot(g.r, [u * (k * g.v) for u, k in zip(g.u, g.k, strict=True)])
        return AffineStep([k * g.v for k in g.k], diagonal(g.w), g.r, bonus, first=True)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t, and the outputs r_t (S_{t-1} + diag(u) k_t^T v_t)."""
        s = scanned(g.w, [k * g.v for k in g.k], first)
        before = [
            torch.cat([one.unsqueeze(0), later])[: len(later)] for one, later in zip(first, s, strict=True)
        ]
        wkv = [x + u * (k * g.v) for x, u, k in zip(before, g.u, g.k, strict=True)]
        return [*s, dot(g.r, wkv)]


class RWKV5(KeyedLayer):
    """An RWKV-5 layer without its token shift, whose outputs are r_t wkv_t."""

    cell_class = RWKV5Cell


KIND = LayerKind("rwkv-5", RWKV5, options=KEYS, weights=column("s"))
