"""Mamba (S6) as an automaton, which has N + 2 states without the convolution.

With a convolution of width w, there are N + 1 states for each history of w - 1 tokens, and a state for the
output.

Gu and Dao 2023, section 2 (equation 2) and section 3.2 (algorithm 2): h_t = exp(Delta_t A) h_{t-1}
+ B_t x_t for each channel separately, and the output C_t h_t, to which D x_t is added. Delta, B and
C are functions of the output of a convolution, which reads the last w tokens, and zeros before the
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from theory.claim import PROVED, Claim, Source, Variant
from theory.linear_recurrences import mamba_2
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.convolved import Convolved
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, LINEAR_OUTPUT, NO_TOKENS, UNIT_DIFFERENCES
from theory.rational_recurrences.shared.windows import history_tables
from theory.reading import Equality
from theory.signature import Signature, Sizes, entries
from theory.theorem import Theorem
from theory.weights import Weights

NAMES = "h_0[N] D | a[N] B[N] C[N] x"
"""The weights: a is exp(Delta A), and B includes the factor Delta."""
weights = records.Names(NAMES)


def convolved_weights(size: tuple[int, int], **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of weights that depend on the last w tokens, or on fewer at the start.

    ``size`` is the pair of w and the size N of the state.
    """
    window, n = size
    return Signature(entries(NAMES, n, only, window=window), size=("w", window), most_small=150)


LAYER = replace(
    mamba_2.LAYER,
    step=lambda t, j: t.a[j] * t.h[j] + mamba_2.update(t, j),  # as printed, for one channel
    decay=lambda t, j: t.a[j],
)
CONVOLVED = Convolved(LAYER)


def by_history(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, for a layer after a convolution.

    The tables of weights refer to histories of tokens by their numbers.
    """
    return {"h_0": w.h_0, "D": w.D, **history_tables(w, "a", "B", "C", "x")}


CASES = records.sizes(weights)
WINDOWED = Sizes(convolved_weights, ((1, 2), (2, 1), (2, 2)), ((1, 1), (2, 1)))
# Small cases whose output is the state. The state starts at 1, so that a wrong history is visible.
SHOWN = Sizes(lambda size: convolved_weights(size, h_0=(1,), D=(0,), C=(1,), x=(1,)), (), ((1, 1), (2, 1)))
WINDOWS = Sizes(convolved_weights, ((2, 1), (2, 2)), ((2, 1),))

CLAIM = Claim(
    name="mamba",
    title="Mamba is an automaton",
    statement=(
        "A channel's output C_t h_t + D x_t of Mamba, h_t = exp(Delta_t A) h_{t-1} + B_t x_t, is the"
        " Forward score of an automaton. It has N + 2 states without the convolution; with a convolution of"
        " width w, over s symbols, it has (1 + s + ... + s^(w-1)) (N + 1) + 1 states."
    ),
    source=Source("gu2023mamba", "3.2", "S6", ("2", "4")),
    hypotheses=(
        "Delta, B, C and x are functions of the last w tokens, which the convolution reads: there is one"
        " layer over embeddings.",
        FIRST_UNIT,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says="with the convolution: for each history of w - 1 tokens the states 1 and h, and the output",
            reading=Equality(recurrence=CONVOLVED.recurrence, construction=CONVOLVED.automata),
            cases=WINDOWED.random,
            small_cases=SHOWN.small,
            kinds=PROVED,
            proof=CONVOLVED.proof(*map(convolved_weights, ((2, 1), (2, 2), (1, 2)))),
            theorem=Theorem(
                "linear_recurrences.mamba.mamba",
                network=(
                    "convolved_mamba {k} {h_0} {D} {a_w:of window} {B_w:of window} {C_w:of window}"
                    " {x_w:of window} {letters}"
                ),
                # mathcomp's list of all histories does not compute, so Coq's automaton runs on numbers
                automaton=(
                    "mamba_with_memory {start} {remember:to place} {h_0} {D}"
                    " {a:of place and letter} {B:of place and letter} {C:of place and letter}"
                    " {x:of place and letter}"
                ),
                claims=(
                    "forall (K : semiring) (S : finType) k d (h_0 : 'I_d -> K) (D : K)"
                    " (a_w B_w C_w : seq S -> 'I_d -> K) (x_w : seq S -> K), commutative (@times K) ->"
                    " let start : history S k := remembered k [::] in let remember := @remember_more S k in"
                    " let a := fun (h : history S k) x => a_w (rcons h x) in"
                    " let B := fun (h : history S k) x => B_w (rcons h x) in"
                    " let C := fun (h : history S k) x => C_w (rcons h x) in"
                    " let x := fun (h : history S k) x => x_w (rcons h x) in"
                    " forall letters, {automaton} = {network}"
                ),
                values=by_history,
            ),
        ),
        records.corrected(
            LAYER,
            CASES,
            "without the convolution: the automaton with N + 2 states",
            name="corrected-without-convolution",
            layers=("mamba-without-convolution",),
            theorem=records.theorem("mamba", "h_0 D a B C x", name="mamba_without_convolution"),
        ),
        records.refuted(
            "without-histories",
            "an automaton with N + 2 states although there is a convolution: each token counts as if it"
            " were the first",
            CONVOLVED.recurrence,
            LAYER,
            WINDOWS,
        ),
        records.reads_old(LAYER, CASES),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "Delta, B, C and x are any functions of the last w tokens, as after a convolution, or of"
            " one token in corrected-without-convolution."
        ),
        (
            "exp(Delta A) and the discretised B are any numbers for each token; how they follow from"
            " Delta, A and B is left out."
        ),
        "The product with the other branch of the block, and its nonlinearity, are left out.",
    ),
    example=convolved_weights((2, 1)).example(),
    uses=("mamba-2", "proposition-11-qrnn"),
    layers=("mamba",),
    effort=records.EFFORT,
)
