"""RWKV-7 in chunks: a diagonal decay and a term of rank one for each token, solved by substitution.

Peng et al. 2025, section 4.1, has the recurrence; kernels run it in chunks. Let g(i, r) be the
elementwise product of the decays of a chunk's tokens i + 1, ..., r. Token r's removal key reads u_r
= kappa_r^T (g(0, r - 1) s) + the sum over i < r of kappa_r^T (g(i, r - 1) z_i), where token i
writes z_i = k_i v_i - (a_i o kappa_i) u_i. Then S_r = g(0, r) s + the sum over i <= r of g(i, r)
z_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import rwkv_7
from theory.linear_recurrences.rwkv_6_chunks import decays
from theory.linear_recurrences.shared import chunks
from theory.linear_recurrences.shared.affine import Token
from theory.linear_recurrences.shared.hypotheses import CHUNK_DIFFERENCES, ONE_COLUMN
from theory.linear_recurrences.shared.records import refuted
from theory.signature import Sizes

weights = rwkv_7.weights.in_chunks("C")

# The chunk form, for one row s of wkv at the chunk's start.


def moved(s: Any, tokens: chunks.Chunk, u: Sequence[Any], j: int) -> Any:
    """Return component j of the state after r ``tokens`` of a chunk, which starts in the state s.

    The state is S_r = g(0, r) s + the sum over i <= r of g(i, r) z_i. Here g(i, r) is the elementwise product
    of the decays of tokens i + 1, ..., r, and z_i = k_i v_i - (a_i o kappa_i) u_i. The values u_i, which the
    tokens' removal keys read, are in ``u``.
    """
    new = (
        decays(tokens[i + 1 :], j) * (y.minus * y.a[j] * y.kappa[j] * u[i] + y.k[j] * y.v)
        for i, y in enumerate(tokens)
    )
    return sum(new, decays(tokens, j) * s[j])


def removed(t: Token, s: Any, earlier: chunks.Chunk, u: Sequence[Any] | None) -> Any:
    """Return the value u that token t's removal key reads from the state after the ``earlier`` tokens.

    ``u`` contains the values of these tokens. If it is ``None``, the tokens decay the state, but write
    nothing.
    """
    return t.sum(lambda j: t.kappa[j] * (decays(earlier, j) * s[j] if u is None else moved(s, earlier, u, j)))


def values(s: Any, chunk: chunks.Chunk) -> list[Any]:
    """Return the values u of the chunk's tokens, each computed from the earlier ones by substitution.

    s is one row of the state at the chunk's start.
    """
    u: list[Any] = []
    for r, t in enumerate(chunk):
        u.append(removed(t, s, chunk[:r], u))
    return u


def values_at_once(s: Any, chunk: chunks.Chunk) -> list[Any]:
    """Return the values u of the chunk's tokens, as a wrong kernel may compute them.

    The removal keys read the state at the chunk's start, without the writes of earlier tokens.
    """
    return [removed(t, s, chunk[:r], None) for r, t in enumerate(chunk)]


def solved_by(solve: Any) -> chunks.Chunked:
    """Return the layer in chunks whose values u are computed by the function ``solve``."""

    def output(s: Any, chunk: chunks.Chunk) -> Any:
        t, u = chunk[-1], solve(s, chunk)
        return t.sum(lambda j: t.q[j] * moved(s, chunk, u, j))

    return chunks.Chunked(rwkv_7.LAYER, output, lambda s, chunk, j: moved(s, chunk, solve(s, chunk), j))


CHUNKED = solved_by(values)
CASES = Sizes(weights, ((1, 1), (2, 1), (2, 2), (3, 1)), ((1, 1), (2, 1), (3, 1)))
FEW = Sizes(weights, ((1, 1), (2, 1)), ((1, 1), (2, 1)))
ONES: dict[str, Any] = {"s_0": (0,), "w": (1,), "kappa": (1,)}

CLAIM = Claim(
    name="rwkv-7-chunks",
    title="RWKV-7 in chunks is RWKV-7",
    statement=(
        "A head of RWKV-7 that runs in chunks of C tokens, with decays accumulated and the values of the"
        " removal keys solved for within the chunk, has the outputs of the recurrence, for every C: each"
        " component is the Forward score of the automaton with K + 2 states."
    ),
    source=Source("peng2025rwkv7", "4.1", "RWKV-7, in chunks"),
    hypotheses=(*ONE_COLUMN, chunks.MULTIPLIED),
    variants=(
        chunks.corrected(weights, CHUNKED, CASES, chunks.theorem("rwkv_7_chunks", "minus w kappa a k q v")),
        chunks.out_of_order(CHUNKED, FEW, chunks.few(weights, (1, 1), **ONES, a=(0,))),
        refuted(
            "without-substitution",
            "the values of a chunk are all computed from the state at its start",
            solved_by(values_at_once).recurrence,
            rwkv_7.LAYER,
            FEW,
            chunks.few(weights, (2, 1), **ONES, a=(1,)),
        ),
    ),
    differences=(
        *CHUNK_DIFFERENCES,
        "The paper has the recurrence; the chunked form is that of programs.",
        (
            "The shift that mixes a token with the previous one is left out. So is the bonus, which"
            " does not read the state."
        ),
    ),
    example=weights((2, 2)).example(),
    uses=("rwkv-7", "delta-chunks"),
    layers=("rwkv-7-chunks",),
    layers_are_cases=False,
    effort=chunks.EFFORT,
)
