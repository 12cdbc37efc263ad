"""Mamba-3 with one input and one output as an automaton with 4 N + 2 states, for N pairs of components.

Lahoti et al. 2026, Proposition 1 (equation 5), the exponential-trapezoidal rule: h_t = exp(Delta_t A_t)
h_{t-1} + (1 - lambda_t) Delta_t exp(Delta_t A_t) B_{t-1} x_{t-1} + lambda_t Delta_t B_t x_t, and the output
C_t^T h_t. By Proposition 2, a complex A_t makes exp(Delta_t A_t) a decay and a rotation of pairs of
components. The step reads the input of the previous token, which is a part of the state.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import LINEAR_OUTPUT, NO_TOKENS, TOKENS, UNIT_DIFFERENCES
from theory.signature import Sizes

# exp(Delta A) is a + ib, (1 - lambda) Delta is beta, lambda Delta is gamma, B x is p + ir, and C is (c, d).

weights = records.Names(
    "minus re_0[N] im_0[N] last_re_0[N] last_im_0[N] | a[N] b[N] beta gamma p[N] r[N] c[N] d[N]"
)


def turned(t: Any, j: Any, re: Any, im: Any) -> tuple[Any, Any]:
    """Return (a + ib) (re + i im) as its real and imaginary parts."""
    return t.a[j] * re + t.minus * (t.b[j] * im), t.b[j] * re + t.a[j] * im


def real(t: Any, j: Any) -> Any:
    """Return component j of the next state's real part, as printed.

    The state is a h + beta a B_{t-1} x_{t-1} + gamma B_t x_t, where a is exp(Delta_t A_t).
    """
    last = turned(t, j, t.last_re[j], t.last_im[j])[0]
    return turned(t, j, t.re[j], t.im[j])[0] + t.beta * last + t.gamma * t.p[j]


def imaginary(t: Any, j: Any) -> Any:
    """Return component j of the next state's imaginary part, as printed.

    The state is a h + beta a B_{t-1} x_{t-1} + gamma B_t x_t, where a is exp(Delta_t A_t).
    """
    last = turned(t, j, t.last_re[j], t.last_im[j])[1]
    return turned(t, j, t.re[j], t.im[j])[1] + t.beta * last + t.gamma * t.r[j]


ROTATION = {
    ("re", "re"): lambda t, j: t.a[j],
    ("im", "re"): lambda t, j: t.minus * t.b[j],
    ("re", "im"): lambda t, j: t.b[j],
    ("im", "im"): lambda t, j: t.a[j],
}
"""The factors exp(Delta A), keyed by the part that is read and the part that is written."""
LAST = {
    ("last_re", "re"): lambda t, j: t.beta * t.a[j],
    ("last_im", "re"): lambda t, j: t.beta * (t.minus * t.b[j]),
    ("last_re", "im"): lambda t, j: t.beta * t.b[j],
    ("last_im", "im"): lambda t, j: t.beta * t.a[j],
}
"""The factors of the previous token's input."""
LAYER = AffineLayer(
    step={"re": real, "im": imaginary, "last_re": lambda t, j: t.p[j], "last_im": lambda t, j: t.r[j]},
    update={
        "re": lambda t, j: t.gamma * t.p[j],
        "im": lambda t, j: t.gamma * t.r[j],
        "last_re": lambda t, j: t.p[j],
        "last_im": lambda t, j: t.r[j],
    },
    decay={**ROTATION, **LAST},
    reading=Output(
        printed=lambda t: t.sum(lambda i: t.c[i] * t.re[i] + t.d[i] * t.im[i]),
        weight={"re": lambda t, i: t.c[i], "im": lambda t, i: t.d[i]},
    ),
    parts=("re", "im", "last_re", "last_im"),
)
CASES = Sizes(weights, (1, 2), (1,))
ZEROS = dict.fromkeys(("re_0", "im_0", "last_im_0", "b", "gamma", "p", "r", "d"), (0,))
SMALL = Sizes(lambda n: weights(n, **ZEROS, c=(1,), a=(0, 1), beta=(0, 1), last_re_0=(0, 1)), (1, 2), (1,))

CLAIM = Claim(
    name="mamba-3",
    title="Mamba-3 is an automaton",
    statement=(
        "A channel's output C_t^T h_t of Mamba-3 with one input and one output, h_t = exp(Delta_t A_t)"
        " h_{t-1} + (1 - lambda_t) Delta_t exp(Delta_t A_t) B_{t-1} x_{t-1} + lambda_t Delta_t B_t x_t, is"
        " the Forward score of an automaton with 4 N + 2 states, where N is the number of pairs of"
        " components that exp(Delta_t A_t) decays and rotates."
    ),
    source=Source("lahoti2026mamba3", "", "Propositions 1 and 2", ("5", "8")),
    hypotheses=(
        TOKENS,
        "The layer starts with zeros for h_0 and for the input before the first token, or the automaton has"
        " them among its initial weights.",
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with 4 N + 2 states: 1, the pairs, the previous token's input, and the output",
            records.theorem("mamba_3", "minus re_0 im_0 last_re_0 last_im_0 a b beta gamma p r c d"),
        ),
        records.refuted(
            "without-previous-token",
            "the automaton of the exponential Euler rule, which reads only the token's own input",
            LAYER,
            replace(LAYER, decay=ROTATION),
            CASES,
            SMALL,
        ),
        records.refuted(
            "without-decay-of-previous-token",
            "an automaton whose factor of the previous token's input is (1 - lambda) Delta alone",
            LAYER,
            replace(
                LAYER,
                decay={
                    **ROTATION,
                    ("last_re", "re"): lambda t, j: t.beta,
                    ("last_im", "im"): lambda t, j: t.beta,
                },
            ),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "There is one input and one output for each channel, and the decays and rotations are any"
            " numbers for each token; how they follow from Delta and A is left out."
        ),
        (
            "The paper states a discretisation and a rotation (Propositions 1 and 2). That the result"
            " is an automaton with 4 N + 2 states is ours."
        ),
    ),
    example=weights(1).example(),
    uses=("mamba-2", "lru"),
    layers=("mamba-3",),
    effort=records.EFFORT,
)
