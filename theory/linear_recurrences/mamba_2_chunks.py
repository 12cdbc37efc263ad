"""Mamba-2 in chunks: the block form of SSD, with products of decays between two tokens.

Dao and Gu 2024, section 6: let d(i, r) be the product of the decays of a chunk's tokens i + 1, ..., r. Let h
be the state at the chunk's start, which is passed from chunk to chunk. The output is C_r^T (d(0, r) h), plus
the sum over i <= r of d(i, r) (C_r^T B_i) x_i for the chunk's own block, plus D x_r.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import mamba_2
from theory.linear_recurrences.shared import chunks
from theory.linear_recurrences.shared.affine import Token
from theory.linear_recurrences.shared.hypotheses import CHUNK_DIFFERENCES, FIRST_UNIT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.records import refuted
from theory.signature import Sizes

weights = mamba_2.weights.in_chunks("Q")

# The block form, for one channel with the state h at the chunk's start.


def decay(chunk: chunks.Chunk, i: int, r: int) -> Any:
    """Return d(i, r), the product of the decays of the chunk's tokens i + 1 to r."""
    return chunks.product(t.a for t in chunk[i:r])


def inclusive(chunk: chunks.Chunk, i: int, r: int) -> Any:
    """Return the product of the decays of tokens i to r, instead of i + 1 to r.

    It wrongly includes the decay of token i.
    """
    return decay(chunk, max(i - 1, 0), r)


def with_decays(d: Any) -> chunks.Chunked:
    """Return the layer in chunks whose decays between two tokens are computed by the function ``d``."""

    def output(h: Any, chunk: chunks.Chunk) -> Any:
        """Return the output of token r.

        It is C^T (d(0, r) h), plus the sum over i <= r of d(i, r) (C^T B_i) x_i, plus D x.
        """
        t, r = chunk[-1], len(chunk)

        def written(i: int, y: Token) -> Any:
            return d(chunk, i, r) * t.sum(lambda j: t.C[j] * y.B[j]) * y.x

        block = (written(i, y) for i, y in enumerate(chunk, start=1))
        return sum(block, decay(chunk, 0, r) * t.sum(lambda j: t.C[j] * h[j])) + t.D * t.x

    def hand_over(h: Any, chunk: chunks.Chunk, j: int) -> Any:
        """Return component j of the state after token r: d(0, r) h + sum over i <= r of d(i, r) B_i x_i."""
        r = len(chunk)
        written = (d(chunk, i, r) * y.B[j] * y.x for i, y in enumerate(chunk, start=1))
        return sum(written, decay(chunk, 0, r) * h[j])

    return chunks.Chunked(mamba_2.LAYER, output, hand_over)


BLOCKS = with_decays(decay)
NOT_DECAYED = replace(BLOCKS, hand_over=with_decays(lambda *_: 1).hand_over)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
PLAIN: dict[str, Any] = {"h_0": (0,), "D": (0,), "B": (1,), "C": (1,)}
DECAYED = chunks.few(weights, (1, 1), (2, 1), **PLAIN)

CLAIM = Claim(
    name="mamba-2-chunks",
    title="Mamba-2 in blocks is Mamba-2",
    statement=(
        "A channel of Mamba-2 that runs in the block form of SSD, in chunks of Q tokens, has the outputs of"
        " the recurrence, for every Q: each output is the Forward score of the automaton with N + 2 states."
    ),
    source=Source("dao2024transformers", "6", "SSD algorithm"),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is omitted.",
        FIRST_UNIT,
        NO_TOKENS,
        chunks.MULTIPLIED,
    ),
    variants=(
        chunks.corrected(weights, BLOCKS, CASES, chunks.theorem("mamba_2_chunks", "D a B C x", "Q h_0")),
        chunks.out_of_order(BLOCKS, FEW, chunks.few(weights, (1, 1), a=(1,), **PLAIN)),
        refuted(
            "without-exclusive-decays",
            "the value that a token writes is also multiplied by the token's own decay",
            with_decays(inclusive).recurrence,
            mamba_2.LAYER,
            FEW,
            DECAYED,
        ),
        refuted(
            "without-decays-to-the-end",
            "the values that the tokens of a chunk write are passed on without the decays of later tokens",
            NOT_DECAYED.recurrence,
            mamba_2.LAYER,
            FEW,
            DECAYED,
        ),
    ),
    differences=(*CHUNK_DIFFERENCES, "The convolution before the recurrence is left out."),
    example=weights((2, 2)).example(),
    uses=("mamba-2", "gla-chunks"),
    layers=("mamba-2-chunks",),
    layers_are_cases=False,
    effort=chunks.EFFORT,
)
