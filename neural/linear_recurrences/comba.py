"""Comba (Hu et al. 2025): S <- S (alpha - beta~ k k^T) + beta v k^T, o = S (q - d k)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class CombaCell(LinearRecurrenceCell):
    """A Comba cell with the gates alpha, beta~ and beta (sigmoid).

    The key k is a tanh of a linear map of the input; q and v are linear maps of it. The factor d is a
    parameter. The code calls beta~ ``erase``.
    """

    token = "alpha erase beta q[K] k[K] v"
    layer = "d"
    functions: ClassVar[Functions] = {
        "alpha": torch.sigmoid,
        "erase": torch.sigmoid,
        "beta": torch.sigmoid,
        "k": torch.tanh,
    }

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- (alpha - beta~ k k^T) s + beta k v of a token's step.

        The map is returned with the output weights, q - d k.
        """
        moves = erasing([g.alpha for _ in g.k], [g.erase * k for k in g.k], g.k)
        query = [q - g.d * k for q, k in zip(g.q, g.k, strict=True)]
        return AffineStep([g.beta * k * g.v for k in g.k], moves, query)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t (q_t - d k_t) token by token."""

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            change = t.beta * t.v - t.erase * dot(t.k, s)
            new = [t.alpha * x + k * change for x, k in zip(s, t.k, strict=True)]
            return [*new, dot([q - t.d * k for q, k in zip(t.q, t.k, strict=True)], new)]

        return naively(step, g, first)


class Comba(KeyedLayer):
    """A Comba layer, whose outputs are o_t = S_t (q_t - d k_t)."""

    cell_class = CombaCell


KIND = LayerKind("comba", Comba, options=KEYS, weights=column("s"))
