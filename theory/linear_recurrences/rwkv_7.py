"""RWKV-7 (Goose) as an automaton with K + 2 states.

Peng et al. 2025, section 4.1: wkv_t = wkv_{t-1} (diag(w_t) - kappa_t^T (a_t o kappa_t)) + v_t^T k_t, and the
output wkv_t r_t^T. The row of wkv is erased by a o kappa, and kappa reads the erased amount.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | w[K] kappa[K] a[K] k[K] q[K] v")  # q for the receptance r


def erase(t: Any, j: Any) -> Any:
    """Return -a_j kappa_j, the left factor of the term that erases."""
    return t.minus * (t.a[j] * t.kappa[j])


def kappa(t: Any, i: Any) -> Any:
    """Return kappa_i, the right factor of the term that erases."""
    return t.kappa[i]


def step(t: Any, j: Any) -> Any:
    """Return component j of the next state, as printed, where s is one row of wkv.

    It is w_j s_j - (a_j kappa_j) (sum over i of kappa_i s_i) + k_j v.
    """
    there = t.sum(lambda i: kappa(t, i) * t.s[i])
    return t.w[j] * t.s[j] + erase(t, j) * there + records.write(t, j)


LAYER = AffineLayer(
    step=step, update=records.write, decay=lambda t, j: t.w[j], terms=((erase, kappa),), reading=records.READ
)
CASES = records.sizes(weights)
SMALL = records.narrow(
    weights, small=(2,), q=(0, 1), kappa=(1,), a=(0, 1), k=(0,), v=(0,), w=(0,), s_0=(0, 1)
)

CLAIM = Claim(
    name="rwkv-7",
    title="RWKV-7 is an automaton",
    statement=(
        "Each component of the output wkv_t r_t^T of a head of RWKV-7, wkv_t = wkv_{t-1} (diag(w_t) -"
        " kappa_t^T (a_t o kappa_t)) + v_t^T k_t, is the Forward score of an automaton with K + 2 states,"
        " where K is the length of keys."
    ),
    source=Source("peng2025rwkv7", "4.1", "RWKV-7"),
    hypotheses=column(
        left_out=(
            "The shift that mixes a token with the previous one is omitted, and so is the bonus, which does"
            " not read the state."
        )
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            ("the automaton with K + 2 states, whose matrix contains diag(w) - (a o kappa) kappa^T"),
            records.theorem("rwkv_7", "s_0 minus w kappa a k q v"),
        ),
        records.reads_old(LAYER, CASES),
        records.refuted(
            "without-order-of-factors",
            "the term of rank one transposed: a o kappa reads, and kappa erases",
            LAYER,
            replace(LAYER, terms=((kappa, erase),)),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "The shift that mixes a token with the previous one is left out.",
        "The bonus, which does not read the state, is left out.",
        "w, a and kappa are any vectors for each token; kappa is not normalised.",
    ),
    example=weights(2).example(),
    uses=("delta-net",),
    layers=("rwkv-7",),
    effort=records.EFFORT,
)
