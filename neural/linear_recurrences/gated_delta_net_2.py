"""Gated DeltaNet-2 (Hatamizadeh et al. 2026).

S <- (1 - k (b o k)^T) Diag(alpha) S + k (w o v)^T, o = S^T q.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class GatedDeltaNet2Cell(LinearRecurrenceCell):
    """A gated DeltaNet-2 cell with the gates alpha, b and w (sigmoid).

    The key k is a tanh of a linear map of the input; q and v are linear maps of it. The gate b erases from
    the state, and w writes to it.
    """

    token = "alpha[K] b[K] w q[K] k[K] v"
    functions: ClassVar[Functions] = {
        "alpha": torch.sigmoid,
        "b": torch.sigmoid,
        "w": torch.sigmoid,
        "k": torch.tanh,
    }

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- (1 - k (b o k)^T) Diag(alpha) s + k w v of a token's step.

        The map is returned with the output weights, q.
        """
        held = [b * k * a for b, k, a in zip(g.b, g.k, g.alpha, strict=True)]
        return AffineStep([k * (g.w * g.v) for k in g.k], erasing(g.alpha, g.k, held), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t^T q_t token by token.

        A step decays the state by alpha, and then erases with the gate b and writes with the gate w.
        """

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            held = [a * x for a, x in zip(t.alpha, s, strict=True)]
            error = t.w * t.v - dot([b * k for b, k in zip(t.b, t.k, strict=True)], held)
            new = [x + k * error for x, k in zip(held, t.k, strict=True)]
            return [*new, dot(t.q, new)]

        return naively(step, g, first)


class GatedDeltaNet2(KeyedLayer):
    """A gated DeltaNet-2 layer, whose outputs are o_t = S_t^T q_t."""

    cell_class = GatedDeltaNet2Cell


KIND = LayerKind("gated-delta-net-2", GatedDeltaNet2, options=KEYS, weights=column("s"))
