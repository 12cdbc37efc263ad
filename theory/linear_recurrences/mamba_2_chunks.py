"""Mamba-2 in chunks: the block form of SSD, with the decays between two tokens as products.

Dao and Gu 2024, section 6: with d(i, r) the product of the decays of a chunk's tokens i + 1, ..., r, an
output is C_r^T (d(0, r) h) for the state h at the chunk's start, which is handed over from chunk to chunk,
and the sum over i <= r of d(i, r) (C_r^T B_i) x_i for the chunk's own block; D x_r is added to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences import mamba_2
from theory.linear_recurrences.shared.chunks import (
    EFFORT,
    IN_ORDER,
    Chunked,
    chunked,
    dot,
    handed_over_first,
    product,
)
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import exactly, refuted
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.weights import Weights, total


def weights(size: tuple[int, int], most: int = 60, **only: Sequence[Any]) -> Signature:
    """Chunks of Q tokens, and a channel's weights with N numbers in its state."""
    chunk, n = size
    vectors = (by_symbol(name, (n,), only.get(name)) for name in "BC")
    entries = (
        constant("D", only=only.get("D")),
        by_symbol("a", only=only.get("a")),
        *vectors,
        by_symbol("x"),
    )
    return Signature((constant("h_0", (n,), only.get("h_0")), *entries), size=("Q", chunk), most_small=most)


# The block form, for one channel with the state h at the chunk's start.


def decay(w: Weights, chunk: str, i: int, r: int) -> Any:
    """d(i, r)."""
    return product(w, [w.a[x] for x in chunk[i:r]])


def inclusive(w: Weights, chunk: str, i: int, r: int) -> Any:
    """The decays of the tokens i to r: one too many for what token i writes."""
    return decay(w, chunk, max(i - 1, 0), r)


def written(w: Weights, chunk: str, read: Any, d: Any) -> Any:
    """The sum over i of d(i, r) read(i) x_i."""
    r = len(chunk)
    return total(
        w.over, (product(w, [d(w, chunk, i, r), read(y), w.x[y]]) for i, y in enumerate(chunk, start=1))
    )


def output(w: Weights, h: Sequence[Any], chunk: str, d: Any = decay) -> Any:
    """The last token's."""
    read, x = w.C[chunk[-1]], w.x[chunk[-1]]
    old = w.over.times(decay(w, chunk, 0, len(chunk)), dot(w, read, h))
    block = written(w, chunk, lambda y: dot(w, read, w.B[y]), d)
    return w.over.plus(w.over.plus(old, block), w.over.times(w.D, x))


def hand_over(w: Weights, h: Sequence[Any], chunk: str, d: Any = decay) -> list[Any]:
    """The state after the chunk."""
    old = decay(w, chunk, 0, len(chunk))
    return [
        w.over.plus(w.over.times(old, number), written(w, chunk, lambda y, j=j: w.B[y][j], d))
        for j, number in enumerate(h)
    ]


LAYER = replace(mamba_2.LAYER, places=lambda w: len(w.h_0))
BLOCKS = Chunked(LAYER, output, hand_over)
INCLUSIVE = Chunked(
    LAYER,
    lambda w, h, chunk: output(w, h, chunk, inclusive),
    lambda w, h, chunk: hand_over(w, h, chunk, inclusive),
)
NOT_DECAYED = Chunked(LAYER, output, lambda w, h, chunk: hand_over(w, h, chunk, lambda *_: w.over.one))
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
PLAIN = {"h_0": (0,), "D": (0,), "B": (1,), "C": (1,)}
AT_ONE = Sizes(lambda size: weights(size, 500, a=(1,), **PLAIN), (), ((1, 1),))
DECAYED = Sizes(lambda size: weights(size, 500, **PLAIN), (), ((1, 1), (2, 1)))

CLAIM = Claim(
    name="mamba-2-chunks",
    title="Mamba-2 in blocks is Mamba-2",
    statement=(
        "A channel of Mamba-2 run by SSD's block form, in chunks of Q tokens, has the outputs of the"
        " recurrence, for every Q: each is the Forward score of the automaton with N + 2 states."
    ),
    source=Source("dao2024transformers", "6", "SSD algorithm"),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is left out.",
        FIRST_UNIT,
        NO_TOKENS,
        "Decays between two tokens are multiplied; nothing is divided by one, so that it may be 0.",
    ),
    variants=(
        chunked(
            "for chunks of any size Q, the last of which may be shorter",
            BLOCKS,
            CASES,
            theorem(
                "mamba_2_chunks",
                "chunked_mamba_2 {D} {a} {B} {C} {x} {Q} {h_0} {word}",
                "mamba_2_automaton {h_0} {D} {a} {B} {C} {x}",
            ),
            *map(weights, ((1, 1), (2, 1), (3, 1), (2, 2))),
        ),
        refuted("without-order", IN_ORDER, handed_over_first(BLOCKS).recurrence, LAYER.automata, FEW, AT_ONE),
        refuted(
            "without-exclusive-decays",
            "what a token writes is multiplied by its own decay, too",
            INCLUSIVE.recurrence,
            LAYER.automata,
            FEW,
            DECAYED,
        ),
        refuted(
            "without-decays-to-the-end",
            "what a chunk's tokens write is handed over without the decays of those after them",
            NOT_DECAYED.recurrence,
            LAYER.automata,
            FEW,
            DECAYED,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": exactly(0, 0),
            "D": Fraction(1),
            "a": {"a": Fraction(1, 2), "b": Fraction(1)},
            "B": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "C": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "x": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("Q", 2),
    ),
    uses=("mamba-2", "gla-chunks"),
    effort=EFFORT,
)
