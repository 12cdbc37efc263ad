"""minLSTM: each unit as an automaton with two states.

Feng et al. 2024: f' = f / (f + i), i' = i / (f + i), and h_t = f'_t o h_{t-1} + i'_t o h~_t, where
f, i and h~ depend only on the token.
"""

from __future__ import annotations

from dataclasses import replace

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, TOKENS, UNIT_DIFFERENCES

# The gates, the candidate u, and the derived normalised gates. The automaton computes these like the listing
# in log space: exp(-softplus(d)) and exp(-softplus(-d)) with e^d = i / f.

GATE = (1, "1/2", "1/4", "3/4", "2/3")
CASES = records.unit(
    "h_0 | f i u f_part i_part",
    only={"f": GATE, "i": GATE},
    derived={
        "f_part": lambda w, x: 1 / (1 + w.i[x] / w.f[x]),
        "i_part": lambda w, x: 1 / (1 + w.f[x] / w.i[x]),
    },
)
LAYER = AffineLayer(
    step=lambda t, j: t.f_part * t.h + t.i_part * t.u,  # as printed: f' h + i' u
    update=lambda t, j: t.i_part * t.u,
    decay=lambda t, j: t.f_part,
    parts=("h",),
    printed={
        "f_part": lambda w, x: w.f[x] / (w.f[x] + w.i[x]),
        "i_part": lambda w, x: w.i[x] / (w.f[x] + w.i[x]),
    },
)
NOT_NORMALISED = replace(LAYER, update=lambda t, j: t.i * t.u, decay=lambda t, j: t.f)

CLAIM = Claim(
    name="min-lstm",
    title="a unit of minLSTM is a two-state automaton",
    statement=(
        "A unit of minLSTM, h_t = f'_t h_{t-1} + i'_t u_t with f' = f / (f + i), i' = i / (f + i) and the"
        " candidate u, is the Forward score of an automaton with two states."
    ),
    source=Source("feng2024were", "", "minLSTM"),
    hypotheses=(
        TOKENS,
        "The gates f and i are normalised, and their sum is not 0: sigmoids are positive.",
        FIRST_UNIT,
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with the states 1 and h, which loops with f / (f + i)",
            records.theorem("min_lstm", "h_0 f_part i_part u", "{}_unit"),
        ),
        records.refuted(
            "without-normalised-gates",
            "the automaton of an LSTM's gates f and i, not normalised",
            LAYER,
            NOT_NORMALISED,
            CASES,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "f and i are any numbers whose sum is not 0, in place of sigmoids. In the proof, the"
            " quotients are any numbers."
        ),
        "The form in log space is left out.",
    ),
    example=CASES.example(),
    uses=("min-gru",),
    layers=("min-lstm",),
    layers_are_cases=False,
    effort=records.EFFORT,
)
