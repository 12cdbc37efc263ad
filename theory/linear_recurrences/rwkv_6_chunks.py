"""RWKV-6 in chunks, with cumulative decays: outputs read the state before their token.

RWKV-5 is the special case of constant decays.

Peng et al. 2024, section 4.2.2, has the recurrence; kernels run it in chunks. Let g(i, n) be the
elementwise product of the decays of a chunk's tokens i + 1, ..., n. Let s be the state at the chunk's
start, and r_n the receptance of token n. The output of token n is r_n (g(0, n - 1) s), plus the
sum over i < n of (r_n (g(i, n - 1) k_i)) v_i, plus the token's own bonus.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import rwkv_6
from theory.linear_recurrences.shared import chunks
from theory.linear_recurrences.shared.affine import Token
from theory.linear_recurrences.shared.hypotheses import CHUNK_DIFFERENCES, ONE_COLUMN
from theory.linear_recurrences.shared.records import refuted
from theory.signature import Sizes

weights = rwkv_6.weights.in_chunks("C")

# The chunk form, for one column s of the state at the chunk's start.


def decays(tokens: chunks.Chunk, j: int) -> Any:
    """Return component j of the product of the tokens' decays."""
    return chunks.product(t.w[j] for t in tokens)


def read(s: Any, earlier: chunks.Chunk, t: Token) -> Any:
    """Return the value that token t reads from the state after n earlier tokens of the chunk.

    It is r (g(0, n) s) plus the sum over i <= n of (r (g(i, n) k_i)) v_i.
    """

    def written(i: int, y: Token) -> Any:
        return t.sum(lambda j: t.r[j] * decays(earlier[i:], j) * y.k[j]) * y.v

    new = (written(i, y) for i, y in enumerate(earlier, start=1))
    return sum(new, t.sum(lambda j: t.r[j] * decays(earlier, j) * s[j]))


def output(s: Any, chunk: chunks.Chunk) -> Any:
    """Return the last token's output: the value read from the previous state, plus its bonus."""
    t = chunk[-1]
    return read(s, chunk[:-1], t) + t.sum(lambda j: t.r[j] * t.u[j] * t.k[j]) * t.v


def hand_over(s: Any, chunk: chunks.Chunk, j: int) -> Any:
    """Return component j of the state after a chunk of n tokens.

    The state is g(0, n) s plus the sum over i <= n of (g(i, n) k_i) v_i.
    """
    new = (decays(chunk[i:], j) * y.k[j] * y.v for i, y in enumerate(chunk, start=1))
    return sum(new, decays(chunk, j) * s[j])


CHUNKED = chunks.Chunked(rwkv_6.LAYER, output, hand_over)
OF_NEW = replace(CHUNKED, output=lambda s, chunk: read(s, chunk, chunk[-1]))
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
SMALL = chunks.few(weights, (1, 1), (2, 1), u=(0,))

CLAIM = Claim(
    name="rwkv-6-chunks",
    title="RWKV-6 in chunks is RWKV-6",
    statement=(
        "A head of RWKV-6 that runs in chunks of C tokens, with decays accumulated within the chunk, has"
        " the outputs of the recurrence, for every C: each component is the Forward score of the automaton"
        " with K + 2 states."
    ),
    source=Source("peng2024eagle", "4.2.2", "Finch (RWKV-6), in chunks"),
    hypotheses=(*ONE_COLUMN, chunks.MULTIPLIED),
    variants=(
        chunks.corrected(weights, CHUNKED, CASES, chunks.theorem("rwkv_6_chunks", "u w r k v")),
        chunks.out_of_order(CHUNKED, FEW, SMALL),
        refuted(
            "without-read-first",
            "each output reads the state after its token, as in the chunks of other layers",
            OF_NEW.recurrence,
            rwkv_6.LAYER,
            FEW,
            SMALL,
        ),
    ),
    differences=(*CHUNK_DIFFERENCES, "The paper has the recurrence; the chunked form is that of programs."),
    example=weights((2, 2)).example(),
    uses=("rwkv-6", "gla-chunks"),
    layers=("rwkv-6-chunks",),
    layers_are_cases=False,
    effort=chunks.EFFORT,
)
