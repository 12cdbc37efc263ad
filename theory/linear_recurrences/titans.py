"""The linear memory of Titans as an automaton with 2 K + 2 states.

Behrouz et al. 2024, section 3.1: a memory M with the loss |M k_t - v_t|^2 (equation 12) changes by
gradient descent with momentum and forgetting, M_t = (1 - alpha_t) M_{t-1} + S_t (equation 13) and
S_t = eta_t S_{t-1} - theta_t grad_t (equation 14). Here, the memory is a matrix, so grad_t is
2 (M_{t-1} k_t - v_t) k_t^T. The output is M_t q_t.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column
from theory.linear_recurrences.shared.momentum import STATES, Momentum

weights = records.Names("m_0[K] s_0[K] minus | alpha eta theta k[K] q[K] v")


def gradient(t: Any, j: Any) -> Any:
    """Return component j of the loss's gradient, 2 (m^T k - v) k, for one row m of the memory."""
    there = t.sum(lambda i: t.k[i] * t.m[i])
    return (t.one + t.one) * ((there + t.minus * t.v) * t.k[j])


def momentum(t: Any, j: Any) -> Any:
    """Return component j of the next momentum, eta s_j - theta grad_j (equation 14)."""
    return t.eta * t.s[j] + t.minus * (t.theta * gradient(t, j))


def memory(t: Any, j: Any) -> Any:
    """Return component j of the next memory, (1 - alpha) m_j + s_j with the new momentum s (equation 13)."""
    return (t.one + t.minus * t.alpha) * t.m[j] + momentum(t, j)


def left(t: Any, j: Any) -> Any:
    """Return -2 theta k_j, the left factor of the gradient's term of rank one."""
    return t.minus * ((t.one + t.one) * (t.theta * t.k[j]))


RULE = Momentum(
    step={"m": memory, "s": momentum},
    mu=lambda t: t.eta,
    keep=lambda t: t.one + t.minus * t.alpha,
    amount=lambda t: t.one,
    left=left,
    right=lambda t, i: t.k[i],
    write=lambda t, j: left(t, j) * (t.minus * t.v),
    memory="m",
    momentum="s",
)
LAYER = RULE.layer()
CASES = records.sizes(weights)
SMALL = records.narrow(weights, (1,), alpha=(0,), eta=(0,), q=(1,), k=(1,), theta=(0, 1))

CLAIM = Claim(
    name="titans",
    title="the linear memory of Titans is an automaton",
    statement=(
        "Each component of the output M_t q_t of the linear memory of Titans, M_t = (1 - alpha_t) M_{t-1} +"
        " S_t and S_t = eta_t S_{t-1} - 2 theta_t (M_{t-1} k_t - v_t) k_t^T, is the Forward score of an"
        " automaton with 2 K + 2 states, where K is the length of keys."
    ),
    source=Source("behrouz2024titans", "3.1", "Long-term memory", ("12", "13", "14")),
    hypotheses=column(
        "The memory is a matrix. With more than one layer the gradient is not affine in the memory.",
        "The gradient is taken at each token. Programs that take it at the start of a chunk compute another"
        " function.",
        start="The layer starts in M_0 = S_0 = 0, or the automaton has both among its initial weights.",
    ),
    variants=(
        records.corrected(
            LAYER, CASES, STATES, records.theorem("titans", "m_0 s_0 minus alpha eta theta k q v")
        ),
        records.refuted(
            "without-factor-of-two",
            "an automaton for half the loss, whose gradient has no factor 2",
            LAYER,
            replace(
                RULE,
                left=lambda t, j: t.minus * (t.theta * t.k[j]),
                write=lambda t, j: t.theta * t.k[j] * t.v,
            ).layer(),
            CASES,
            SMALL,
        ),
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
        (
            "The memory is a matrix; the paper also has memories of several layers, whose gradient is"
            " not affine."
        ),
        "The gradient is taken at each token; the chunked form of the paper is left out.",
        "theta, eta and alpha are any numbers for each token.",
    ),
    example=weights(1).example(),
    uses=("momentum-delta-net",),
    layers=("titans",),
    effort=replace(records.EFFORT, gradients=(4, 3)),
)
