"""Linear attention (Katharopoulos et al. 2020, equation 18): S <- S + k v^T, o = S^T q.

The output is not normalised.
"""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import AffineStep, LinearRecurrenceCell, diagonal, dot, scanned
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column


class LinearAttentionCell(LinearRecurrenceCell):
    """A cell of linear attention, in which q, k and v are linear maps of the input."""

    token = "q[K] k[K] v"

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return the affine map s_j <- s_j + k_j v of a token's step, and the output weights q_j."""
        return AffineStep([k * g.v for k in g.k], diagonal([1 for _ in g.k]), g.q)

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the states S_t (equation 18) as a cumulative sum, and the outputs S_t^T q_t."""
        s = scanned([torch.ones_like(g.v) for _ in g.k], [k * g.v for k in g.k], first)
        return [*s, dot(g.q, s)]


class LinearAttention(KeyedLayer):
    """A layer of linear attention, whose outputs are o_t = S_t^T q_t."""

    cell_class = LinearAttentionCell


KIND = LayerKind("linear-attention", LinearAttention, options=KEYS, weights=column("s"))
