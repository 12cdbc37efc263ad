"""RRNN(B) over the max-plus semiring, as in appendix D: Example 15 without a nonlinearity.

Peng et al. 2018, appendix D, equations 24a to 24e. The update has no complement of the forget gate.
"""

from __future__ import annotations

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences import example_15

CLAIM = Claim(
    name="model-b-max-plus",
    title="RRNN(B) over max-plus is derived from B",
    statement=(
        "A unit of RRNN(B) over the max-plus semiring, c_t = max(f_t + c_{t-1}, W_u v_t), is the Forward"
        " score of the automaton B of Figure 1 over the max-plus semiring, with phi = f = log sigma(W_f v +"
        " b_f) and mu = W_u v."
    ),
    source=Source("peng2018rational", "D", "Model B, max-plus", ("24a", "24b", "24c", "24d", "24e")),
    hypotheses=(
        *example_15.CLAIM.hypotheses,
        (
            "The score is c_t: the output gate, which is added here, and tanh are applied after the"
            " recurrence (h_t = tanh(o_t + c_t))."
        ),
    ),
    variants=example_15.max_plus_figure_1("model_b_max_plus"),
    differences=(
        (
            "f_t and u_t are any functions of the symbol with values in max-plus, in place of log"
            " sigma and an affine map of an embedding."
        ),
        "The score is c_t. The output gate and tanh (equations 24d and 24e) are left out.",
        (
            "The automaton has the initial weight lambda(q_1) = c_0, which the paper does not state."
            " The empty string is included."
        ),
    ),
    example=example_15.CLAIM.example,
    uses=("example-15",),
    row=TableRow("2", ("RRNN(B), max-plus", "yes", "", "max-plus")),
    layers=("rrnn-b-max-plus",),
    effort=Effort(exhausted=5),
)
