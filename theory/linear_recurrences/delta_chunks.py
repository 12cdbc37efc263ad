"""Delta rules in chunks: the WY form, whose values are computed by substitution.

Yang et al. 2024, section 3.2 (DeltaNet), and with gates Yang et al. 2025, section 3.3. Let g(i, r)
be the product of the gates of a chunk's tokens i + 1, ..., r. The values u_r = beta_r (v_r - g(0,
r) k_r^T S - the sum over i < r of g(i, r) (k_r^T k_i) u_i) solve a triangular system (the UT
transform inverts its matrix). Then S_r = g(0, r) S + the sum over i <= r of g(i, r) k_i u_i.
"""

from __future__ import annotations

from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import gated_delta_net
from theory.linear_recurrences.shared import chunks
from theory.linear_recurrences.shared.affine import Token
from theory.linear_recurrences.shared.hypotheses import CHUNK_DIFFERENCES, ONE_COLUMN
from theory.linear_recurrences.shared.records import refuted
from theory.signature import Sizes

weights = gated_delta_net.weights.in_chunks("C")

# The chunk form, for one column s of the state at the chunk's start.


def gates(tokens: chunks.Chunk) -> Any:
    """Return the product of the gates of these tokens."""
    return chunks.product(t.alpha for t in tokens)


def dot(t: Token, one: Any, other: Any) -> Any:
    """Return the inner product of two vectors."""
    return t.sum(lambda j: one[j] * other[j])


def values(s: Any, chunk: chunks.Chunk) -> list[Any]:
    """Return the values u of the chunk's tokens, each computed from the earlier ones by substitution.

    s is one column of the state at the chunk's start.
    """
    u: list[Any] = []
    for r, t in enumerate(chunk):
        there = gates(chunk[: r + 1]) * dot(t, t.k, s)
        for i, y in enumerate(chunk[:r]):
            there += gates(chunk[i + 1 : r + 1]) * dot(t, t.k, y.k) * u[i]
        u.append(t.beta * (t.v + t.minus * there))
    return u


def values_at_once(s: Any, chunk: chunks.Chunk) -> list[Any]:
    """Return the values u of the chunk's tokens, as a wrong kernel may compute them.

    The contributions of earlier tokens of the chunk are not subtracted.
    """
    there = (gates(chunk[: r + 1]) * dot(t, t.k, s) for r, t in enumerate(chunk))
    return [t.beta * (t.v + t.minus * old) for t, old in zip(chunk, there, strict=True)]


def solved_by(solve: Any) -> chunks.Chunked:
    """Return the layer in chunks whose values u are computed by the function ``solve``."""

    def output(s: Any, chunk: chunks.Chunk) -> Any:
        """Return the output of token r, g(0, r) q^T s + the sum over i <= r of g(i, r) (q^T k_i) u_i."""
        t, u = chunk[-1], solve(s, chunk)
        new = (gates(chunk[i + 1 :]) * dot(t, t.q, y.k) * u[i] for i, y in enumerate(chunk))
        return sum(new, gates(chunk) * dot(t, t.q, s))

    def hand_over(s: Any, chunk: chunks.Chunk, j: int) -> Any:
        """Return component j of the state after token r: g(0, r) s + sum over i <= r of g(i, r) k_i u_i."""
        u = solve(s, chunk)
        new = (gates(chunk[i + 1 :]) * y.k[j] * u[i] for i, y in enumerate(chunk))
        return sum(new, gates(chunk) * s[j])

    return chunks.Chunked(gated_delta_net.LAYER, output, hand_over)


CHUNKED = solved_by(values)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)), ((1, 1), (2, 1), (3, 1)))

CLAIM = Claim(
    name="delta-chunks",
    title="the delta rule in chunks equals the delta rule",
    statement=(
        "A head of (gated) DeltaNet that runs in chunks of C tokens, in the WY form whose values are solved"
        " for within the chunk, has the outputs of the recurrence, for every C: each component is the"
        " Forward score of the automaton with K + 2 states."
    ),
    source=Source("yang2024parallelizing", "3.2", "WY representation"),
    hypotheses=(
        *ONE_COLUMN,
        "Gates between two tokens are multiplied; nothing is divided by a gate, so a gate may be 0.",
        "The paper prints the inverse of a triangular matrix with ones on its diagonal. Here, and in the Coq"
        " theorem, forward substitution solves the same equations; a floating-point inverse rounds in"
        " another way.",
    ),
    variants=(
        chunks.corrected(
            weights,
            CHUNKED,
            CASES,
            chunks.theorem("delta_chunks", "minus alpha beta q k v", automaton="gated_delta_net"),
        ),
        chunks.out_of_order(CHUNKED, CASES, chunks.few(weights, (1, 1), most=300, alpha=(1,), beta=("1/2",))),
        refuted(
            "without-substitution",
            "the values of a chunk are computed at once, with the identity instead of the triangular inverse",
            solved_by(values_at_once).recurrence,
            gated_delta_net.LAYER,
            CASES,
            chunks.few(weights, (2, 1), most=300, alpha=(1,), beta=(1,)),
        ),
    ),
    differences=(
        *CHUNK_DIFFERENCES,
        (
            "The paper inverts a triangular matrix with ones on its diagonal (UT transform). Here"
            " forward substitution solves the same equations."
        ),
        "Gates are those of gated DeltaNet; without gates they are 1.",
    ),
    example=weights((2, 2)).example(),
    uses=("delta-net", "gated-delta-net"),
    layers=("delta-chunks",),
    layers_are_cases=False,
    effort=chunks.EFFORT,
)
