"""Gated linear attention as an automaton with K + 2 states.

Yang et al. 2024, section 4.1 (equation 3): S_t = diag(alpha_t) S_{t-1} + k_t^T v_t, and the output q_t S_t.
"""

from __future__ import annotations

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] | alpha[K] q[K] k[K] v")
LAYER = records.decayed(lambda t, j: t.alpha[j])  # as printed, for one column: alpha_j s_j + k_j v
CASES = records.sizes(weights)

CLAIM = Claim(
    name="gla",
    title="gated linear attention is an automaton",
    statement=(
        "Each component of the output q_t S_t of a head of gated linear attention, S_t = diag(alpha_t)"
        " S_{t-1} + k_t^T v_t, is the Forward score of an automaton with K + 2 states, where K is the length"
        " of keys."
    ),
    source=Source("yang2024gated", "4.1", "Gated linear attention", ("3",)),
    hypotheses=column(),
    variants=(
        records.corrected(LAYER, CASES, records.COLUMN_STATES, records.theorem("gla", "s_0 alpha q k v")),
        records.reads_old(LAYER, CASES),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "alpha is any vector for each token, in place of numbers between 0 and 1.",
    ),
    example=weights(2).example(),
    uses=("linear-attention",),
    layers=("gla",),
    effort=records.EFFORT,
)
