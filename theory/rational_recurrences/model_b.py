"""RRNN(B) of Table 2, as in appendix D: a unit of Example 6 without a nonlinearity.

An optional output gate follows the unit. Peng et al. 2018, section 6.1 and appendix D, equations
23a to 23e.
"""

from __future__ import annotations

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences import corollary_10_sru
from theory.rational_recurrences.shared.complement import variants
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, C_0, MEMORYLESS, OUTPUT

CLAIM = Claim(
    name="model-b",
    title="RRNN(B) is derived from B",
    statement=(
        "A unit of RRNN(B), c_t = f_t c_{t-1} + (1 - f_t) W_u v_t, is the Forward score of the automaton B of"
        " Figure 1 over the real semiring, with phi = f and mu = (1 - f) W_u v."
    ),
    source=Source("peng2018rational", "D", "Model B", ("23a", "23b", "23c", "23d", "23e")),
    hypotheses=(MEMORYLESS, C_0, OUTPUT),
    variants=variants(
        "model_b", "printed-section-6.1", "mu = W_u v, as in section 6.1, for the network of appendix D"
    ),
    differences=(
        ANY_GATES,
        "The score is c_t. The output gate and tanh (equations 23d and 23e) are left out.",
        (
            "The automaton has the initial weight lambda(q_1) = c_0, which the paper does not state."
            " The empty string is included."
        ),
        "mu is (1 - f) W_u v, as in equation 23b; section 6.1 prints u = W_u v.",
    ),
    example=corollary_10_sru.CLAIM.example,
    uses=("proposition-7",),
    row=TableRow("2", ("RRNN(B)", "yes", "", "real")),
    layers=("rrnn-b",),
    effort=Effort(exhausted=5),
)
