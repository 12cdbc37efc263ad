"""DeltaNet as an automaton with K + 2 states.

Schlag et al. 2021, section 4.2: the delta rule W_t = W_{t-1} + beta_t (v_t - W_{t-1} phi(k_t)) phi(k_t)^T,
and the output W_t phi(q_t). With S = W^T, one column of S writes and reads one component of the values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | beta q[K] k[K] v")  # queries and keys after phi


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed: s_j + beta k_j (v - s^T k).

    s is one column of the state.
    """
    there = t.sum(lambda i: t.k[i] * t.s[i])
    return t.s[j] + t.beta * (t.k[j] * (t.v + t.minus * there))


def erase(t: Any, j: Any) -> Any:
    """Return -beta k_j, the left factor of the term that erases, -(beta k) k^T."""
    return t.minus * (t.beta * t.k[j])


LAYER = AffineLayer(
    step=step,
    update=lambda t, j: t.beta * records.write(t, j),
    decay=lambda t, j: t.one,
    terms=((erase, lambda t, i: t.k[i]),),
    reading=records.READ,
)
CASES = records.sizes(weights)
SMALL = records.narrow(weights, q=(1,), k=(1, 0), beta=(1, 0))

CLAIM = Claim(
    name="delta-net",
    title="DeltaNet is an automaton",
    statement=(
        "Each component of the output S_t^T q_t of a head of DeltaNet, S_t = S_{t-1} + beta_t k_t (v_t -"
        " S_{t-1}^T k_t)^T, is the Forward score of an automaton with K + 2 states, where K is the length of"
        " keys."
    ),
    source=Source("schlag2021linear", "4.2", "Delta rule"),
    hypotheses=column("Keys may have any length, and betas may be any numbers."),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains 1 - beta k k^T",
            records.theorem("delta_net", "s_0 minus beta q k v"),
        ),
        records.reads_old(LAYER, CASES, SMALL),
        records.refuted(
            "without-correction",
            "the automaton of linear attention, which writes beta k v but erases nothing",
            LAYER,
            replace(LAYER, terms=()),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        (
            "phi(q) and phi(k) are any vectors for each token, and beta any number, in place of one"
            " between 0 and 1."
        ),
    ),
    example=weights(2).example(),
    uses=("linear-attention",),
    layers=("delta-net",),
    effort=records.EFFORT,
)
