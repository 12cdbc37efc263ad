"""RWKV-6 (Peng et al. 2024, section 4.2.2): o = r (S + diag(u) k^T v), then S <- diag(w) S + k^T v."""

from __future__ import annotations

from neural.layer_kind import LayerKind
from neural.linear_recurrences.kind import KEYS, KeyedLayer, column
from neural.linear_recurrences.rwkv_5 import RWKV5Cell


class RWKV6Cell(RWKV5Cell):
    """An RWKV-6 cell with the gates w (sigmoid), and r, k and v (linear), and the parameter u."""

    token = "w[K] r[K] k[K] v"
    layer = "u[K]"


class RWKV6(KeyedLayer):
    """An RWKV-6 layer without its token shift, whose outputs are r_t wkv_t."""

    cell_class = RWKV6Cell


KIND = LayerKind("rwkv-6", RWKV6, options=KEYS, weights=column("s"))
