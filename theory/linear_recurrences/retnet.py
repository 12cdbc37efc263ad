"""RetNet's retention as an automaton with K + 2 states.

Sun et al. 2023, section 2.1, the recurrent representation: S_n = gamma S_{n-1} + K_n^T V_n, and the output
Q_n S_n.
"""

from __future__ import annotations

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] gamma | q[K] k[K] v")
LAYER = records.decayed(lambda t, j: t.gamma)  # as printed, for one column: gamma s_j + k_j v
CASES = records.sizes(weights)

CLAIM = Claim(
    name="retnet",
    title="retention is an automaton",
    statement=(
        "Each component of the output Q_n S_n of a head of RetNet, S_n = gamma S_{n-1} + K_n^T V_n, is the"
        " Forward score of an automaton with K + 2 states, where K is the length of keys."
    ),
    source=Source("sun2023retentive", "2.1", "Retention, recurrent", ("6",)),
    hypotheses=column(
        left_out=(
            "RetNet also rotates queries and keys by an angle that grows with their position; here they are"
            " not rotated."
        )
    ),
    variants=(
        records.corrected(LAYER, CASES, records.COLUMN_STATES, records.theorem("retnet", "s_0 gamma q k v")),
        records.reads_old(LAYER, CASES),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The rotation of queries and keys by an angle that grows with their position is left out.",
        "The score is of the recurrent form only; the parallel and the chunked form are left out.",
    ),
    example=weights(2).example(),
    uses=("linear-attention",),
    layers=("retnet",),
    effort=records.EFFORT,
)
