"""Delta rules in chunks: the WY form, whose values are solved for by substitution.

Yang et al. 2024, section 3.2 (DeltaNet), and with gates Yang et al. 2025, section 3.3. With g(i, r) the
product of the gates of a chunk's tokens i + 1, ..., r, the values u_r = beta_r (v_r - g(0, r) k_r^T S - the
sum over i < r of g(i, r) (k_r^T k_i) u_i) are a triangular system's solution (the UT transform inverts its
matrix), and S_r = g(0, r) S + the sum over i <= r of g(i, r) k_i u_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences import gated_delta_net
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
    """Chunks of C tokens, and a gated DeltaNet's weights with K numbers in a key."""
    chunk, k = size

    def table(name: str, shape: tuple[int, ...] = ()) -> Any:
        return by_symbol(name, shape, only.get(name))

    entries = (MINUS, table("alpha"), table("beta"), table("q", (k,)), table("k", (k,)), table("v"))
    return Signature((constant("s_0", (k,), only.get("s_0")), *entries), size=("C", chunk), most_small=most)


# The chunk form, for one column s of the state at the chunk's start.


def gates(w: Weights, tokens: str) -> Any:
    """g: the product of the tokens' gates."""
    return product(w, [w.alpha[x] for x in tokens])


def values(w: Weights, s: Sequence[Any], chunk: str) -> list[Any]:
    """u, from the first token on: each is solved for with those before it."""
    k, u = w.over, list[Any]()
    for r, x in enumerate(chunk):
        there = k.times(gates(w, chunk[: r + 1]), dot(w, w.k[x], s))
        within = [
            product(w, [gates(w, chunk[i + 1 : r + 1]), dot(w, w.k[x], w.k[y]), u[i]])
            for i, y in enumerate(chunk[:r])
        ]
        error = k.plus(w.v[x], k.times(w.minus, k.plus(there, total(k, within))))
        u.append(k.times(w.beta[x], error))
    return u


def values_at_once(w: Weights, s: Sequence[Any], chunk: str) -> list[Any]:
    """The same, but none is corrected by those before it."""
    return [
        values(w, [w.over.times(gates(w, chunk[:r]), number) for number in s], x)[0]
        for r, x in enumerate(chunk)
    ]


def written(w: Weights, u: Sequence[Any], chunk: str, key: Any) -> Any:
    """The sum over i of g(i, r) key(i) u_i."""
    return total(w.over, (product(w, [gates(w, chunk[i + 1 :]), key(y), u[i]]) for i, y in enumerate(chunk)))


def output(w: Weights, s: Sequence[Any], chunk: str, solve: Any = values) -> Any:
    """The last token's: g(0, r) q^T s, and the sum over i <= r of g(i, r) (q^T k_i) u_i."""
    q, u = w.q[chunk[-1]], solve(w, s, chunk)
    old = w.over.times(gates(w, chunk), dot(w, q, s))
    return w.over.plus(old, written(w, u, chunk, lambda y: dot(w, q, w.k[y])))


def hand_over(w: Weights, s: Sequence[Any], chunk: str, solve: Any = values) -> list[Any]:
    """The state after the chunk."""
    u = solve(w, s, chunk)
    return [
        w.over.plus(w.over.times(gates(w, chunk), number), written(w, u, chunk, lambda y, j=j: w.k[y][j]))
        for j, number in enumerate(s)
    ]


LAYER = replace(gated_delta_net.LAYER, places=lambda w: len(w.s_0))
CHUNKED = Chunked(LAYER, output, hand_over)
AT_ONCE = Chunked(
    LAYER,
    lambda w, s, chunk: output(w, s, chunk, values_at_once),
    lambda w, s, chunk: hand_over(w, s, chunk, values_at_once),
)


CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)), ((1, 1), (2, 1), (3, 1)))
SMALL = Sizes(lambda size: weights(size, 300, alpha=(1,), beta=(1,)), (), ((2, 1),))
HALF = Sizes(lambda size: weights(size, 300, alpha=(1,), beta=("1/2",)), (), ((1, 1),))

CLAIM = Claim(
    name="delta-chunks",
    title="a delta rule in chunks is the delta rule",
    statement=(
        "A head of (gated) DeltaNet run in chunks of C tokens, in the WY form with its values solved for"
        " within the chunk, has the outputs of the recurrence, for every C: each number of them is the"
        " Forward score of the automaton with K + 2 states."
    ),
    source=Source("yang2024parallelizing", "3.2", "WY representation"),
    hypotheses=(
        TOKENS,
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        "Gates between two tokens are multiplied; nothing is divided by a gate, so that a gate may be 0.",
    ),
    variants=(
        chunked(
            ANY_SIZE,
            CHUNKED,
            CASES,
            theorem(
                "delta_chunks",
                "chunked_delta {minus} {alpha} {beta} {q} {k} {v} {C} {s_0} {word}",
                "gated_delta_net_automaton {s_0} {minus} {alpha} {beta} {q} {k} {v}",
            ),
            *map(weights, ((1, 1), (2, 1), (3, 1), (2, 2))),
        ),
        refuted(
            "without-order", IN_ORDER, handed_over_first(CHUNKED).recurrence, LAYER.automata, CASES, HALF
        ),
        refuted(
            "without-substitution",
            "the values of a chunk are taken at once, with the identity in place of the triangular inverse",
            AT_ONCE.recurrence,
            LAYER.automata,
            CASES,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "minus": Fraction(-1),
            "alpha": {"a": Fraction(1), "b": Fraction(1, 2)},
            "beta": {"a": Fraction(1), "b": Fraction(1, 2)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "k": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("C", 2),
    ),
    uses=("delta-net", "gated-delta-net"),
    effort=EFFORT,
)
