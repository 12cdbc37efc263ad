"""Momentum DeltaNet as an automaton with 2 K + 2 states.

Huang et al. 2026, as in the reference program of flash-linear-attention (``momentum_delta_rule``): the
momentum M_t = mu_t M_{t-1} - eta_t k_t (v_t - S_{t-1}^T p_t)^T, the memory S_t = alpha_t S_{t-1} -
beta_t M_t, and the output S_t^T q_t.
"""

from __future__ import annotations

from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, FIRST_STATE, column
from theory.linear_recurrences.shared.momentum import STATES, Momentum

weights = records.Names("s_0[K] m_0[K] minus | alpha mu beta eta p[K] k[K] q[K] v")


def momentum(t: Any, j: Any) -> Any:
    """Return component j of the next momentum, as printed: mu m_j - eta k_j (v - p^T s)."""
    there = t.sum(lambda i: t.p[i] * t.s[i])
    return t.mu * t.m[j] + t.minus * (t.eta * t.k[j] * (t.v + t.minus * there))


def memory(t: Any, j: Any) -> Any:
    """Return component j of the next memory, as printed: alpha s_j - beta m_j with the new momentum m."""
    return t.alpha * t.s[j] + t.minus * (t.beta * momentum(t, j))


RULE = Momentum(
    step={"s": memory, "m": momentum},
    mu=lambda t: t.mu,
    keep=lambda t: t.alpha,
    amount=lambda t: t.minus * t.beta,
    left=lambda t, j: t.minus * (t.eta * t.k[j] * t.minus),
    right=lambda t, i: t.p[i],
    write=lambda t, j: t.minus * (t.eta * t.k[j] * t.v),
    memory="s",
    momentum="m",
)
LAYER = RULE.layer()
TERMS = "s_0 m_0 minus alpha mu beta eta p k q v"
CASES = records.sizes(weights)
ONES = dict.fromkeys(("alpha", "beta", "eta", "s_0"), (0, 1))
SMALL = records.narrow(weights, (1,), **ONES, m_0=(0,), mu=(0,), p=(0,), k=(1,), q=(1,))

CLAIM = Claim(
    name="momentum-delta-net",
    title="Momentum DeltaNet is an automaton",
    statement=(
        "Each component of the output S_t^T q_t of a head of Momentum DeltaNet, M_t = mu_t M_{t-1} - eta_t"
        " k_t (v_t - S_{t-1}^T p_t)^T and S_t = alpha_t S_{t-1} - beta_t M_t, is the Forward score of an"
        " automaton with 2 K + 2 states, where K is the length of keys."
    ),
    source=Source("huang2026mdn", "", "Momentum DeltaNet"),
    hypotheses=column(
        "The key p that reads may differ from the key k that writes.",
        start=f"{FIRST_STATE} The same holds for M_0.",
    ),
    variants=(
        records.corrected(LAYER, CASES, STATES, records.theorem("momentum_delta_net", TERMS)),
        records.reads_old(LAYER, CASES, SMALL),
        records.refuted(
            "without-momentum-first",
            "an automaton whose memory reads the momentum before the token",
            LAYER,
            RULE.reading_old_momentum(),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The recurrence is that of the reference program of flash-linear-attention.",
        "The key p that reads, and all gates, are any functions of the token.",
    ),
    example=weights(1).example(),
    uses=("gated-delta-net",),
    layers=("momentum-delta-net",),
    effort=records.EFFORT,
)
