"""Mamba's Theorem 1: with a state of size 1, a channel is a gated unit.

This holds if B is discretised as in the paper, but not as in programs.

Gu and Dao 2023, section 3.5.1: with N = 1, A = -1, B = 1 and Delta = softplus(z), where z is a
linear function of the token, h_t = (1 - g) h_{t-1} + g x_t with g = sigmoid(z). This is because
exp(Delta A) = 1 / (1 + e^z), which is 1 - g. With zero-order hold, B becomes (Delta A)^-1
(exp(Delta A) - 1) Delta B = 1 - exp(-Delta), which is g. Programs (state-spaces/mamba) use Delta B
instead, which is softplus(z). This is greater than sigmoid(z) for every z, because Delta > 1 -
exp(-Delta).
"""

from __future__ import annotations

from fractions import Fraction

from theory.claim import LADDER, QUOTED, Claim, Source, Variant
from theory.linear_recurrences import min_gru
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT
from theory.reading import Equality
from theory.weights import Weights

# The weights of one channel: e^z, which gives the gate g = sigmoid(z) (min_gru's z) and the step Delta =
# softplus(z); and x, which min_gru calls u. If 1 + e^z is 2^n, Delta is n log 2. Delta is counted in units of
# log 2, so that exp(Delta A) is a power of 2.

A = -1


def softplus(w: Weights, x: str) -> Fraction:
    """Return Delta = log(1 + e^z), in units of log 2."""
    return Fraction((1 + w.e_z[x]).numerator.bit_length() - 1)


CASES = records.unit(
    "h_0 minus | e_z z Delta u decay held",
    only={"e_z": (1, 3, 7)},
    derived={
        "z": lambda w, x: w.e_z[x] / (1 + w.e_z[x]),
        "Delta": softplus,
        "decay": lambda w, x: Fraction(2) ** (w.Delta[x] * A),
        "held": lambda w, x: (w.decay[x] - 1) / (w.Delta[x] * A) * w.Delta[x],
    },
)


def channel(b: str) -> AffineLayer:
    """Return the layer h <- exp(Delta A) h + b x, where b is the discretised B."""
    return AffineLayer(
        step=lambda t, j: t.decay * t.h + getattr(t, b) * t.u,
        update=lambda t, j: getattr(t, b) * t.u,
        decay=lambda t, j: t.decay,
        parts=("h",),
    )


HELD, SIMPLIFIED = channel("held"), channel("Delta")

CLAIM = Claim(
    name="mamba-theorem-1",
    title="a gated unit is Mamba with a scalar state",
    statement=(
        "With N = 1, A = -1, B = 1 and Delta = softplus(z), the state h_t = exp(Delta A) h_{t-1} + B_t x_t"
        " of Mamba is the gated unit h_t = (1 - g) h_{t-1} + g x_t, where g = sigmoid(z), and therefore an"
        " automaton with two states."
    ),
    source=Source("gu2023mamba", "3.5.1", "Theorem 1", ("2", "4")),
    hypotheses=(
        "z is a function of only the token: there is one layer over embeddings, without a convolution.",
        FIRST_UNIT,
        "B is discretised with zero-order hold.",
        (
            "In the exact cases 1 + e^z is a power of 2, and Delta is measured in units of log 2. Because"
            " log 2 is irrational, a rational number of these units other than 0 is irrational, so values"
            " that differ in these units are different."
        ),
    ),
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says=(
                "as printed, with the zero-order hold of equation 4: a gated unit's automaton, with a loop of"
                " 1 - g and an entry of g x"
            ),
            reading=Equality(recurrence=HELD.recurrence, construction=min_gru.LAYER.automata),
            cases=CASES.random,
            small_cases=CASES.small,
            kinds=LADDER,
            without={
                "proved": (
                    "(Delta A)^-1 Delta = -1 is about quotients, which the numbers of the invariant do not"
                    " support; the rest is the proof of min-gru"
                )
            },
            theorem=records.theorem(
                "mamba_theorem_1",
                "",
                network=(
                    "mamba_one_unit {h_0} {decay} (fun x => @held {over} {divide} {minus} {minus} ({decay} x)"
                    " ({Delta} x)) {u} {word}"
                ),
                automaton="min_gru_automaton {minus} {h_0} {z} {u}",
                claims=(
                    "forall (F : fieldType) (S : Type) (h_0 : of_ring F) (z Delta u : S -> of_ring F),"
                    " (forall x, Delta x != 0%R :> F) -> let over := of_ring F in let"
                    " divide := @quotient F in"
                    " let minus := minus_one F in let decay := fun x => plus one (times minus (z x)) in"
                    " forall word, {automaton} = {network}"
                ),
                values=lambda w: {**w.entries, "divide": "Qcdiv"},
            ),
        ),
        records.corrected(
            SIMPLIFIED,
            CASES,
            "as programmed, with Delta B instead of the discretised B: another automaton with two states",
            theorem=records.theorem(
                "mamba_theorem_1", "h_0 decay Delta u", "mamba_one_unit", name="mamba_theorem_1_as_programmed"
            ),
            name="corrected-as-programmed",
            layers=("mamba-scalar-as-programmed",),
        ),
        records.refuted(
            "without-zero-order-hold",
            "the automaton of a gated unit for the program, which uses Delta B: for z = 0 and x = 1 the"
            " first token gives log 2, the unit of Delta here, instead of 1/2",
            SIMPLIFIED,
            min_gru.LAYER,
            CASES,
        ),
    ),
    differences=(
        "The convolution is left out: z is a function of one token.",
        (
            "The paper states the equality with a gated unit. That this is an automaton with two"
            " states is ours."
        ),
        (
            "In the exact cases, 1 + e^z is a power of 2. Delta is measured in units of log 2, which"
            " decides equality, because log 2 is irrational."
        ),
        (
            "The variant corrected-as-programmed is about programs, which discretise B as Delta B;"
            " the theorem is false for it."
        ),
        QUOTED,
    ),
    example=CASES.example(),
    uses=("min-gru", "mamba"),
    layers=("mamba-scalar",),
    effort=records.EFFORT,
)
