"""Mamba-2 without its convolution as an automaton with N + 2 states.

Dao and Gu 2024, sections 2.1 (equation 2) and 2.4: h_t = a_t h_{t-1} + B_t x_t with a scalar a_t for the
state, and the output C_t^T h_t, to which D x_t is added.
"""

from __future__ import annotations

from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import (
    FIRST_UNIT,
    LINEAR_OUTPUT,
    NO_TOKENS,
    TOKENS,
    UNIT_DIFFERENCES,
)

weights = records.Names("h_0[N] D | a B[N] C[N] x")  # the step's size is a factor of a and of B


def update(t: Any, j: Any) -> Any:
    """Return B_j x, component j of the update of the state."""
    return t.B[j] * t.x


OUTPUT = Output(
    printed=lambda t: t.sum(lambda i: t.C[i] * t.h[i]) + t.D * t.x,
    weight=lambda t, i: t.C[i],
    skip=lambda t: t.D * t.x,
)
LAYER = AffineLayer(
    step=lambda t, j: t.a * t.h[j] + update(t, j),  # as printed, for one channel
    update=update,
    decay=lambda t, j: t.a,
    reading=OUTPUT,
    parts=("h",),
)
CASES = records.sizes(weights)

CLAIM = Claim(
    name="mamba-2",
    title="Mamba-2 is an automaton",
    statement=(
        "A channel's output C_t^T h_t + D x_t of Mamba-2, h_t = a_t h_{t-1} + B_t x_t, is the Forward score"
        " of an automaton with N + 2 states, where N is the size of the state."
    ),
    source=Source("dao2024transformers", "2.4", "State-space duality", ("2",)),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is omitted; with it, the states are those of mamba.",
        FIRST_UNIT,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with N + 2 states: 1, the components of the state, and the output",
            records.theorem("mamba_2", "h_0 D a B C x"),
        ),
        records.reads_old(LAYER, CASES),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        "The convolution before the recurrence is left out; a, B, C and x are any functions of one token.",
        "The statement is about one channel of one head.",
    ),
    example=weights(2).example(),
    uses=("gla",),
    layers=("mamba-2",),
    effort=records.EFFORT,
)
