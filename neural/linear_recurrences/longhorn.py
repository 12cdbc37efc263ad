"""Longhorn (Liu et al. 2024): S <- (1 - delta k^2) S + delta x k^T, o = S q.

Here delta = beta / (1 + beta k^T k).
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import (
    AffineStep,
    Functions,
    LinearRecurrenceCell,
    diagonal,
    dot,
    grouped,
    scanned,
    total,
)
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class LonghornCell(LinearRecurrenceCell):
    """A Longhorn cell with the gate beta (sigmoid) and linear maps q, k and x of the input."""

    token = "beta q[K] k[K] x"
    names = "delta decay[K] q[K] k[K] x"
    functions: ClassVar[Functions] = {"beta": torch.sigmoid}

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return delta, the decays 1 - delta k_j^2, and the other gates.

        The decays are computed as quotients of sums of non-negative numbers, so that no digits cancel.
        """
        beta = raw.pop("beta")
        parts = [beta * (k * k) for k in grouped(raw).k]
        denominator = 1 + total(parts)
        others = [total([1, *parts[:j], *parts[j + 1 :]]) for j in range(len(parts))]
        decays = {f"decay[{j}]": other / denominator for j, other in enumerate(others, 1)}
        return {"delta": beta / denominator, **decays, **raw}

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- (1 - delta k_j^2) s_j + delta k_j x of a token's step.

        The map is returned with the output weights, q_j.
        """
        return AffineStep([g.delta * (k * g.x) for k in g.k], diagonal(g.decay), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t and the outputs S_t q_t."""
        s = scanned(g.decay, [g.delta * (k * g.x) for k in g.k], first)
        return [*s, dot(g.q, s)]


class Longhorn(KeyedLayer):
    """A Longhorn layer without its convolution, whose outputs are S_t q_t."""

    cell_class = LonghornCell


KIND = LayerKind("longhorn", Longhorn, options=KEYS, weights=column("s"))
