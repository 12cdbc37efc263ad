"""PD-SSM as an automaton with 2 N + 2 states.

Terzic et al. 2025: a complex state x_{t+1} = A(u_t) x_t + B u_t whose matrix A(u_t) = P(u_t) D(u_t) is the
product of a matrix P with one 1 in each column and a complex diagonal matrix D. The readout is linear, as in
the LRU. There is no torch layer, because P is discrete: programs define its gradient by an estimate, which is
not the derivative of the score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import lru
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Mixing
from theory.linear_recurrences.shared.hypotheses import LINEAR_OUTPUT, NO_TOKENS, TOKENS, UNIT_DIFFERENCES
from theory.signature import Sizes

# D is a + ib, C is c + id, and B u of a token is p + ir.

weights = records.Names("minus re_0[N] im_0[N] c[N] d[N] | P[N][N] a[N] b[N] p[N] r[N] Du")


def real(t: Any, j: Any) -> Any:
    """Return row j of the real part of P D x + B u, as printed."""
    return t.sum(lambda i: t.P[j, i] * (t.a[i] * t.re[i] + t.minus * (t.b[i] * t.im[i]))) + t.p[j]


def imaginary(t: Any, j: Any) -> Any:
    """Return row j of the imaginary part of P D x + B u, as printed."""
    return t.sum(lambda i: t.P[j, i] * (t.b[i] * t.re[i] + t.a[i] * t.im[i])) + t.r[j]


def mixing(transposed: bool = False) -> dict[tuple[str, str], Mixing]:
    """Return the entries of P D, or of P^T D if ``transposed``, as functions of a token and two indices.

    They are keyed by the part of the state that is read and the part that is written.
    """

    def of(factor: Any) -> Mixing:
        return lambda t, i, j: t.P[(i, j) if transposed else (j, i)] * factor(t, i)

    return {parts: of(factor) for parts, factor in lru.DECAY.items()}


LAYER = AffineLayer(
    step={"re": real, "im": imaginary},
    update={"re": lambda t, j: t.p[j], "im": lambda t, j: t.r[j]},
    decay={},
    mixing=mixing(),
    reading=lru.OUTPUT,
    parts=("re", "im"),
)
TRANSPOSED = replace(LAYER, mixing=mixing(transposed=True))
DIAGONAL = replace(LAYER, decay=lru.DECAY, mixing={})
CASES = Sizes(weights, (1, 2), (1, 2))
ZEROS = dict.fromkeys(("im_0", "d", "b", "p", "r", "Du"), (0,))
SMALL = Sizes(lambda n: weights(n, **ZEROS, a=(1,), c=(0, 1), re_0=(0, 1), P=(0, 1)), (1, 2), (2,))

CLAIM = Claim(
    name="pd-ssm",
    title="PD-SSM is an automaton",
    statement=(
        "An output Re(C x_t) + D u_t of a PD-SSM with N complex components, x_{t+1} = P(u_t) D(u_t) x_t + B"
        " u_t, is the Forward score of an automaton with 2 N + 2 states and real weights."
    ),
    source=Source("terzic2025structured", "", "PD-SSM"),
    hypotheses=(
        TOKENS,
        "P may be any real matrix; in PD-SSM each of its columns has one 1 and zeros.",
        "The layer starts in x_0 = 0, or the automaton has x_0 among its initial weights.",
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        records.corrected(
            LAYER, CASES, lru.STATES, records.theorem("pd_ssm", "minus re_0 im_0 c d P a b p r Du")
        ),
        records.refuted(
            "without-orientation",
            "an automaton with P transposed, which has one 1 in each row",
            LAYER,
            TRANSPOSED,
            CASES,
            SMALL,
        ),
        records.refuted(
            "without-permutation",
            "the automaton of the diagonal layer, without P",
            LAYER,
            DIAGONAL,
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        "P is any real matrix for each token; in the paper each of its columns has one 1 and zeros.",
        "The gradient of P is left out; there is no torch layer.",
    ),
    example=weights(1).example(),
    uses=("lru",),
    effort=records.EFFORT,
)
