"""Gated linear attention in chunks, with cumulated gates; linear attention, retention and Mamba-2's block
form (SSD) are this with gates that are 1, or equal.

Yang et al. 2024, sections 4.1 and 4.2: with g(i, r) the products, place by place, of the gates of a chunk's
tokens i + 1, ..., r, S_r = g(0, r) S + the sum over i <= r of (g(i, r) k_i) v_i. The printed form writes g(i,
r) as the quotient b_r / b_i of products from the chunk's start, and so asks for gates that are not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences import gla
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
    vectors = (by_symbol(name, (k,), only.get(name)) for name in ("alpha", "q", "k"))
    entries = (*vectors, by_symbol("v", only=only.get("v")))
    return Signature((constant("s_0", (k,), only.get("s_0")), *entries), size=("C", chunk), most_small=most)


# The chunk form, for one column s of the state at the chunk's start.


def gates(w: Weights, chunk: str, i: int, r: int) -> list[Any]:
    """g(i, r): place by place, the product of the gates of the tokens i + 1 to r."""
    return [product(w, [w.alpha[x][j] for x in chunk[i:r]]) for j in range(len(w.s_0))]


def quotient(w: Weights, chunk: str, i: int, r: int) -> list[Any]:
    """b_r / b_i, with 1 / 0 read as 0 so that it is a number."""
    above, below = gates(w, chunk, 0, r), gates(w, chunk, 0, i)
    return [a / b if b else Fraction(0) for a, b in zip(above, below, strict=True)]


def inclusive(w: Weights, chunk: str, i: int, r: int) -> list[Any]:
    """The gates of the tokens i to r: one too many for what token i writes."""
    return gates(w, chunk, max(i - 1, 0), r)


def output(w: Weights, s: Sequence[Any], chunk: str, g: Any = gates) -> Any:
    """The last token's: q^T (g(0, r) s), and the sum over i <= r of (q^T (g(i, r) k_i)) v_i."""
    q, r = w.q[chunk[-1]], len(chunk)
    within = (
        w.over.times(dot(w, q, g(w, chunk, i, r), w.k[y]), w.v[y]) for i, y in enumerate(chunk, start=1)
    )
    return w.over.plus(dot(w, q, gates(w, chunk, 0, r), s), total(w.over, within))


def hand_over(w: Weights, s: Sequence[Any], chunk: str, g: Any = gates) -> list[Any]:
    """The state after the chunk."""
    r, old = len(chunk), gates(w, chunk, 0, len(chunk))
    new = [(g(w, chunk, i, r), y) for i, y in enumerate(chunk, start=1)]
    return [
        w.over.plus(
            w.over.times(old[j], s[j]),
            total(w.over, (product(w, [gate[j], w.k[y][j], w.v[y]]) for gate, y in new)),
        )
        for j in range(len(s))
    ]


LAYER = replace(gla.LAYER, places=lambda w: len(w.s_0))


def with_gates(g: Any) -> Chunked:
    """With these gates between tokens."""
    return Chunked(
        LAYER, lambda w, s, chunk: output(w, s, chunk, g), lambda w, s, chunk: hand_over(w, s, chunk, g)
    )


PRODUCTS = with_gates(gates)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)), ((1, 1), (2, 1), (3, 1)))
AT_ONE = Sizes(lambda size: weights(size, 300, alpha=(1,)), (), ((1, 1),))
GATED = Sizes(lambda size: weights(size, most=500), (), ((1, 1), (2, 1)))

CLAIM = Claim(
    name="gla-chunks",
    title="gated linear attention in chunks is gated linear attention",
    statement=(
        "A head of gated linear attention run in chunks of C tokens, with gates cumulated within the chunk,"
        " has the outputs of the recurrence, for every C: each number of them is the Forward score of the"
        " automaton with K + 2 states."
    ),
    source=Source("yang2024gated", "4.2", "Chunkwise form"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        "Gates between two tokens are multiplied; where they are a quotient of products, no gate is 0.",
    ),
    variants=(
        chunked(
            ANY_SIZE,
            PRODUCTS,
            CASES,
            theorem(
                "gla_chunks",
                "chunked_gla {alpha} {q} {k} {v} {C} {s_0} {word}",
                "gla_automaton {s_0} {alpha} {q} {k} {v}",
            ),
            *map(weights, ((1, 1), (2, 1), (3, 1), (2, 2))),
        ),
        refuted(
            "without-nonzero-gates",
            "gates between tokens as quotients b_r / b_i of products from the chunk's start, where a gate"
            " may be 0 (1 / 0 read as 0)",
            with_gates(quotient).recurrence,
            LAYER.automata,
            CASES,
            GATED,
        ),
        refuted(
            "without-order", IN_ORDER, handed_over_first(PRODUCTS).recurrence, LAYER.automata, CASES, AT_ONE
        ),
        refuted(
            "without-exclusive-gates",
            "what a token writes is multiplied by its own gate, too",
            with_gates(inclusive).recurrence,
            LAYER.automata,
            CASES,
            GATED,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "alpha": {"a": exactly(1, "1/2"), "b": exactly("1/2", 1)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("C", 2),
    ),
    uses=("gla",),
    effort=EFFORT,
)
