"""RWKV-7 (Peng et al. 2025, section 4.1): S <- S (diag(w) - kappa^T (a o kappa)) + v^T k, o = S q^T."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, Functions, LinearRecurrenceCell, dot, erasing, naively
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class RWKV7Cell(LinearRecurrenceCell):
    """An RWKV-7 cell with the gates w and a (sigmoid), kappa (tanh), and k, q and v (linear).

    The gate q is the receptance r of the paper.
    """

    token = "w[K] kappa[K] a[K] k[K] q[K] v"
    functions: ClassVar[Functions] = {"w": torch.sigmoid, "kappa": torch.tanh, "a": torch.sigmoid}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s <- (diag(w) - (a o kappa) kappa^T) s + k v of a token's step.

        The map is returned with the output weights, q.
        """
        moves = erasing(g.w, [a * kappa for a, kappa in zip(g.a, g.kappa, strict=True)], g.kappa)
        return AffineStep([k * g.v for k in g.k], moves, g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t q_t^T token by token.

        The removal key kappa reads the state before the step decays it.
        """

        def step(t: SimpleNamespace, s: list[Tensor]) -> list[Tensor]:
            removed = dot(t.kappa, s)
            new = [
                w * x - a * kappa * removed + k * t.v
                for w, x, a, kappa, k in zip(t.w, s, t.a, t.kappa, t.k, strict=True)
            ]
            return [*new, dot(t.q, new)]

        return naively(step, g, first)


class RWKV7(KeyedLayer):
    """An RWKV-7 layer with outputs wkv_t r_t^T, without the token shift and the bonus."""

    cell_class = RWKV7Cell


KIND = LayerKind("rwkv-7", RWKV7, options=KEYS, weights=column("s"))
