"""RWKV-7 in chunks (the recurrence is that of Peng et al. 2025, section 4.1).

The state before a chunk, and the updates of the chunk's tokens, are multiplied by products of decays. The
updates are computed by forward substitution, because a removal key reads the updates of earlier tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import dot
from neural.linear_recurrences.chunks import CHUNKS, ChunkedCell, ChunkedLayer, Tokens, products, written
from neural.linear_recurrences.kind import column
from neural.linear_recurrences.rwkv_7 import RWKV7Cell


class RWKV7ChunksCell(ChunkedCell, RWKV7Cell):
    """A cell that computes RWKV-7 in chunks.

    Its gates are those of :class:`~neural.linear_recurrences.rwkv_7.RWKV7Cell`.
    """

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the state and the output after each token, computed from the state before the chunk.

        The update of a token is z = k v - (a o kappa) u, where u is what kappa reads from the state before
        this token.
        """
        z, rows, state = list[list[Tensor]](), list[list[Tensor]](), list(first)
        for r, t in enumerate(tokens):
            u = dot(t.kappa, state)
            z.append([k * t.v - a * kappa * u for k, a, kappa in zip(t.k, t.a, t.kappa, strict=True)])
            state = written(products([y.w for y in tokens[: r + 1]]), [first, *z])
            rows.append([*state, dot(t.q, state)])
        return rows


class RWKV7Chunks(ChunkedLayer):
    """An RWKV-7 layer in chunks, whose outputs are wkv_t r_t^T."""

    cell_class = RWKV7ChunksCell


KIND = LayerKind("rwkv-7-chunks", RWKV7Chunks, options=CHUNKS, weights=column("s", letter="C", size="chunk"))
