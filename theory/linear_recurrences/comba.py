"""Comba as an automaton with K + 2 states.

Hu et al. 2025: S_t = S_{t-1} (alpha_t - beta~_t k_t k_t^T) + beta_t v_t k_t^T, and the output
S_t (q_t - d k_t), in which a parameter d corrects the query. In the kernels of flash-linear-attention,
beta~ is beta b with a parameter b, and the query is q - d b k.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer, Output
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus d | alpha erase beta q[K] k[K] v")


def erase(t: Any, j: Any) -> Any:
    """Return -beta~ k_j, the left factor of the term that erases."""
    return t.minus * (t.erase * t.k[j])


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed: alpha s_j - beta~ k_j (k^T s) + beta k_j v.

    s is one row of the state.
    """
    there = t.sum(lambda i: t.k[i] * t.s[i])
    return t.alpha * t.s[j] + erase(t, j) * there + t.beta * records.write(t, j)


def query(t: Any, i: Any) -> Any:
    """Return component i of the corrected query, q_i - d k_i."""
    return t.q[i] + t.minus * (t.d * t.k[i])


LAYER = AffineLayer(
    step=step,
    update=lambda t, j: t.beta * records.write(t, j),
    decay=lambda t, j: t.alpha,
    terms=((erase, lambda t, i: t.k[i]),),
    reading=Output(printed=lambda t: t.sum(lambda i: query(t, i) * t.s[i]), weight=query),
)
CASES = records.sizes(weights)

CLAIM = Claim(
    name="comba",
    title="Comba is an automaton",
    statement=(
        "Each component of the output S_t (q_t - d k_t) of a head of Comba, S_t = S_{t-1} (alpha_t - beta~_t"
        " k_t k_t^T) + beta_t v_t k_t^T, is the Forward score of an automaton with K + 2 states, where K is"
        " the length of keys."
    ),
    source=Source("hu2025comba", "", "Comba"),
    hypotheses=column("beta~ and beta are any two functions of the token; d is a parameter."),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains alpha - beta~ k k^T",
            records.theorem("comba", "s_0 minus d alpha erase beta q k v"),
        ),
        records.reads_old(LAYER, CASES, records.narrow(weights, d=(0,), alpha=(1,), q=(1,))),
        records.refuted(
            "without-output-correction",
            "an automaton whose query is q, whereas the layer's query is q - d k",
            LAYER,
            replace(LAYER, reading=records.READ),
            CASES,
            records.narrow(weights, d=(1,), alpha=(1,), k=(0, 1), erase=(0,)),
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        (
            "beta~ and beta are any two functions of the token. In programs, beta~ is beta b with a"
            " parameter b, and the query is q - d b k."
        ),
    ),
    example=weights(2).example(),
    uses=("gated-delta-net",),
    layers=("comba",),
    effort=records.EFFORT,
)
