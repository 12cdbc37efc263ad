"""Gated DeltaNet-2 as an automaton with K + 2 states.

Hatamizadeh et al. 2026, equation 10: S_t = (1 - k_t (b_t o k_t)^T) D_t S_{t-1} + k_t (w_t o v_t)^T with a
diagonal D_t, and the output S_t^T q_t. With b = w = beta, it is Kimi Delta Attention.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | alpha[K] b[K] w q[K] k[K] v")


def erase(t: Any, j: Any) -> Any:
    """Return -k_j, the left factor of the term that erases."""
    return t.minus * t.k[j]


def erased(t: Any, i: Any) -> Any:
    """Return b_i k_i alpha_i, the factor of s_i in the erased value."""
    return t.b[i] * t.k[i] * t.alpha[i]


def write(t: Any, j: Any) -> Any:
    """Return component j of the update k (w o v)^T in one column of the state: k_j w v."""
    return t.k[j] * (t.w * t.v)


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed, where s is one column of the state.

    It is alpha_j s_j - k_j (sum over i of b_i k_i alpha_i s_i) + k_j w v.
    """
    held = t.sum(lambda i: (t.b[i] * t.k[i]) * (t.alpha[i] * t.s[i]))
    return t.alpha[j] * t.s[j] + erase(t, j) * held + write(t, j)


LAYER = AffineLayer(
    step=step, update=write, decay=lambda t, j: t.alpha[j], terms=((erase, erased),), reading=records.READ
)
CASES = records.sizes(weights)
SMALL = records.narrow(
    weights, small=(2,), q=(0, 1), k=(1,), b=(0, 1), alpha=(1,), w=(0,), v=(0,), s_0=(0, 1)
)

CLAIM = Claim(
    name="gated-delta-net-2",
    title="Gated DeltaNet-2 is an automaton",
    statement=(
        "Each component of the output S_t^T q_t of a head of Gated DeltaNet-2, S_t = (1 - k_t (b_t o k_t)^T)"
        " Diag(alpha_t) S_{t-1} + k_t (w_t o v_t)^T, is the Forward score of an automaton with K + 2 states,"
        " where K is the length of keys."
    ),
    source=Source("hatamizadeh2026gateddelta2", "", "Gated Delta Rule-2", ("10",)),
    hypotheses=column("The erased value is read from the decayed state."),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains (1 - k (b o k)^T) Diag(alpha)",
            records.theorem("gated_delta_net_2", "s_0 minus alpha b w q k v"),
        ),
        records.reads_old(LAYER, CASES),
        records.refuted(
            "without-gate-on-reading",
            "an automaton whose gate b is a factor of the key that erases, and not of the key that reads",
            LAYER,
            replace(LAYER, terms=((lambda t, j: erase(t, j) * t.b[j], lambda t, i: t.k[i] * t.alpha[i]),)),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "b, w, alpha and the keys are any vectors for each token; keys are not normalised.",
    ),
    example=weights(2).example(),
    uses=("kda",),
    layers=("gated-delta-net-2",),
    effort=records.EFFORT,
)
