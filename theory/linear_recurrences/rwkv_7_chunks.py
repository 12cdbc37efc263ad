"""RWKV-7 in chunks: a diagonal decay and a term of rank one a token, whose values are solved for by
substitution.

Peng et al. 2025, section 4.1, has the recurrence; kernels run it in chunks. With g(i, r) the products, place
by place, of the decays of a chunk's tokens i + 1, ..., r, token r's removal key reads u_r = kappa_r^T (g(0, r
- 1) s) + the sum over i < r of kappa_r^T (g(i, r - 1) z_i), where token i writes z_i = k_i v_i - (a_i o
kappa_i) u_i; and S_r = g(0, r) s + the sum over i <= r of g(i, r) z_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences import rwkv_7
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
from theory.linear_recurrences.shared.variants import MINUS, exactly, refuted
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.weights import Weights, total


def weights(size: tuple[int, int], most: int = 60, **only: Sequence[Any]) -> Signature:
    """Chunks of C tokens, and a head's weights with K numbers in a key."""
    chunk, k = size
    vectors = (by_symbol(name, (k,), only.get(name)) for name in ("w", "kappa", "a", "k", "q"))
    entries = (MINUS, *vectors, by_symbol("v", only=only.get("v")))
    return Signature((constant("s_0", (k,), only.get("s_0")), *entries), size=("C", chunk), most_small=most)


# The chunk form, for one row s of wkv at the chunk's start.


def decays(w: Weights, tokens: str) -> list[Any]:
    """g: place by place, the product of the tokens' decays."""
    return [product(w, [w.w[x][j] for x in tokens]) for j in range(len(w.s_0))]


def writes(w: Weights, x: str, u: Any) -> list[Any]:
    """z: what a token writes whose removal key reads u."""
    k = w.over
    erased = (product(w, [w.minus, a, kappa, u]) for a, kappa in zip(w.a[x], w.kappa[x], strict=True))
    return [k.plus(old, k.times(key, w.v[x])) for old, key in zip(erased, w.k[x], strict=True)]


def read(w: Weights, s: Sequence[Any], tokens: str, u: Sequence[Any], vector: Any) -> Any:
    """What a vector reads of the state after the tokens, whose values are u."""
    new = (dot(w, vector, decays(w, tokens[i + 1 :]), writes(w, y, u[i])) for i, y in enumerate(tokens))
    return w.over.plus(dot(w, vector, decays(w, tokens), s), total(w.over, new))


def values(w: Weights, s: Sequence[Any], chunk: str) -> list[Any]:
    """u, from the first token on: each is solved for with those before it."""
    u = list[Any]()
    for r, x in enumerate(chunk):
        u.append(read(w, s, chunk[:r], u, w.kappa[x]))
    return u


def values_at_once(w: Weights, s: Sequence[Any], chunk: str) -> list[Any]:
    """What the removal keys read of the chunk's first state alone, which has decayed."""
    return [dot(w, w.kappa[x], decays(w, chunk[:r]), s) for r, x in enumerate(chunk)]


def output(w: Weights, s: Sequence[Any], chunk: str, solve: Any = values) -> Any:
    """The last token's."""
    return read(w, s, chunk, solve(w, s, chunk), w.q[chunk[-1]])


def hand_over(w: Weights, s: Sequence[Any], chunk: str, solve: Any = values) -> list[Any]:
    """The state after the chunk."""
    u, old = solve(w, s, chunk), decays(w, chunk)
    new = [(decays(w, chunk[i + 1 :]), writes(w, y, u[i])) for i, y in enumerate(chunk)]
    return [
        w.over.plus(
            w.over.times(old[j], s[j]), total(w.over, (w.over.times(decay[j], z[j]) for decay, z in new))
        )
        for j in range(len(s))
    ]


LAYER = replace(rwkv_7.LAYER, places=lambda w: len(w.s_0))
CHUNKED = Chunked(LAYER, output, hand_over)
AT_ONCE = Chunked(
    LAYER,
    lambda w, s, chunk: output(w, s, chunk, values_at_once),
    lambda w, s, chunk: hand_over(w, s, chunk, values_at_once),
)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
ONES = {"w": (1,), "kappa": (1,), "a": (1,)}
SMALL = Sizes(lambda size: weights(size, 500, s_0=(0,), **ONES), (), ((2, 1),))
READING = Sizes(lambda size: weights(size, 500, s_0=(0,), **ONES | {"a": (0,)}), (), ((1, 1),))

CLAIM = Claim(
    name="rwkv-7-chunks",
    title="RWKV-7 in chunks is RWKV-7",
    statement=(
        "A head of RWKV-7 run in chunks of C tokens, with decays cumulated and what removal keys read solved"
        " for within the chunk, has the outputs of the recurrence, for every C: each number of them is the"
        " Forward score of the automaton with K + 2 states."
    ),
    source=Source("peng2025rwkv7", "4.1", "RWKV-7, in chunks"),
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
                "rwkv_7_chunks",
                "chunked_rwkv_7 {minus} {w} {kappa} {a} {k} {q} {v} {C} {s_0} {word}",
                "rwkv_7_automaton {s_0} {minus} {w} {kappa} {a} {k} {q} {v}",
            ),
            *map(weights, ((1, 1), (2, 1), (3, 1), (2, 2))),
        ),
        refuted(
            "without-order", IN_ORDER, handed_over_first(CHUNKED).recurrence, LAYER.automata, FEW, READING
        ),
        refuted(
            "without-substitution",
            "the values of a chunk are taken at once, from the state at its start",
            AT_ONCE.recurrence,
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
            "minus": Fraction(-1),
            "w": {"a": exactly(1, "1/2"), "b": exactly(1, 1)},
            "kappa": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "a": {"a": exactly(1, 1), "b": exactly("1/2", 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("C", 2),
    ),
    uses=("rwkv-7", "delta-chunks"),
    effort=EFFORT,
)
