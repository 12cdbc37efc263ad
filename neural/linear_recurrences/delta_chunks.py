"""Gated DeltaNet in chunks, in the WY form.

The values that a chunk adds to the state are computed by forward substitution. See Yang et al. 2024, section
3.2, and for the form with gates Yang et al. 2025, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from neural.layer_kind import LayerKind
from neural.linear_recurrence_cell import dot, total
from neural.linear_recurrences.chunks import CHUNKS, ChunkedCell, ChunkedLayer, Tokens, prefixes, products
from neural.linear_recurrences.gated_delta_net import GatedDeltaNetCell
from neural.linear_recurrences.kind import column


class DeltaChunksCell(ChunkedCell, GatedDeltaNetCell):
    """A cell that computes gated DeltaNet in chunks.

    Its gates are those of :class:`~neural.linear_recurrences.gated_delta_net.GatedDeltaNetCell`.
    """

    def run_chunk(self, tokens: Tokens, first: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the state and the output after each token, computed from the state before the chunk.

        First, forward substitution computes the value u that each token adds to the state at its key.
        """
        values = list[Tensor]()
        for r, t in enumerate(tokens):
            start, *later = between(tokens[: r + 1])
            earlier = zip(later, tokens[:r], values, strict=False)  # the last item of ``later`` is not used
            there = [start * dot(t.k, first), *(g * dot(t.k, y.k) * u for g, y, u in earlier)]
            values.append(t.beta * (t.v - total(there)))

        def run(chunk: Tokens) -> list[Tensor]:
            (start, *later), last = between(chunk), chunk[-1]
            new = list(zip(later, chunk, values[: len(chunk)], strict=True))
            state = [total([start * s, *(g * (y.k[j] * u) for g, y, u in new)]) for j, s in enumerate(first)]
            block = [g * dot(last.q, y.k) * u for g, y, u in new]
            return [*state, total([start * dot(last.q, first), *block])]

        return prefixes(run, tokens)


def between(chunk: Tokens) -> list[Tensor]:
    """Return the product of the alphas of the tokens i + 1 to r of a chunk of r tokens, for i = 0, ..., r."""
    return [g for (g,) in products([[t.alpha] for t in chunk])]


class DeltaChunks(ChunkedLayer):
    """A gated DeltaNet layer in chunks, whose outputs are o_t = S_t q_t."""

    cell_class = DeltaChunksCell


KIND = LayerKind("delta-chunks", DeltaChunks, options=CHUNKS, weights=column("s", letter="C", size="chunk"))
