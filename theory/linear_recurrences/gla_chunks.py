"""Gated linear attention in chunks, with cumulative gates.

Linear attention, retention and Mamba-2's block form (SSD) are special cases, with gates that are 1
or equal.

Yang et al. 2024, sections 4.1 and 4.2: let g(i, r) be the elementwise product of the gates of a
chunk's tokens i + 1, ..., r. Then S_r = g(0, r) S + the sum over i <= r of (g(i, r) k_i) v_i. The
printed form writes g(i, r) as the quotient b_r / b_i of products from the chunk's start, and
therefore needs nonzero gates.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.claim import Claim, Source, Variant
from theory.linear_recurrences import gla
from theory.linear_recurrences.shared import chunks
from theory.linear_recurrences.shared.affine import Token
from theory.linear_recurrences.shared.hypotheses import CHUNK_DIFFERENCES, ONE_COLUMN
from theory.linear_recurrences.shared.records import refuted
from theory.reading import Equality
from theory.signature import Sizes
from theory.theorem import Theorem

weights = gla.weights.in_chunks("C")

# The chunk form, for one column s of the state at the chunk's start.


def gates(chunk: chunks.Chunk, i: int, r: int, j: int) -> Any:
    """Return component j of g(i, r): the product of the gates of the chunk's tokens i + 1 to r."""
    return chunks.product(t.alpha[j] for t in chunk[i:r])


def quotient(chunk: chunks.Chunk, i: int, r: int, j: int) -> Any:
    """Return component j of b_r / b_i, the printed form of g(i, r); it is 0 if b_i is 0.

    b_r is the product of the gates from the chunk's start to token r.
    """
    below = gates(chunk, 0, i, j)
    return gates(chunk, 0, r, j) / below if below else Fraction(0)


def inclusive(chunk: chunks.Chunk, i: int, r: int, j: int) -> Any:
    """Return component j of the product of the gates of tokens i to r, instead of i + 1 to r.

    It wrongly includes the gate of token i.
    """
    return gates(chunk, max(i - 1, 0), r, j)


def with_gates(g: Any) -> chunks.Chunked:
    """Return the layer in chunks whose gates between two tokens are computed by the function ``g``."""

    def output(s: Any, chunk: chunks.Chunk) -> Any:
        """Return the output of token r, q^T (g(0, r) s) + sum over i <= r of (q^T (g(i, r) k_i)) v_i."""
        t, r = chunk[-1], len(chunk)

        def written(i: int, y: Token) -> Any:
            return t.sum(lambda j: t.q[j] * g(chunk, i, r, j) * y.k[j]) * y.v

        new = (written(i, y) for i, y in enumerate(chunk, start=1))
        return sum(new, t.sum(lambda j: t.q[j] * gates(chunk, 0, r, j) * s[j]))

    def hand_over(s: Any, chunk: chunks.Chunk, j: int) -> Any:
        """Return component j of the state after token r: g(0, r) s + sum over i <= r of (g(i, r) k_i) v_i."""
        r = len(chunk)
        new = (g(chunk, i, r, j) * y.k[j] * y.v for i, y in enumerate(chunk, start=1))
        return sum(new, gates(chunk, 0, r, j) * s[j])

    return chunks.Chunked(gla.LAYER, output, hand_over)


PRODUCTS = with_gates(gates)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)), ((1, 1), (2, 1), (3, 1)))
GATED = chunks.few(weights, (1, 1), (2, 1))

NONZERO = tuple(map(Fraction, ("1", "-1", "1/2", "2", "-1/3", "3")))
WITHOUT_ZEROS = Sizes(lambda size: weights(size, alpha=NONZERO), CASES.random_sizes, CASES.small_sizes)

CLAIM = Claim(
    name="gla-chunks",
    title="gated linear attention in chunks equals gated linear attention",
    statement=(
        "A head of gated linear attention that runs in chunks of C tokens, with gates accumulated within"
        " the chunk, has the outputs of the recurrence, for every C: each component is the Forward score of"
        " the automaton with K + 2 states."
    ),
    source=Source("yang2024gated", "4.2", "Chunkwise form"),
    hypotheses=(
        *ONE_COLUMN,
        "Gates between two tokens are multiplied; if they are computed as a quotient of products, no gate"
        " may be 0.",
    ),
    variants=(
        chunks.corrected(weights, PRODUCTS, CASES, chunks.theorem("gla_chunks", "alpha q k v")),
        Variant(
            name="corrected-quotients",
            expected="holds",
            says="as printed, with quotients b_r / b_i of products from the chunk's start, if no gate is 0",
            reading=Equality(recurrence=with_gates(quotient).recurrence, construction=gla.LAYER.automata),
            cases=WITHOUT_ZEROS.random,
            small_cases=WITHOUT_ZEROS.near_generic,
            theorem=Theorem(
                "linear_recurrences.gla_chunks.gla_chunks_quotients",
                claims=(
                    "forall (ground : fieldType) (S : Type) d (s_0 : 'I_d -> of_ring ground)"
                    " (alpha q k : S -> 'I_d -> of_ring ground) (v : S -> of_ring ground) C,"
                    " (forall x j, alpha x j != 0%R :> ground) -> forall word, {automaton} = {network}"
                ),
                network="chunked_by_quotients (F := {ground}) {alpha} {q} {k} {v} {C} {s_0} {word}",
                automaton="gla_automaton {s_0} {alpha} {q} {k} {v}",
                over="fractions",
                values=lambda w: {**w.entries, "ground": "mathcomp.algebra.rat.rat_fieldType", "C": w.n},
            ),
        ),
        refuted(
            "without-nonzero-gates",
            "gates between tokens as quotients b_r / b_i of products from the chunk's start, although a"
            " gate may be 0 (1 / 0 counts as 0)",
            with_gates(quotient).recurrence,
            gla.LAYER,
            CASES,
            GATED,
        ),
        chunks.out_of_order(PRODUCTS, CASES, chunks.few(weights, (1, 1), most=300, alpha=(1,))),
        refuted(
            "without-exclusive-gates",
            "the value that a token writes is also multiplied by the token's own gate",
            with_gates(inclusive).recurrence,
            gla.LAYER,
            CASES,
            GATED,
        ),
    ),
    differences=(
        *CHUNK_DIFFERENCES,
        (
            "In the variant corrected, the gates between two tokens are multiplied, and may be 0. The"
            " paper prints quotients of products from the chunk's start, which is the variant"
            " corrected-quotients; its gates are not 0."
        ),
        "Sub-chunks, in which the paper computes for numerical stability, are left out.",
    ),
    example=weights((2, 2)).example(),
    uses=("gla",),
    layers=("gla-chunks",),
    layers_are_cases=False,
    effort=chunks.EFFORT,
)
