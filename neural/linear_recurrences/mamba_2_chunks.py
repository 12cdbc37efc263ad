"""Mamba-2 in chunks: the block form of SSD (Dao and Gu 2024, section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.layer import Recurrent
from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import dot, total
from neural.linear_recurrences.chunks import CHUNKS, ChunkedCell, Tokens, prefixes, products
from neural.linear_recurrences.kind import column
from neural.linear_recurrences.mamba_2 import Mamba2Cell


class Mamba2ChunksCell(ChunkedCell, Mamba2Cell):
    """A cell that computes Mamba-2 in chunks.

    Its gates are those of :class:`~neural.linear_recurrences.mamba_2.Mamba2Cell`.
    """

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the state and the output after each token, computed from the state before the chunk."""

        def run(chunk: Tokens) -> list[Tensor]:
            (start, *later), last = [d for (d,) in products([[t.a] for t in chunk])], chunk[-1]
            pairs = list(zip(later, chunk, strict=True))
            state = [total([start * h, *(d * (t.B[j] * t.x) for d, t in pairs)]) for j, h in enumerate(first)]
            block = [d * dot(last.C, t.B) * t.x for d, t in pairs]
            return [*state, total([start * dot(last.C, first), *block]) + last.D * last.x]

        return prefixes(run, tokens)


class Mamba2Chunks(Recurrent):
    """A Mamba-2 layer in chunks, whose outputs are C_t^T h_t + D x_t.

    Args:
        keys: N, the size of the state. Defaults to 2.
        chunk: Q, the number of tokens of a chunk. Defaults to 2.
    """

    cell_class = Mamba2ChunksCell


KIND = LayerKind(
    "mamba-2-chunks", Mamba2Chunks, options=CHUNKS, weights=column("h", letter="Q", size="chunk")
)
