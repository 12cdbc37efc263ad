"""HGRN: the real and the imaginary part of a unit as automata with three states.

Qin et al. 2023: h_t = f_t o exp(i theta) o h_{t-1} + (1 - f_t) o c_t with complex c and h, and one
theta for each unit. Without theta, a unit is real and has two states.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, LINEAR_OUTPUT, TOKENS, UNIT_DIFFERENCES

# The weights of one unit: cos theta and sin theta, and the gate and the candidate of each token.

NAMES = "re_0 im_0 minus cos sin | f c_re c_im"
CASES = records.unit(NAMES)
CASES_REAL = records.unit("h_0 minus | f c")
SMALL = records.unit(NAMES, only={"c_re": (0,), "c_im": (0,)})

# The recurrence, as printed, with separate real and imaginary parts:
# f (cos + i sin) (re + i im) + (1 - f) (c_re + i c_im).


def written(t: Any) -> Any:
    """Return 1 - f, the factor of the input."""
    return t.one + t.minus * t.f


TURN = {
    ("re", "re"): lambda t, j: t.f * t.cos,
    ("im", "im"): lambda t, j: t.f * t.cos,
    ("re", "im"): lambda t, j: t.f * t.sin,
    ("im", "re"): lambda t, j: t.minus * (t.f * t.sin),
}
"""The factors f exp(i theta), keyed by the part that is read and the part that is written."""
UPDATE = {"re": lambda t, j: written(t) * t.c_re, "im": lambda t, j: written(t) * t.c_im}
LAYER = AffineLayer(
    step={
        "re": lambda t, j: t.f * (t.cos * t.re + t.minus * (t.sin * t.im)) + written(t) * t.c_re,
        "im": lambda t, j: t.f * (t.sin * t.re + t.cos * t.im) + written(t) * t.c_im,
    },
    update=UPDATE,
    decay=TURN,
    parts=("re", "im"),
)
REAL_LAYER = AffineLayer(
    step=lambda t, j: t.f * t.h + written(t) * t.c,
    update=lambda t, j: written(t) * t.c,
    decay=lambda t, j: t.f,
    parts=("h",),
)
BACK = replace(LAYER, decay={(q, p): factor for (p, q), factor in TURN.items()})

CLAIM = Claim(
    name="hgrn",
    title="a unit of HGRN is an automaton",
    statement=(
        "The real and imaginary parts of a unit of HGRN, h_t = f_t exp(i theta) h_{t-1} + (1 - f_t) c_t,"
        " are the Forward scores of automata with three states and real weights; without theta, two states"
        " suffice."
    ),
    source=Source("qin2023hierarchically", "", "HGRU"),
    hypotheses=(TOKENS, FIRST_UNIT, LINEAR_OUTPUT),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "automata with the states 1, Re h and Im h",
            records.theorem("hgrn", "minus re_0 im_0 cos sin f c_re c_im unit", "{}_unit"),
        ),
        records.corrected(
            REAL_LAYER,
            CASES_REAL,
            "without theta, as in later programs: the automaton with the states 1 and h",
            records.theorem("hgrn", "minus h_0 f c", "real_hgrn_unit", "hgrn_without_theta"),
            name="corrected-without-theta",
            layers=("hgrn-real",),
        ),
        records.refuted("without-signs", "automata that turn by minus theta", LAYER, BACK, CASES, SMALL),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "The real and the imaginary part of a unit are two automata, and the factors cos theta"
            " and sin theta are any numbers."
        ),
        "f is any number, in place of one between a lower bound and 1.",
    ),
    example=CASES.example(),
    uses=("proposition-7",),
    layers=("hgrn",),
    effort=records.EFFORT,
)
