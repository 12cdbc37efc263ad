"""minGRU: each unit as an automaton with two states.

Feng et al. 2024: h_t = (1 - z_t) o h_{t-1} + z_t o h~_t, where z_t and h~_t depend only on the
token. Its log-space listing, and programs that follow it (lbaierreinio/min-gru-transformers),
replace h~ by g(h~), where g(x) is x + 1/2 for x >= 0 and sigmoid(x) otherwise, and start the scan
at g(h_0). Step by step, the program is (1 - z) h + z g(h~) from h_0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, TOKENS, UNIT_DIFFERENCES

CASES = records.unit("h_0 minus | z u")  # u for the candidate h~


def kept(t: Any, j: Any) -> Any:
    """Return 1 - z, the factor of the previous state."""
    return t.one + t.minus * t.z


LAYER = AffineLayer(
    step=lambda t, j: kept(t, j) * t.h + t.z * t.u,  # as printed
    update=lambda t, j: t.z * t.u,
    decay=kept,
    parts=("h",),
)
# In log space: g of h~ and of the first state. Drawn values are nonnegative, so that g is rational. In a
# proof, g is any value.

NOT_NEGATIVE = (0, "1/2", 1, 2)


def g(x: Fraction) -> Fraction:
    """Return the value of the paper's function g for a nonnegative x, x + 1/2."""
    return x + Fraction(1, 2)


LOG_CASES = records.unit(
    "first minus h_0 | z u g_u",
    only={"first": NOT_NEGATIVE, "u": NOT_NEGATIVE},
    derived={"h_0": lambda w: g(w.first), "g_u": lambda w, x: g(w.u[x])},
)
IN_LOG_SPACE = replace(
    LAYER, step=lambda t, j: kept(t, j) * t.h + t.z * t.g_u, update=lambda t, j: t.z * t.g_u
)
STEP_BY_STEP = replace(IN_LOG_SPACE.recurrence, start=lambda w: (w.first,))
SWAPPED = replace(LAYER, decay=lambda t, j: t.z)

CLAIM = Claim(
    name="min-gru",
    title="a unit of minGRU is a two-state automaton",
    statement=(
        "A unit of minGRU, h_t = (1 - z_t) h_{t-1} + z_t u_t where u is the candidate, is the Forward score"
        " of an automaton with two states."
    ),
    source=Source("feng2024were", "", "minGRU"),
    hypotheses=(TOKENS, FIRST_UNIT),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with the states 1 and h, which loops with 1 - z",
            records.theorem("min_gru", "minus h_0 z u", "{}_unit"),
        ),
        records.corrected(
            IN_LOG_SPACE,
            LOG_CASES,
            "the listing in log space: the automaton with g(u) for u, and g(h_0) among its initial weights",
            records.theorem(  # for weights that already are values of g
                "min_gru",
                "",
                network="min_gru_log_unit {minus} id {h_0} {z} {g_u} {word}",
                automaton="min_gru_log_automaton {minus} id {h_0} {z} {g_u}",
                name="min_gru_in_log_space",
            ),
            name="corrected-in-log-space",
            layers=("min-gru-log-space",),
        ),
        records.refuted(
            "without-first-state-in-log-space",
            "the listing's automaton for the layer run step by step, which starts at h_0 instead of g(h_0)",
            STEP_BY_STEP,
            IN_LOG_SPACE,
            LOG_CASES,
        ),
        records.refuted(
            "without-candidate-in-log-space",
            "the automaton with the candidate u itself, for the listing in log space, which uses g(u)",
            IN_LOG_SPACE,
            LAYER,
            LOG_CASES,
        ),
        records.refuted(
            "without-complement",
            "an automaton that loops with z, whereas the layer keeps 1 - z (GRUs are written both ways)",
            LAYER,
            SWAPPED,
            CASES,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "z and the candidate are any functions of one token; z is not restricted to numbers"
            " between 0 and 1."
        ),
        (
            "The variant corrected-in-log-space is the listing in log space, which computes another"
            " function: it has g(u) for u and starts in g(h_0)."
        ),
    ),
    example=CASES.example(),
    uses=("proposition-7",),
    layers=("min-gru",),
    effort=records.EFFORT,
)
