"""Proposition 11 for the strongly-typed T-LSTM, whose gates read two symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A; Balduzzi and Ghifary 2016: c_t = f_t
c_{t-1} + (1 - f_t) z_t, where f and z are functions of v_{t-1} and v_t.
"""

from __future__ import annotations

from theory.rational_recurrences.shared.strongly_typed import claim

CLAIM = claim(
    "T-LSTM",
    equation="c_t = f_t c_{t-1} + (1 - f_t) z_t",
    gates="fz",
    reads="fz",
    update=lambda w, x: (1 - w.f[x]) * w.z[x],
    mu="(1 - f) z",
    score=(
        "The score is c_t; the output gate is applied after the recurrence and is left out. The gates are any"
        " functions of the last two symbols."
    ),
)
