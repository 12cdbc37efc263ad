"""Kimi Delta Attention (KDA) as an automaton with K + 2 states.

Kimi Team 2025, section 3, equation 1: S_t = (1 - beta_t k_t k_t^T) Diag(alpha_t) S_{t-1} + beta_t k_t v_t^T,
and the output S_t^T q_t. This is gated DeltaNet with an alpha for each component of a key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.delta_net import erase
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | alpha[K] beta q[K] k[K] v")


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed, where s is one column of the state.

    It is alpha_j s_j - beta k_j (sum over i of k_i alpha_i s_i) + beta k_j v.
    """
    held = t.sum(lambda i: t.k[i] * (t.alpha[i] * t.s[i]))
    return t.alpha[j] * t.s[j] + erase(t, j) * held + t.beta * records.write(t, j)


LAYER = AffineLayer(
    step=step,
    update=lambda t, j: t.beta * records.write(t, j),
    decay=lambda t, j: t.alpha[j],
    terms=((erase, lambda t, i: t.k[i] * t.alpha[i]),),
    reading=records.READ,
)
CASES = records.sizes(weights)
SMALL = records.narrow(weights, q=(1,), k=(1, 0), beta=(1, 0), v=(0,))

CLAIM = Claim(
    name="kda",
    title="Kimi Delta Attention is an automaton",
    statement=(
        "Each component of the output S_t^T q_t of a head of Kimi Delta Attention, S_t = (1 - beta_t k_t"
        " k_t^T) Diag(alpha_t) S_{t-1} + beta_t k_t v_t^T, is the Forward score of an automaton with K + 2"
        " states, where K is the length of keys."
    ),
    source=Source("kimi2025linear", "3", "KDA", ("1",)),
    hypotheses=column("The erased value is read from the decayed state."),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains (1 - beta k k^T) Diag(alpha)",
            records.theorem("kda", "s_0 minus alpha beta q k v"),
        ),
        records.reads_old(LAYER, CASES),
        records.refuted(
            "without-decay-first",
            "an automaton whose erased value is read from the old state: Diag(alpha) - beta k k^T",
            LAYER,
            replace(LAYER, terms=((erase, lambda t, i: t.k[i]),)),
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
    uses=("gated-delta-net",),
    layers=("kda",),
    effort=records.EFFORT,
)
