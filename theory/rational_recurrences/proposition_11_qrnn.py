"""Proposition 11 for the QRNN with windows of K symbols: automata that remember the last K - 1 symbols.

Peng et al. 2018, section 4.1, equation 10, and appendix A, equation 22, whose automaton has no
transition to its final states for the first symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.claim import Claim, Effort, Source, TableRow, Variant
from theory.rational_recurrences.proposition_7 import figure_1
from theory.rational_recurrences.shared import windows
from theory.rational_recurrences.shared.windowed_variants import FREE_GATES, NETWORK, variants
from theory.rational_recurrences.shared.windows import by_history, instances, windowed
from theory.reading import NoAutomaton
from theory.signature import Signature, Sizes, by_window
from theory.theorem import Theorem


def gates(window: int, start: Sequence[Any] | None = None) -> Signature:
    """Return the signature of the forget gate and the update as functions of the window."""
    return windows.signature(window, by_window("f", window), by_window("u", window), start=start)


def from_zero(window: int) -> Signature:
    """Return the signature with c_0 = 0."""
    return gates(window, start=(0,))


ANYWHERE = Sizes(gates, (1, 2, 3), (1, 2, 3))
PRINTED = Sizes(from_zero, (2, 3), (2, 3))

# Table 1 lists the automaton B of Figure 1 for the QRNN: two states, and weights that depend on one symbol.
# Here these are the gates of the window with padding before that symbol. The choice does not matter,
# because a Hankel block of rank 3 refutes every automaton with two states.

TABLE_1 = Variant(
    name="printed-table-1",
    without={
        "decided": (
            "the variant says that no automaton with two states is equivalent; a Hankel block of rank 3"
            " shows this, whereas this check is about one automaton"
        )
    },
    expected="refuted",
    says=(
        "Table 1: an automaton with the two states of B, for windows of K = 2 or more; B has the gates of a"
        " window with padding before its last symbol"
    ),
    reading=NoAutomaton(recurrence=windowed, construction=figure_1),
    cases=PRINTED.random,
    small_cases=PRINTED.small,
    kinds=("sampled", "cross-checked", "exhausted"),
    theorem=Theorem(
        "rational_recurrences.proposition_11_qrnn.printed_table_1_is_refuted",
        claims=(
            "forall (F : numFieldType) k, (0 < k)%N -> let c_0 : of_ring F := zero in not "
            "(forall (S : finType) (f_w u_w : seq S -> of_ring F), exists (Q : finite) (A : "
            "wfa (of_ring F) S Q), (card Q < 3)%N /\\ forall letters, score A letters = "
            "{network})"
        ),
        refutes=True,
        network=NETWORK,
        values=by_history,
    ),
)

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
        TABLE_1,
    ),
    example=PRINTED.of(2).example(),
    uses=("proposition-7",),
    row=TableRow("1", ("QRNN", "c_t = f_t c_{t-1} + u_t", "B, with a memory of K - 1 symbols")),
    layers=("qrnn",),
    effort=Effort(strings=16, longest=8, run=6),
)
