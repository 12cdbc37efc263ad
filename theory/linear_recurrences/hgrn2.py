"""HGRN2 as an automaton with K + 2 states.

Qin et al. 2024: HGRN with its state expanded by an outer product, h_t = diag(f_t) h_{t-1} + (1 -
f_t) i_t^T, and the output o_t h_t. This is gated linear attention with the keys 1 - f.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, FIRST_UNIT, column

weights = records.Names("h_0[K] minus | f[K] o[K] i")


def write(t: Any, j: Any) -> Any:
    """Return component j of the update (1 - f) i^T in one column of the state: (1 - f_j) i."""
    return (t.one + t.minus * t.f[j]) * t.i


LAYER = AffineLayer(
    step=lambda t, j: t.f[j] * t.h[j] + write(t, j),  # as printed, for one column
    update=write,
    decay=lambda t, j: t.f[j],
    reading=Output(printed=lambda t: t.sum(lambda j: t.o[j] * t.h[j]), weight=lambda t, j: t.o[j]),
    parts=("h",),
)
CASES = records.sizes(weights)

CLAIM = Claim(
    name="hgrn2",
    title="HGRN2 is an automaton",
    statement=(
        "Each component of the output o_t h_t of a head of HGRN2, h_t = diag(f_t) h_{t-1} + (1 - f_t)"
        " i_t^T, is the Forward score of an automaton with K + 2 states, where K is the expansion."
    ),
    source=Source("qin2024hgrn2", "", "HGRN2"),
    hypotheses=column("The key is tied to the gate: it is 1 - f.", start=FIRST_UNIT),
    variants=(
        records.corrected(LAYER, CASES, records.COLUMN_STATES, records.theorem("hgrn2", "h_0 minus f o i")),
        records.refuted(
            "without-tied-keys",
            "an automaton that writes i, whereas the layer writes (1 - f) i",
            LAYER,
            replace(LAYER, update=lambda t, j: t.i),
            CASES,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        (
            "The gate is any vector for each token, in place of one between a lower bound and 1. The"
            " key is 1 - f, as in the paper."
        ),
    ),
    example=weights(2).example(),
    uses=("gla",),
    layers=("hgrn2",),
    effort=records.EFFORT,
)
