"""Proposition 11 for the strongly-typed T-GRU, whose gates read two symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A; Balduzzi and Ghifary 2016: h_t = f_t
h_{t-1} + z_t o_t, where f, z and o are functions of v_{t-1} and v_t.
"""

from __future__ import annotations

from theory.rational_recurrences.shared.strongly_typed import claim

CLAIM = claim(
    "T-GRU",
    equation="h_t = f_t h_{t-1} + z_t o_t",
    gates="fzo",
    reads="zo",
    update=lambda w, x: w.z[x] * w.o[x],
    mu="z o",
    score="The gates are any functions of the last two symbols.",
)
