"""Kimi Delta Attention (Kimi Team 2025): S <- (1 - beta k k^T) Diag(alpha) S + beta k v^T, o = S^T q."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class KDACell(LinearRecurrenceCell):
    """A cell of Kimi Delta Attention.

    Its gates are alpha and beta (sigmoid), k (tanh), and q and v (linear).
    """

    token = "alpha[K] beta q[K] k[K] v"
    functions: ClassVar[Functions] = {"alpha": torch.sigmoid, "beta": torch.sigmoid, "k": torch.tanh}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- (1 - beta k k^T) Diag(alpha) s + beta k v of a token's step.

        The map is returned with the output weights, q.
        """
        moves = erasing(
            g.alpha, [g.beta * k for k in g.k], [k * a for k, a in zip(g.k, g.alpha, strict=True)]
        )
        return AffineStep([g.beta * k * g.v for k in g.k], moves, g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t^T q_t token by token.

        A step decays the state by alpha, and then applies the delta rule to it.
        """

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            held = [a * x for a, x in zip(t.alpha, s, strict=True)]
            error = t.v - dot(t.k, held)
            new = [x + t.beta * k * error for x, k in zip(held, t.k, strict=True)]
            return [*new, dot(t.q, new)]

        return naively(step, g, first)


class KDA(KeyedLayer):
    """A layer of Kimi Delta Attention, whose outputs are o_t = S_t^T q_t."""

    cell_class = KDACell


KIND = LayerKind("kda", KDA, options=KEYS, weights=column("s"))
