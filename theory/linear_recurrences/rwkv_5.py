"""RWKV-5 (Eagle) as an automaton with K + 2 states; its output reads the state before the update.

Peng et al. 2024, section 4.1.2: wkv_t = diag(u) k_t^T v_t + the previous state, S <- diag(w) S +
k_t^T v_t, and the output r_t wkv_t, where w and u are parameters of the head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source, Variant
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column
from theory.signature import Sizes

weights = records.Names("s_0[K] w[K] u[K] | r[K] k[K] v")

# The recurrence, as printed, for one column: the output reads the state, which then becomes w_j s_j + k_j v.


def bonus(t: Any, i: Any) -> Any:
    """Return u_i k_i v, the token's bonus at index i."""
    return t.u[i] * records.write(t, i)


READ_FIRST = Output(
    printed=lambda t: t.sum(lambda i: t.r[i] * (t.s[i] + bonus(t, i))),
    weight=lambda t, i: t.r[i],
    skip=lambda t: t.sum(lambda i: t.r[i] * bonus(t, i)),
    first=True,
)
LAYER = replace(records.decayed(lambda t, j: t.w[j]), reading=READ_FIRST)
CASES = records.sizes(weights)
NO_SHIFT = "The shift that mixes a token with the previous one is omitted."


def reads_new(layer: AffineLayer, cases: Sizes) -> Variant:
    """Return the variant whose automaton reads the state after the token, as in other layers."""
    return records.refuted(
        "without-read-first",
        "an automaton whose output reads the state after the token, as in other layers; this layer reads"
        " the state before the token, and the token by its bonus",
        layer,
        replace(layer, reading=replace(READ_FIRST, skip=lambda t: t.zero, first=False)),
        cases,
    )


CLAIM = Claim(
    name="rwkv-5",
    title="RWKV-5 is an automaton",
    statement=(
        "Each component of the output r_t (S_{t-1} + diag(u) k_t^T v_t) of a head of RWKV-5, S_t = diag(w)"
        " S_{t-1} + k_t^T v_t, is the Forward score of an automaton with K + 2 states, where K is the length"
        " of keys."
    ),
    source=Source("peng2024eagle", "4.1.2", "Eagle (RWKV-5)", ("8", "9")),
    hypotheses=column(left_out=NO_SHIFT),
    variants=(
        records.corrected(LAYER, CASES, records.COLUMN_STATES, records.theorem("rwkv_5", "s_0 w u r k v")),
        reads_new(LAYER, CASES),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The shift that mixes a token with the previous one is left out.",
        "w and u are any vectors; w is not restricted to numbers between 0 and 1.",
    ),
    example=weights(2).example(),
    uses=("gla",),
    layers=("rwkv-5",),
    effort=records.EFFORT,
)
