"""DeltaNet (Schlag et al. 2021, section 4.2): S <- S + beta k (v - S^T k)^T, o = S^T q."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class DeltaNetCell(LinearRecurrenceCell):
    """A DeltaNet cell with the gate beta (sigmoid), the key k (tanh), and linear q and v."""

    token = "beta q[K] k[K] v"
    functions: ClassVar[Functions] = {"beta": torch.sigmoid, "k": torch.tanh}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- (1 - beta k k^T) s + beta k v of a token's step.

        The map is returned with the output weights, q.
        """
        moves = erasing([1 for _ in g.k], [g.beta * k for k in g.k], g.k)
        return AffineStep([g.beta * k * g.v for k in g.k], moves, g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t by the delta rule, and the outputs S_t^T q_t."""

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            error = t.v - dot(t.k, s)
            new = [x + t.beta * k * error for x, k in zip(s, t.k, strict=True)]
            return [*new, dot(t.q, new)]

        return naively(step, g, first)


class DeltaNet(KeyedLayer):
    """A DeltaNet layer, whose outputs are o_t = S_t^T q_t."""

    cell_class = DeltaNetCell


KIND = LayerKind("delta-net", DeltaNet, options=KEYS, weights=column("s"))
