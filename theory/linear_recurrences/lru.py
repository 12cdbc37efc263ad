"""LRU as an automaton with 2 N + 2 states.

Orvieto et al. 2023, section 3: a diagonal recurrence with N complex components, x_k = Lambda x_{k-1} +
exp(gamma) o (B u_k), and the output Re(C x_k) + D u_k. A token u determines B u and D u.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import LINEAR_OUTPUT, NO_TOKENS, TOKENS, UNIT_DIFFERENCES

# Lambda is a + ib, C is c + id, and gamma B u of a token is p + ir.

weights = records.Names("minus re_0[N] im_0[N] a[N] b[N] c[N] d[N] | p[N] r[N] Du")


def real_part(t: Any) -> Any:
    """Return Re(C x): the sum over i of c_i re_i - d_i im_i."""
    return t.sum(lambda i: t.c[i] * t.re[i] + t.minus * (t.d[i] * t.im[i]))


DECAY = {
    ("re", "re"): lambda t, j: t.a[j],
    ("im", "im"): lambda t, j: t.a[j],
    ("re", "im"): lambda t, j: t.b[j],
    ("im", "re"): lambda t, j: t.minus * t.b[j],
}
"""The entries of Lambda, keyed by the part that is read and the part that is written."""
OUTPUT = Output(
    printed=lambda t: real_part(t) + t.Du,
    weight={"re": lambda t, i: t.c[i], "im": lambda t, i: t.minus * t.d[i]},
    skip=lambda t: t.Du,
)
LAYER = AffineLayer(
    step={  # as printed, (a + ib) (re + i im) + p + ir, with separate real and imaginary parts
        "re": lambda t, j: t.a[j] * t.re[j] + t.minus * (t.b[j] * t.im[j]) + t.p[j],
        "im": lambda t, j: t.b[j] * t.re[j] + t.a[j] * t.im[j] + t.r[j],
    },
    update={"re": lambda t, j: t.p[j], "im": lambda t, j: t.r[j]},
    decay=DECAY,
    reading=OUTPUT,
    parts=("re", "im"),
)
TERMS = "minus re_0 im_0 a b c d p r Du"
CASES = records.sizes(weights)
SMALL = records.narrow(weights, d=(0,), p=(0,), r=(0,), Du=(0,))
HYPOTHESES = (
    TOKENS,
    "The layer starts in x_0 = 0, or the automaton has x_0 among its initial weights.",
    NO_TOKENS,
    LINEAR_OUTPUT,
)
STATES = "the automaton with 2 N + 2 states: 1, real and imaginary parts, and the output"

CLAIM = Claim(
    name="lru",
    title="the LRU is an automaton",
    statement=(
        "An output Re(C x_k) + D u_k of the LRU with N complex components, x_k = Lambda x_{k-1} +"
        " exp(gamma) o B u_k, is the Forward score of an automaton with 2 N + 2 states and real weights."
    ),
    source=Source("orvieto2023resurrecting", "3", "LRU"),
    hypotheses=HYPOTHESES,
    variants=(
        records.corrected(LAYER, CASES, STATES, records.theorem("lru", TERMS)),
        records.refuted(
            "without-signs",
            "the automaton of the conjugate eigenvalues, with -b instead of b",
            LAYER,
            replace(LAYER, decay={(q, p): factor for (p, q), factor in DECAY.items()}),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "Lambda and exp(gamma) B u are any complex numbers, in real and imaginary parts; the"
            " parametrisation that keeps Lambda stable is left out."
        ),
    ),
    example=weights(1).example(),
    uses=("gla",),
    layers=("lru",),
    effort=records.EFFORT,
)
