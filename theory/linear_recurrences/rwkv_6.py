"""RWKV-6 (Finch): RWKV-5 with a decay that depends on the token.

Peng et al. 2024, section 4.2.2: S <- diag(w_t) S + k_t^T v_t, and the output r_t (S + diag(u) k_t^T v_t),
with the previous state S.
"""

from __future__ import annotations

from theory.claim import Claim, Source
from theory.linear_recurrences import rwkv_5
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] u[K] | w[K] r[K] k[K] v")
LAYER = rwkv_5.LAYER  # as printed; here w depends on the token
CASES = records.sizes(weights)

CLAIM = Claim(
    name="rwkv-6",
    title="RWKV-6 is an automaton",
    statement=(
        "Each component of the output r_t (S_{t-1} + diag(u) k_t^T v_t) of a head of RWKV-6, S_t ="
        " diag(w_t) S_{t-1} + k_t^T v_t, is the Forward score of an automaton with K + 2 states, where K is"
        " the length of keys."
    ),
    source=Source("peng2024eagle", "4.2.2", "Finch (RWKV-6)"),
    hypotheses=column(left_out=rwkv_5.NO_SHIFT),
    variants=(
        records.corrected(LAYER, CASES, records.COLUMN_STATES, records.theorem("rwkv_6", "s_0 u w r k v")),
        rwkv_5.reads_new(LAYER, CASES),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The shift that mixes a token with the previous one is left out.",
        "The decay w_t is any function of one token; the paper's maps of low rank are left out.",
    ),
    example=weights(2).example(),
    uses=("rwkv-5",),
    layers=("rwkv-6",),
    effort=records.EFFORT,
)
