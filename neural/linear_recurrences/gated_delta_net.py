"""Gated DeltaNet (Yang et al. 2025, section 3.1): S <- alpha S (1 - beta k k^T) + beta v k^T, o = S q."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class GatedDeltaNetCell(LinearRecurrenceCell):
    """A gated DeltaNet cell with the gates alpha and beta (sigmoid).

    The key k is a tanh of a linear map of the input; q and v are linear maps of it.
    """

    token = "alpha beta q[K] k[K] v"
    functions: ClassVar[Functions] = {"alpha": torch.sigmoid, "beta": torch.sigmoid, "k": torch.tanh}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- alpha (1 - beta k k^T) s + beta k v of a token's step.

        The map is returned with the output weights, q.
        """
        moves = erasing([g.alpha for _ in g.k], [g.alpha * g.beta * k for k in g.k], g.k)
        return AffineStep([g.beta * k * g.v for k in g.k], moves, g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t q_t token by token.

        A step decays the state by alpha, and then applies the delta rule to it.
        """

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            held = [t.alpha * x for x in s]
            error = t.v - dot(t.k, held)
            new = [x + t.beta * k * error for x, k in zip(held, t.k, strict=True)]
            return [*new, dot(t.q, new)]

        return naively(step, g, first)


class GatedDeltaNet(KeyedLayer):
    """A gated DeltaNet layer, whose outputs are o_t = S_t q_t."""

    cell_class = GatedDeltaNetCell


KIND = LayerKind("gated-delta-net", GatedDeltaNet, options=KEYS, weights=column("s"))
