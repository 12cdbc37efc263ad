"""Mamba's Theorem 1: with one number in its state a channel is a gated unit, where B is discretised as the
paper does it, and is none where it is discretised as programs do it.

Gu and Dao 2023, section 3.5.1: with N = 1, A = -1, B = 1 and Delta = softplus(z), z a linear
function of the token, h_t = (1 - g) h_{t-1} + g x_t with g = sigmoid(z). For exp(Delta A) = 1 / (1 + e^z),
which is 1 - g, and with zero-order hold B becomes (Delta A)^-1 (exp(Delta A) - 1) Delta B = 1 - exp(-Delta),
which is g. Programs (state-spaces/mamba) take Delta B for it, which is softplus(z), and that is greater than
sigmoid(z) for every z, for Delta > 1 - exp(-Delta).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import LADDER, Claim, Source, Variant
from theory.linear_recurrences import min_gru
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import EFFORT, MINUS, corrected, refuted
from theory.reading import Equality
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

# The weights of one channel: the gate g = 1 - exp(-Delta), a step Delta that is more than g, and x, which
# min_gru calls u. No rational Delta > 0 has a rational exp(-Delta): Delta is a number of its own.

A = -1
GATE, STEP = ("1/2", "1/4"), (1, 2)
CASES = Signature(
    (
        constant("h_0"),
        MINUS,
        by_symbol("z", only=GATE),
        by_symbol("Delta", only=STEP),
        by_symbol("u"),
        by_symbol("decay", derived=lambda w, x: 1 - w.z[x]),
        by_symbol("held", derived=lambda w, x: (w.decay[x] - 1) / (w.Delta[x] * A) * w.Delta[x]),
    ),
    most_small=400,
)


def channel(b: str) -> Layer:
    """h <- exp(Delta A) h + b x, b the discretised B."""

    def update(of: Any, part: str, j: Any) -> Any:
        return of.times(of.at(b, j), of.at("u", j))

    return Layer(
        step=lambda of, part, j: of.plus(of.times(of.at("decay", j), of.at("h", j)), update(of, part, j)),
        update=update,
        decay=lambda of, p, q, j: of.at("decay", j),
        parts=("h",),
        alone=True,
    )


HELD, SIMPLIFIED = channel("held"), channel("Delta")

CLAIM = Claim(
    name="mamba-theorem-1",
    title="a gated unit is Mamba with one number in its state",
    statement=(
        "With N = 1, A = -1, B = 1 and Delta = softplus(z), Mamba's h_t = exp(Delta A) h_{t-1} + B_t x_t is"
        " the gated unit h_t = (1 - g) h_{t-1} + g x_t, g = sigmoid(z), and so an automaton with two states."
    ),
    source=Source("gu2023mamba", "3.5.1", "Theorem 1", ("2", "4")),
    hypotheses=(
        "z is a function of the token alone: one layer over embeddings, without a convolution.",
        FIRST_UNIT,
        "B is discretised with zero-order hold.",
        "The gate g stands for 1 - exp(-Delta), and Delta for any number that is more than it.",
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
                    "that (Delta A)^-1 Delta is -1 is about quotients, which the invariant's numbers have"
                    " not; given that, it is min-gru's proof"
                )
            },
            theorem=theorem(
                "mamba_theorem_1",
                "mamba_one_unit {h_0} {decay} (fun x => @held {over} {divide} {minus} {minus} ({decay} x)"
                " ({Delta} x)) {u} {word}",
                "min_gru_automaton {minus} {h_0} {z} {u}",
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
        corrected(
            SIMPLIFIED,
            CASES,
            "as programmed, with Delta B for the discretised B: another automaton with two states",
            theorem=theorem(
                "mamba_theorem_1",
                "mamba_one_unit {h_0} {decay} {Delta} {u} {word}",
                "mamba_one_automaton {h_0} {decay} {Delta} {u}",
                name="mamba_theorem_1_as_programmed",
            ),
            name="corrected-as-programmed",
        ),
        refuted(
            "without-zero-order-hold",
            "the automaton of a gated unit for the program, which has Delta B: for z = 0 and x = 1 the first"
            " token gives log 2, and not 1/2",
            SIMPLIFIED.recurrence,
            min_gru.LAYER.automata,
            CASES,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": Fraction(0),
            "minus": Fraction(-1),
            "z": {"a": Fraction(1, 2), "b": Fraction(1, 4)},
            "Delta": {"a": Fraction(1), "b": Fraction(1)},
            "u": {"a": Fraction(3), "b": Fraction(-1)},
            "decay": {"a": Fraction(1, 2), "b": Fraction(3, 4)},
            "held": {"a": Fraction(1, 2), "b": Fraction(1, 4)},
        },
    ),
    uses=("min-gru", "mamba"),
    effort=EFFORT,
)
