"""RG-LRU: each unit as an automaton, with two states as printed and with three as programmed.

De et al. 2024, section 2.4: h_t = a_t o h_{t-1} + sqrt(1 - a_t^2) o (i_t o x_t). The published
program omits the root at a document's first token, so that this token is not scaled, and clears the
state before it.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from automata.wfsa import WFSA
from theory.claim import PROVED, Claim, Source, Variant
from theory.induction import ONE_LETTER, Induction
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, TOKENS, UNIT_DIFFERENCES
from theory.reading import Equality, Recurrence
from theory.weights import Weights

# The weights of one unit: a, the scale m = sqrt(1 - a^2), and i x. They are derived from a rational t from 0
# to 1: (a, m) is the point 2t / (1 + t^2), (1 - t^2) / (1 + t^2) of the circle, so that m is rational.

NAMES = "h_0 | t a m ix"
ONLY = {"t": ("1/2", 1, 0, "1/3", "2/3", "1/5")}
DERIVED = {
    "a": lambda w, x: 2 * w.t[x] / (1 + w.t[x] ** 2),
    "m": lambda w, x: (1 - w.t[x] ** 2) / (1 + w.t[x] ** 2),
}
CASES = records.unit(NAMES, only=ONLY, derived=DERIVED)
AT_ZERO = records.unit(NAMES, only={**ONLY, "h_0": (0,)}, derived=DERIVED)


# The recurrence, as printed.


def root(w: Weights, x: str) -> Fraction:
    """Return sqrt(1 - a^2), which is rational here."""
    square = 1 - w.a[x] ** 2
    return Fraction(isqrt(square.numerator), isqrt(square.denominator))


LAYER = AffineLayer(
    step=lambda t, j: t.a * t.h + t.m * t.ix,  # as printed
    update=lambda t, j: t.m * t.ix,
    decay=lambda t, j: t.a,
    parts=("h",),
    printed={"m": root},
)


# As programmed: the first token is not scaled.

FIRST, LATER = "first", "later"


def step_as_programmed(w: Weights, state: Any, x: str) -> Any:
    """Return the next state, as programs compute it: the mode, and the unit's value.

    The first token clears the state, so the value is i x. Later tokens use the printed update.
    """
    mode, h = state
    return LATER, (LAYER.next(w, h, x) if mode == LATER else (w.ix[x],))


as_programmed = Recurrence(
    start=lambda w: (FIRST, (w.h_0,)), step=step_as_programmed, out=lambda w, state: state[1], modes=True
)


def three_states(w: Weights) -> list[WFSA]:
    """Return the automaton with a state before the first token, a state for 1 after it, and a state for h."""
    k = w.over
    tables = {
        x: [[k.zero, k.one, w.ix[x]], [k.zero, k.one, w.m[x] * w.ix[x]], [k.zero, k.zero, w.a[x]]]
        for x in w.alphabet
    }
    return [WFSA(k, [k.one, k.zero, w.h_0], [k.zero, k.zero, k.one], tables)]


CLAIM = Claim(
    name="rg-lru",
    title="a unit of the RG-LRU is an automaton",
    statement=(
        "A unit of the RG-LRU, h_t = a_t h_{t-1} + sqrt(1 - a_t^2) (i_t x_t), is the Forward score of an"
        " automaton with two states; with an unscaled first token, as in programs, with three."
    ),
    source=Source("de2024griffin", "2.4", "RG-LRU", ("4",)),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is omitted.",
        FIRST_UNIT,
        (
            "In the exact cases a is 2t / (1 + t^2) with a rational t, so that the root sqrt(1 - a^2) is"
            " rational. The proofs take any number for the root."
        ),
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "as printed: the automaton with the states 1 and h",
            records.theorem("rg_lru", "h_0 a m ix", "{}_unit"),
        ),
        Variant(
            name="corrected-as-programmed",
            layers=("rg-lru-as-programmed",),
            expected="holds",
            says="with the first token not scaled: there is one more state, for the start of the string",
            reading=Equality(recurrence=as_programmed, construction=three_states),
            cases=AT_ZERO.random,
            small_cases=AT_ZERO.small,
            kinds=PROVED,
            proof=Induction(
                says="the Forward vector is (1, 0, h) before the first token, and (0, 1, h) after it",
                invariant=lambda w, state, unit: (
                    (w.over.one, w.over.zero, *state[1])
                    if state[0] == FIRST
                    else (w.over.zero, w.over.one, *state[1])
                ),
                states=lambda w, variable: [(FIRST, (w.h_0,)), (LATER, (variable("h"),))],
                instances=((AT_ZERO, "a"),),
                enough=ONE_LETTER,
            ),
            theorem=records.theorem(
                "rg_lru",
                "h_0 a m ix",
                "programmed_rg_lru",
                name="rg_lru_as_programmed",
                hypotheses=("{h_0} = zero",),
            ),
        ),
        records.refuted(
            "without-first-scale",
            "the automaton of the printed recurrence for the program, which does not scale the first token",
            as_programmed,
            LAYER,
            AT_ZERO,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "The convolution before the recurrence is left out, and a and i are any functions of the"
            " token, in place of gates of its vector."
        ),
        "In the exact cases, a is 2t / (1 + t^2). In the proofs, the root sqrt(1 - a^2) is any number.",
        (
            "The variant corrected-as-programmed is about the published program, whose first token is"
            " not scaled."
        ),
    ),
    example=CASES.example(),
    uses=("proposition-7",),
    layers=("rg-lru",),
    layers_are_cases=False,
    effort=records.EFFORT,
)
