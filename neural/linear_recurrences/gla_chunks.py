"""Gated linear attention in chunks, with products of gates (Yang et al. 2024, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import dot, total
from neural.linear_recurrences.chunks import (
    CHUNKS,
    ChunkedCell,
    ChunkedLayer,
    Tokens,
    prefixes,
    products,
    written,
)
from neural.linear_recurrences.gla import GLACell
from neural.linear_recurrences.kind import column


class GLAChunksCell(ChunkedCell, GLACell):
    """A cell that computes gated linear attention in chunks.

    Its gates are those of :class:`~neural.linear_recurrences.gla.GLACell`.
    """

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the state and the output after each token, computed from the state before the chunk."""

        def run(chunk: Tokens) -> list[Tensor]:
            g, last = products([t.alpha for t in chunk]), chunk[-1]
            state = written(g, [first, *([k * t.v for k in t.k] for t in chunk)])
            read = [[q * d for q, d in zip(last.q, row, strict=True)] for row in g]
            block = [dot(row, t.k) * t.v for row, t in zip(read[1:], chunk, strict=True)]
            return [*state, total([dot(read[0], first), *block])]

        return prefixes(run, tokens)


class GLAChunks(ChunkedLayer):
    """A layer of gated linear attention in chunks, whose outputs are o_t = S_t^T q_t."""

    cell_class = GLAChunksCell


KIND = LayerKind("gla-chunks", GLAChunks, options=CHUNKS, weights=column("s", letter="C", size="chunk"))
