"""RG-LRU: two states a unit as printed, three as it is programmed.

De et al. 2024, section 2.4: h_t = a_t o h_{t-1} + sqrt(1 - a_t^2) o (i_t o x_t). The published program leaves
the root out at a document's first token, so that this one is not scaled, and clears the state before it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import PROVED, Claim, Source, Variant
from theory.induction import ONE_LETTER, Induction
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import EFFORT, corrected, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

# The weights of one unit: a, the scale m, which is sqrt(1 - a^2), and i x; m may be any number.

CASES = Signature((constant("h_0"), by_symbol("a"), by_symbol("m"), by_symbol("ix")), most_small=400)
AT_ZERO = replace(CASES, entries=(constant("h_0", only=(0,)), *CASES.entries[1:]))


# The recurrence, as printed.


def update(of: Any, part: str, j: Any) -> Any:
    """m (i x)."""
    return of.times(of.at("m", j), of.at("ix", j))


LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(of.at("a", j), of.at("h", j)), update(of, part, j)),
    update=update,
    decay=lambda of, p, q, j: of.at("a", j),
    parts=("h",),
    alone=True,
)


# As programmed: the first token is not scaled.

FIRST, LATER = "first", "later"


def step_as_programmed(w: Weights, state: Any, x: str) -> Any:
    """i x for the first token, before which the state is cleared, then as printed."""
    mode, h = state
    return LATER, (LAYER.next(w, h, x) if mode == LATER else (w.ix[x],))


as_programmed = Recurrence(
    start=lambda w: (FIRST, (w.h_0,)), step=step_as_programmed, out=lambda w, state: state[1], modes=True
)


def three_states(w: Weights) -> list[WFSA]:
    """A state before the first token, the state 1 after it, and h."""
    k = w.over
    tables = {}
    for x in w.alphabet:
        of = LAYER.at(w, x)
        tables[x] = [[k.zero, k.one, w.ix[x]], [k.zero, k.one, update(of, "h", 1)], [k.zero, k.zero, w.a[x]]]
    return [WFSA(k, [k.one, k.zero, w.h_0], [k.zero, k.zero, k.one], tables)]


CLAIM = Claim(
    name="rg-lru",
    title="a unit of the RG-LRU is an automaton",
    statement=(
        "A unit of the RG-LRU, h_t = a_t h_{t-1} + sqrt(1 - a_t^2) (i_t x_t), is the Forward score of an"
        " automaton with two states; with the first token not scaled, as it is programmed, with three."
    ),
    source=Source("de2024griffin", "2.4", "RG-LRU", ("4",)),
    hypotheses=(
        TOKENS,
        "The convolution before the recurrence is left out.",
        FIRST_UNIT,
        "The root sqrt(1 - a^2) is a number of its own, which may be any.",
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "as printed: the automaton with the states 1 and h",
            theorem=theorem(
                "rg_lru", "rg_lru_unit {h_0} {a} {m} {ix} {word}", "rg_lru_automaton {h_0} {a} {m} {ix}"
            ),
        ),
        Variant(
            name="corrected-as-programmed",
            expected="holds",
            says="with the first token not scaled: a state for the string's start besides",
            reading=Equality(recurrence=as_programmed, construction=three_states),
            cases=AT_ZERO.random,
            small_cases=AT_ZERO.small,
            kinds=PROVED,
            proof=Induction(
                says="Forward's vector is (1, 0, h) before the first token, and (0, 1, h) after it",
                invariant=lambda w, state, unit: (
                    (w.over.one, w.over.zero, *state[1])
                    if state[0] == FIRST
                    else (w.over.zero, w.over.one, *state[1])
                ),
                states=lambda w, variable: [(FIRST, (w.h_0,)), (LATER, (variable("h"),))],
                instances=((AT_ZERO, "a"),),
                enough=ONE_LETTER,
            ),
            theorem=theorem(
                "rg_lru",
                "programmed_rg_lru {h_0} {a} {m} {ix} {word}",
                "programmed_rg_lru_automaton {h_0} {a} {m} {ix}",
                name="rg_lru_as_programmed",
                given=("{h_0} = zero",),
            ),
        ),
        refuted(
            "without-first-scale",
            "the automaton of the printed recurrence for the program, which does not scale the first token",
            as_programmed,
            LAYER.automata,
            AT_ZERO,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": Fraction(0),
            "a": {"a": Fraction(3, 5), "b": Fraction(4, 5)},
            "m": {"a": Fraction(4, 5), "b": Fraction(3, 5)},
            "ix": {"a": Fraction(2), "b": Fraction(-1)},
        },
    ),
    uses=("proposition-7",),
    effort=EFFORT,
)
