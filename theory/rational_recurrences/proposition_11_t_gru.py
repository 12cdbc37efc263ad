"""Proposition 11 for the strongly-typed T-GRU, whose gates read two symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A; Balduzzi and Ghifary 2016: h_t = f_t
h_{t-1} + z_t o_t, where f, z and o are functions of v_{t-1} and v_t.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences.shared import windows
from theory.rational_recurrences.shared.windowed_variants import (
    EXAMPLE,
    from_gates,
    over_three_alphabets,
    own_unit,
    table_1,
    variants,
)
from theory.signature import Signature, by_window


def gates(start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the gates f, z and o, which depend on the last two symbols.

    The update u = z o is also a weight. In proofs, u is any weight.
    """
    update = by_window("u", 2, derived=lambda w, x: w.z[x] * w.o[x])
    return windows.signature(2, by_window("f", 2), by_window("z", 2), by_window("o", 2), update, start=start)


ANYWHERE, FROM_ZERO = gates(), gates(start=(0,))
UNIT = own_unit("t_gru", "f", "z", "o")

CLAIM = Claim(
    name="proposition-11-t-gru",
    title="T-GRU is rational",
    statement=(
        "A unit of the strongly-typed T-GRU, h_t = f_t h_{t-1} + z_t o_t, whose gates read two symbols, is"
        " the Forward score of an automaton that remembers one symbol: with s symbols and c_0 = 0 it has 2s +"
        " 1 states, and s + 2 suffice."
    ),
    source=Source("peng2018rational", "4.1", "Proposition 11", ("10", "22")),
    hypotheses=(
        "The gates depend only on the last two symbols; before the string there is padding, v_0 = 0.",
        "The network starts in c_0 = 0, or one more state has the initial weight c_0.",
    ),
    variants=(
        *variants(
            ANYWHERE,
            FROM_ZERO,
            over_three_alphabets(ANYWHERE, FROM_ZERO),
            "z o",
            "proposition_11_t_gru",
            from_gates("f_w z_w o_w", "update z_w o_w"),
            UNIT,
        ),
        table_1(FROM_ZERO, "the caption of Table 1", "proposition_11_t_gru", "f_w z_w o_w", UNIT),
    ),
    differences=(
        (
            "The paper prints no equation of T-GRU except that of its forget gate. The equations are"
            " those of Balduzzi and Ghifary (2016)."
        ),
        "The gates are any functions of the last two symbols.",
        (
            "Before the string there is padding, and the automaton has the additional transitions"
            " tau(q_0, q_b, b) = mu_pad(b)."
        ),
        "The numbers of states are ours; the paper's number is for QRNN.",
        (
            "c_0 is any number, with one more state unless it is 0; the paper does not state c_0. The"
            " empty string is included."
        ),
    ),
    example=EXAMPLE,
    uses=("proposition-11-qrnn",),
    row=TableRow("1", ("T-GRU", "c_t = f_t c_{t-1} + u_t", "B, with a memory of one symbol")),
    layers=("t-gru",),
    effort=Effort(strings=16, longest=8, run=6, exhausted=5),
)
