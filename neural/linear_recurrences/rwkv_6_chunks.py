"""RWKV-6 in chunks (the recurrence is that of Peng et al. 2024, section 4.2.2).

The state before a chunk, and the updates of the chunk's tokens, are multiplied by products of decays. Each
output reads the state before its token.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
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
from neural.linear_recurrences.kind import column
from neural.linear_recurrences.rwkv_6 import RWKV6Cell


class RWKV6ChunksCell(ChunkedCell, RWKV6Cell):
    """A cell that computes RWKV-6 in chunks.

    Its gates are those of :class:`~neural.linear_recurrences.rwkv_6.RWKV6Cell`.
    """

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the state and the output after each token, computed from the state before the chunk."""

        def run(chunk: Tokens) -> list[Tensor]:
            *earlier, last = chunk
            g = products([t.w for t in chunk])
            state = written(g, [first, *([k * t.v for k in t.k] for t in chunk)])
            ones = [[torch.ones_like(w) for w in last.w]]
            before = products([t.w for t in earlier]) if earlier else ones
            read = [[r * d for r, d in zip(last.r, row, strict=True)] for row in before]
            block = [dot(row, t.k) * t.v for row, t in zip(read[1:], earlier, strict=True)]
            bonus = dot([r * u for r, u in zip(last.r, last.u, strict=True)], last.k) * last.v
            return [*state, total([dot(read[0], first), *block, bonus])]

        return prefixes(run, tokens)


class RWKV6Chunks(ChunkedLayer):
    """An RWKV-6 layer in chunks, whose outputs are r_t wkv_t."""

    cell_class = RWKV6ChunksCell


KIND = LayerKind("rwkv-6-chunks", RWKV6Chunks, options=CHUNKS, weights=column("s", letter="C", size="chunk"))
