"""Gated DeltaProduct (Siems et al. 2025).

S <- g S, then two steps S <- S + beta k (v - S^T k)^T, o = S^T q.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import (
    AffineStep,
    Functions,
    LinearRecurrenceCell,
    dot,
    erasing,
    naively,
    total,
)
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class GatedDeltaProductCell(LinearRecurrenceCell):
    """A gated DeltaProduct cell, which applies two delta steps per token.

    Its gates are g, beta1 and beta2 (sigmoid), k1 and k2 (tanh), and q, v1 and v2 (linear).
    """

    token = "g beta1 k1[K] v1 beta2 k2[K] v2 q[K]"
    functions: ClassVar[Functions] = {
        "g": torch.sigmoid,
        "beta1": torch.sigmoid,
        "beta2": torch.sigmoid,
        "k1": torch.tanh,
        "k2": torch.tanh,
    }

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map of a token's step, which is a decay by g and then two delta steps.

        The map is returned with the output weights, q.
        """
        size = range(len(g.k1))
        first = erasing([g.g for _ in size], [g.beta1 * k for k in g.k1], [g.g * k for k in g.k1])
        second = erasing([1 for _ in size], [g.beta2 * k for k in g.k2], g.k2)
        moves = {(i, j): total(first[i, m] * second[m, j] for m in size) for i in size for j in size}
        written = [g.beta1 * k * g.v1 for k in g.k1]
        update = [total(written[m] * second[m, j] for m in size) + g.beta2 * g.k2[j] * g.v2 for j in size]
        return AffineStep(update, moves, g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t^T q_t token by token.

        A step decays the state by g, and then applies the two delta steps in order.
        """

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            s = [t.g * x for x in s]
            for beta, key, value in ((t.beta1, t.k1, t.v1), (t.beta2, t.k2, t.v2)):
                error = value - dot(key, s)
                s = [x + beta * k * error for x, k in zip(s, key, strict=True)]
            return [*s, dot(t.q, s)]

        return naively(step, g, first)

    @property
    def roundings(self) -> int:
        """Return the maximum number of roundings of a monomial in one step of the network.

        It is K + 4 more than for a single delta step, because there are two.
        """
        return super().roundings + self.keys + 4


class GatedDeltaProduct(KeyedLayer):
    """A gated DeltaProduct layer with n_h = 2, whose outputs are o_t = H_t^T q_t."""

    cell_class = GatedDeltaProductCell


KIND = LayerKind("gated-delta-product", GatedDeltaProduct, options=KEYS, weights=column("s"))
