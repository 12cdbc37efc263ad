"""Corollary 10 for the strongly-typed network T-RNN: its hidden state is a unit of Example 6.

Peng et al. 2018, section 4.1; Balduzzi and Ghifary 2016: z_t = W v_t, f_t = sigma(V v_t + b), h_t =
f_t h_{t-1} + (1 - f_t) z_t.
"""

from __future__ import annotations

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences import corollary_10_sru
from theory.rational_recurrences.shared.complement import input_representation
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, C_0, MEMORYLESS

CLAIM = Claim(
    name="corollary-10-t-rnn",
    title="T-RNN is rational",
    statement=(
        "A hidden unit of the strongly-typed T-RNN, h_t = f_t h_{t-1} + (1 - f_t) z_t with z_t = W v_t, is"
        " the Forward score of the two-state automaton of Figure 1 with phi = f and mu = (1 - f) z."
    ),
    source=Source("peng2018rational", "4.1", "Corollary 10", ("5c",)),
    hypotheses=(MEMORYLESS, C_0),
    variants=input_representation("corollary_10_t_rnn"),
    differences=(
        ANY_GATES,
        "mu is (1 - f) z. Section 4.1 prints u = W_u v for the inputs of T-RNN, without the factor 1 - f.",
        (
            "The initial weight lambda(q_1) is c_0, which the paper does not state, so the empty"
            " string is included."
        ),
    ),
    example=corollary_10_sru.CLAIM.example,
    uses=("proposition-7", "corollary-9"),
    row=TableRow("1", ("T-RNN", "c_t = f_t c_{t-1} + u_t", "B")),
    layers=("t-rnn",),
    effort=Effort(exhausted=5),
)
