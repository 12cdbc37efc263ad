"""Momentum DeltaNet (Huang et al. 2026).

M <- mu M - eta k (v - S^T p)^T, S <- alpha S - beta M, o = S^T q.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column
from neural.linear_recurrences.momentum import momentum_step


class MomentumDeltaNetCell(LinearRecurrenceCell):
    """A Momentum DeltaNet cell, whose state is a memory and a momentum.

    Its gates are alpha, mu, beta and eta (sigmoid), p and k (tanh), and q and v (linear).
    """

    token = "alpha mu beta eta p[K] k[K] q[K] v"
    functions: ClassVar[Functions] = {
        **dict.fromkeys(("alpha", "mu", "beta", "eta"), torch.sigmoid),
        **dict.fromkeys(("p", "k"), torch.tanh),
    }
    per_key = 2  # the memory comes first, and then the momentum

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map of a token's step, and the output weights q of the memory.

        The step is m <- mu m - eta k (v - p^T s), and then s <- alpha s - beta m.
        """
        left = [g.eta * k for k in g.k]
        return momentum_step(g.mu, g.alpha, -g.beta, left, g.p, [-x * g.v for x in left], g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the memory, the momentum and the output token by token.

        A step first updates the momentum, and then the memory from the new momentum.
        """

        def step(t: SimpleNamespace, state: list[Tensor]) -> list[Tensor]:
            s, m = state[: len(t.k)], state[len(t.k) :]
            error = t.v - dot(t.p, s)
            m = [t.mu * x - t.eta * k * error for x, k in zip(m, t.k, strict=True)]
            s = [t.alpha * x - t.beta * y for x, y in zip(s, m, strict=True)]
            return [*s, *m, dot(t.q, s)]

        return naively(step, g, first)


class MomentumDeltaNet(KeyedLayer):
    """A Momentum DeltaNet layer, whose outputs are o_t = S_t^T q_t."""

    cell_class = MomentumDeltaNetCell


KIND = LayerKind("momentum-delta-net", MomentumDeltaNet, options=KEYS, weights=column("s", "m"))
