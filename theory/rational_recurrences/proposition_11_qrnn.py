"""Proposition 11 for the QRNN with windows of K symbols: automata that remember the last K - 1 symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A, equation 22, whose automaton has no
transition to its final states for the first symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Claim, Effort, Source, TableRow
from theory.rational_recurrences.shared import windows
from theory.rational_recurrences.shared.windowed_variants import FREE_GATES, table_1, variants
from theory.rational_recurrences.shared.windows import instances
from theory.signature import Signature, Sizes, by_window


def gates(window: int, start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the forget gate and the update, as functions of the last K symbols."""
    return windows.signature(window, by_window("f", window), by_window("u", window), start=start)


def from_zero(window: int) -> Signature:
    """Return the same names and shapes as :func:`gates`, with c_0 = 0."""
    return gates(window, start=(0,))


ANYWHERE = Sizes(gates, (1, 2, 3), (1, 2, 3))
PRINTED = Sizes(from_zero, (2, 3), (2, 3))

CLAIM = Claim(
    name="proposition-11-qrnn",
    title="QRNN with K-symbol windows is rational",
    statement=(
        "A unit of a QRNN with K-window convolutions and forget pooling is the Forward score of an automaton"
        " that remembers the last K - 1 symbols: with s symbols, c_0 = 0 and K at least 2 it has exactly 2(s"
        " + ... + s^(K-1)) + 1 states, and 2 + s + ... + s^(K-1) states suffice."
    ),
    source=Source("peng2018rational", "4.1", "Proposition 11", ("10", "22")),
    hypotheses=(
        (
            "The gates depend only on the last K symbols; before the string there is padding, v_t = 0 for t"
            " < 1."
        ),
        "The network starts in c_0 = 0, or one more state has the initial weight c_0.",
    ),
    variants=(
        *variants(ANYWHERE, PRINTED, instances(gates), "u", "proposition_11_qrnn", FREE_GATES),
        table_1(PRINTED, "Table 1", "proposition_11_qrnn", "f_w u_w"),
    ),
    differences=(
        (
            "The gates are any functions of the last K symbols, in place of a sigmoid, or g, of an"
            " affine map of their embeddings. Output gates are left out."
        ),
        (
            "Before the string there is padding; the paper does not state what v_{t-1} is for t = 1."
            " The automaton has the additional transitions tau(q_0, q_b, b) = mu_pad(b)."
        ),
        (
            "The construction is for every K; the paper constructs the automaton for K = 2, and"
            " states that this generalises."
        ),
        (
            "The number of states is exact, and a smaller one is given. The paper prints a bound,"
            " which is not tight."
        ),
        (
            "c_0 is any number, with one more state unless it is 0; the paper does not state c_0. The"
            " empty string is included."
        ),
    ),
    example=PRINTED.of(2).example(),
    uses=("proposition-7",),
    row=TableRow("1", ("QRNN", "c_t = f_t c_{t-1} + u_t", "B, with a memory of K - 1 symbols")),
    layers=("qrnn",),
    effort=Effort(strings=16, longest=8, run=6),
)
