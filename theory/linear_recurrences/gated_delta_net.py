"""Gated DeltaNet as an automaton with K + 2 states.

Yang et al. 2025, section 3.1: S_t = S_{t-1} (alpha_t (1 - beta_t k_t k_t^T)) + beta_t v_t k_t^T, and the
output S_t q_t. Kimi's delta attention has an alpha for each component of a key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.delta_net import erase
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | alpha beta q[K] k[K] v")


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed: alpha (s_j - beta k_j (k^T s)) + beta k_j v.

    s is one column of the state.
    """
    there = t.sum(lambda i: t.k[i] * t.s[i])
    return t.alpha * (t.s[j] + erase(t, j) * there) + t.beta * records.write(t, j)


LAYER = AffineLayer(
    step=step,
    update=lambda t, j: t.beta * records.write(t, j),
    decay=lambda t, j: t.alpha,
    terms=((lambda t, j: t.alpha * erase(t, j), lambda t, i: t.k[i]),),
    reading=records.READ,
)
UNGATED = replace(LAYER, terms=((erase, lambda t, i: t.k[i]),))
CASES = records.sizes(weights)
SMALL = records.narrow(weights, q=(1,), k=(1, 0), beta=(1, 0))

CLAIM = Claim(
    name="gated-delta-net",
    title="gated DeltaNet is an automaton",
    statement=(
        "Each component of the output S_t q_t of a head of gated DeltaNet, S_t = alpha_t S_{t-1} (1 -"
        " beta_t k_t k_t^T) + beta_t v_t k_t^T, is the Forward score of an automaton with K + 2 states,"
        " where K is the length of keys."
    ),
    source=Source("yang2025gateddelta", "3.1", "Gated delta rule"),
    hypotheses=column(
        "The erased value is read from the decayed state: alpha is a factor of the whole matrix."
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains alpha (1 - beta k k^T)",
            records.theorem("gated_delta_net", "s_0 minus alpha beta q k v"),
        ),
        records.reads_old(LAYER, CASES),
        records.refuted(
            "without-decay-first",
            "an automaton whose erased value is read from the state before its decay: alpha - beta k k^T",
            LAYER,
            UNGATED,
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "Keys are not normalised, and alpha and beta are any numbers, in place of numbers between 0 and 1.",
        "Convolutions before the recurrence are left out.",
    ),
    example=weights(2).example(),
    uses=("delta-net",),
    layers=("gated-delta-net",),
    effort=records.EFFORT,
)
