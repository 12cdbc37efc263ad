"""Corollary 10 for the simple recurrent unit: its cell is a unit of Example 6.

Peng et al. 2018, section 4.1; the SRU of Lei et al. 2017. Footnote 5 of Peng et al. excludes the
later SRU, whose gates read c_{t-1}.
"""

from __future__ import annotations

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences.proposition_7 import without_memoryless_gates
from theory.rational_recurrences.shared.complement import ANYWHERE, input_representation
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, C_0, MEMORYLESS

CLAIM = Claim(
    name="corollary-10-sru",
    title="SRU is rational",
    statement=(
        "The cell of the simple recurrent unit, c_t = f_t c_{t-1} + (1 - f_t) z_t with z_t = W v_t, is the"
        " Forward score of the two-state automaton of Figure 1 with phi = f and mu = (1 - f) z."
    ),
    source=Source("peng2018rational", "4.1", "Corollary 10", ("5c",)),
    hypotheses=(
        MEMORYLESS,
        C_0,
        "There is one layer: the inputs of a second layer are vectors that depend on the whole prefix.",
    ),
    variants=(
        *input_representation("corollary_10_sru"),
        without_memoryless_gates(
            "corollary_10_sru",
            "the later SRU (Lei et al. 2018): the forget gate also reads c_{t-1}, here as f_t = f(x_t)"
            " + w c_{t-1}",
        ),
    ),
    differences=(
        ANY_GATES,
        "mu is (1 - f) z. Section 4.1 prints u = W_u v for the inputs of SRU, without the factor 1 - f.",
        (
            "The score is c_t. SRU's reset gate, and the highway connection of its output, are"
            " applied after the recurrence and are left out."
        ),
        (
            "The initial weight lambda(q_1) is c_0, which the paper does not state, so the empty"
            " string is included."
        ),
    ),
    example=ANYWHERE.example(),
    uses=("proposition-7", "corollary-9"),
    row=TableRow("1", ("SRU", "c_t = f_t c_{t-1} + u_t", "B")),
    layers=("sru",),
    effort=Effort(exhausted=5),
)
