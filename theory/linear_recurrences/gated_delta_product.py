"""Gated DeltaProduct with two steps per token as an automaton with K + 2 states.

Siems et al. 2025: a token with n_h = 2 keys, values and betas changes H_{i,0} = H_{i-1} by
H_{i,j} = (1 - beta_{i,j} k_{i,j} k_{i,j}^T) H_{i,j-1} + beta_{i,j} k_{i,j} v_{i,j}^T. In the gated form, the
matrix of the whole token is multiplied by g_i. The output is H_i^T q_i, after the last step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, column

weights = records.Names("s_0[K] minus | g beta1 k1[K] v1 beta2 k2[K] v2 q[K]")


def erase(t: Any, j: Any) -> Any:
    """Return -beta_1 k_1j, the left factor of the term by which the first step erases."""
    return t.minus * (t.beta1 * t.k1[j])


def erase_again(t: Any, j: Any) -> Any:
    """Return -beta_2 k_2j, the left factor of the term by which the second step erases."""
    return t.minus * (t.beta2 * t.k2[j])


def write(t: Any, j: Any) -> Any:
    """Return component j of the update beta_1 k_1 v_1^T in one column of the state: beta_1 k_1j v_1."""
    return t.beta1 * (t.k1[j] * t.v1)


def first(t: Any, j: Any) -> Any:
    """Return component j of the state after the first of the token's two steps.

    This step reads the decayed state g s.
    """
    return t.g * t.s[j] + erase(t, j) * t.sum(lambda i: t.k1[i] * (t.g * t.s[i])) + write(t, j)


def step(t: Any, j: Any) -> Any:
    """Return component j of the state after the token's second step, as printed for one column."""
    there = t.sum(lambda i: t.k2[i] * first(t, i))
    return first(t, j) + erase_again(t, j) * there + t.beta2 * (t.k2[j] * t.v2)


# The matrix of both steps is g (1 - beta_1 k_1 k_1^T - beta_2 k_2 r^T), with r = (1 - beta_1 k_1 k_1^T) k_2.


def update(t: Any, j: Any) -> Any:
    """Return component j of what both steps together write into one column of the state.

    The second step erases a part of the value that the first step writes.
    """
    written = t.sum(lambda i: t.k2[i] * write(t, i))
    return write(t, j) + erase_again(t, j) * written + t.beta2 * (t.k2[j] * t.v2)


def read_again(t: Any, i: Any) -> Any:
    """Return g r_i, the factor of s_i in the value that the second step erases."""
    return t.g * t.k2[i] + t.sum(lambda j: t.k2[j] * erase(t, j)) * (t.g * t.k1[i])


FIRST = (erase, lambda t, i: t.k1[i] * t.g)
LAYER = AffineLayer(
    step=step,
    update=update,
    decay=lambda t, j: t.g,
    terms=(FIRST, (erase_again, read_again)),
    reading=records.READ,
)
CASES = records.sizes(weights)
SMALL = records.narrow(
    weights, g=(1,), q=(0, 1), k1=(1,), k2=(0, 1), beta1=(1,), beta2=(1,), v1=(0,), v2=(0,), s_0=(1,)
)

CLAIM = Claim(
    name="gated-delta-product",
    title="Gated DeltaProduct is an automaton",
    statement=(
        "Each component of the output H_i^T q_i of a head of Gated DeltaProduct with n_h = 2, whose token"
        " takes two steps H_{i,j} = (1 - beta_{i,j} k_{i,j} k_{i,j}^T) H_{i,j-1} + beta_{i,j} k_{i,j}"
        " v_{i,j}^T after a decay g_i, is the Forward score of an automaton with K + 2 states, where K is"
        " the length of keys."
    ),
    source=Source("siems2025deltaproduct", "", "DeltaProduct"),
    hypotheses=column("A token takes two steps, and the output reads the state after the second."),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states, whose matrix contains the product of both steps' matrices",
            records.theorem("gated_delta_product", "s_0 minus g beta1 k1 v1 beta2 k2 v2 q"),
        ),
        records.reads_old(LAYER, CASES, SMALL),
        records.refuted(
            "without-order-of-steps",
            "an automaton whose steps both read the state before the token: g (1 - beta_1 k_1 k_1^T -"
            " beta_2 k_2 k_2^T)",
            LAYER,
            replace(LAYER, terms=(FIRST, (erase_again, lambda t, i: t.k2[i] * t.g))),
            CASES,
            SMALL,
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        "A token takes two steps; the paper has any number n_h of steps.",
        "Keys are not normalised, and beta and the decay are any numbers.",
    ),
    example=weights(2).example(),
    uses=("gated-delta-net",),
    layers=("gated-delta-product",),
    effort=replace(records.EFFORT, gradients=(4, 2)),
)
