"""RWKV-6 in chunks, with cumulated decays: outputs read the state before their token. RWKV-5 is this with
decays that are all the same.

Peng et al. 2024, section 4.2.2, has the recurrence; kernels run it in chunks. With g(i, r) the products,
place by place, of the decays of a chunk's tokens i + 1, ..., r, the output of token r is r_r (g(0, r - 1) s),
the sum over i < r of (r_r (g(i, r - 1) k_i)) v_i, and its own bonus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences import rwkv_6
from theory.linear_recurrences.shared.chunks import (
    ANY_SIZE,
    EFFORT,
    IN_ORDER,
    Chunked,
    chunked,
    dot,
    handed_over_first,
    product,
)
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import exactly, refuted
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.weights import Weights, total


def weights(size: tuple[int, int], most: int = 60, **only: Sequence[Any]) -> Signature:
    """Chunks of C tokens, and a head's weights with K numbers in a key."""
    chunk, k = size
    vectors = (by_symbol(name, (k,), only.get(name)) for name in "wrk")
    entries = (constant("u", (k,), only.get("u")), *vectors, by_symbol("v", only=only.get("v")))
    return Signature((constant("s_0", (k,), only.get("s_0")), *entries), size=("C", chunk), most_small=most)


# The chunk form, for one column s of the state at the chunk's start.


def decays(w: Weights, tokens: str) -> list[Any]:
    """g: place by place, the product of the tokens' decays."""
    return [product(w, [w.w[x][j] for x in tokens]) for j in range(len(w.s_0))]


def read(w: Weights, s: Sequence[Any], earlier: str, receptance: Any) -> Any:
    """What a receptance reads of the state after the tokens."""
    within = (
        w.over.times(dot(w, receptance, decays(w, earlier[i:]), w.k[y]), w.v[y])
        for i, y in enumerate(earlier, start=1)
    )
    return w.over.plus(dot(w, receptance, decays(w, earlier), s), total(w.over, within))


def output(w: Weights, s: Sequence[Any], chunk: str) -> Any:
    """The last token's: of the state before it, and its bonus."""
    x = chunk[-1]
    return w.over.plus(read(w, s, chunk[:-1], w.r[x]), w.over.times(dot(w, w.r[x], w.u, w.k[x]), w.v[x]))


def output_of_new(w: Weights, s: Sequence[Any], chunk: str) -> Any:
    """The last token's, as other layers have it: of the state after it."""
    return read(w, s, chunk, w.r[chunk[-1]])


def hand_over(w: Weights, s: Sequence[Any], chunk: str) -> list[Any]:
    """The state after the chunk."""
    old, new = decays(w, chunk), [(decays(w, chunk[i:]), y) for i, y in enumerate(chunk, start=1)]
    return [
        w.over.plus(
            w.over.times(old[j], s[j]),
            total(w.over, (product(w, [decay[j], w.k[y][j], w.v[y]]) for decay, y in new)),
        )
        for j in range(len(s))
    ]


LAYER = replace(rwkv_6.LAYER, places=lambda w: len(w.s_0))
CHUNKED = Chunked(LAYER, output, hand_over)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
SMALL = Sizes(lambda size: weights(size, 500, u=(0,)), (), ((1, 1), (2, 1)))

CLAIM = Claim(
    name="rwkv-6-chunks",
    title="RWKV-6 in chunks is RWKV-6",
    statement=(
        "A head of RWKV-6 run in chunks of C tokens, with decays cumulated within the chunk, has the outputs"
        " of the recurrence, for every C: each number of them is the Forward score of the automaton with"
        " K + 2 states."
    ),
    source=Source("peng2024eagle", "4.2.2", "Finch (RWKV-6), in chunks"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        "Decays between two tokens are multiplied; nothing is divided by one, so that it may be 0.",
    ),
    variants=(
        chunked(
            ANY_SIZE,
            CHUNKED,
            CASES,
            theorem(
                "rwkv_6_chunks",
                "chunked_rwkv_6 {u} {w} {r} {k} {v} {C} {s_0} {word}",
                "rwkv_6_automaton {s_0} {u} {w} {r} {k} {v}",
            ),
            *map(weights, ((1, 1), (2, 1), (3, 1), (2, 2))),
        ),
        refuted("without-order", IN_ORDER, handed_over_first(CHUNKED).recurrence, LAYER.automata, FEW, SMALL),
        refuted(
            "without-read-first",
            "each output reads the state after its token, as in other layers' chunks",
            replace(CHUNKED, output=output_of_new).recurrence,
            LAYER.automata,
            FEW,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "u": exactly(2, 0),
            "w": {"a": exactly("1/2", 1), "b": exactly(1, 0)},
            "r": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("C", 2),
    ),
    uses=("rwkv-6", "gla-chunks"),
    effort=EFFORT,
)
