"""minGRU: two states a unit.

Feng et al. 2024: h_t = (1 - z_t) o h_{t-1} + z_t o h~_t, where z_t and h~_t read the token
alone. Its log-space listing, as programs have it that follow it (lbaierreinio/min-gru-transformers), takes
g(h~) for h~, where g(x) is x + 1/2 for x >= 0 and else sigmoid(x), and starts the scan at g(h_0); step by
step it is (1 - z) h + z g(h~) from h_0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import EFFORT, MINUS, corrected, refuted
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

# The weights of one unit: the gate z and the candidate h~ as functions of the token.

CASES = Signature((constant("h_0"), MINUS, by_symbol("z"), by_symbol("u")), most_small=400)


# The recurrence, as printed: (1 - z) h + z u, with u for h~.


def kept(of: Any, j: Any) -> Any:
    """1 - z."""
    return of.plus(of.one, of.times(of.at("minus"), of.at("z", j)))


def update(of: Any, part: str, j: Any) -> Any:
    """z u."""
    return of.times(of.at("z", j), of.at("u", j))


LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(kept(of, j), of.at("h", j)), update(of, part, j)),
    update=update,
    decay=lambda of, p, q, j: kept(of, j),
    parts=("h",),
    alone=True,
)
# In log space: of h~ and of the first state, g. Those that are drawn are not negative, where g is rational; a
# proof takes any number for g.

NOT_NEGATIVE = (0, "1/2", 1, 2)


def g(x: Fraction) -> Fraction:
    """x + 1/2, for x that is not negative."""
    return x + Fraction(1, 2)


LOG_CASES = Signature(
    (
        constant("first", only=NOT_NEGATIVE),
        MINUS,
        by_symbol("z"),
        by_symbol("u", only=NOT_NEGATIVE),
        constant("h_0", derived=lambda w: g(w.first)),
        by_symbol("g_u", derived=lambda w, x: g(w.u[x])),
    ),
    most_small=400,
)


def update_in_log_space(of: Any, part: str, j: Any) -> Any:
    """z g(u)."""
    return of.times(of.at("z", j), of.at("g_u", j))


IN_LOG_SPACE = replace(
    LAYER,
    step=lambda of, part, j: of.plus(of.times(kept(of, j), of.at("h", j)), update_in_log_space(of, part, j)),
    update=update_in_log_space,
)
STEP_BY_STEP = replace(IN_LOG_SPACE.recurrence, start=lambda w: (w.first,))
SWAPPED = replace(LAYER, decay=lambda of, p, q, j: of.at("z", j))

CLAIM = Claim(
    name="min-gru",
    title="a unit of minGRU is a two-state automaton",
    statement=(
        "A unit of minGRU, h_t = (1 - z_t) h_{t-1} + z_t u_t with u the candidate, is the Forward score of"
        " an automaton with two states."
    ),
    source=Source("feng2024were", "", "minGRU"),
    hypotheses=(TOKENS, FIRST_UNIT),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with the states 1 and h, which loops with 1 - z",
            theorem=theorem(
                "min_gru",
                "min_gru_unit {minus} {h_0} {z} {u} {word}",
                "min_gru_automaton {minus} {h_0} {z} {u}",
            ),
        ),
        corrected(
            IN_LOG_SPACE,
            LOG_CASES,
            "the listing in log space: the automaton with g(u) for u, and g(h_0) among its initial weights",
            theorem=theorem(  # of the weights, which are values of g already
                "min_gru",
                "min_gru_log_unit {minus} id {h_0} {z} {g_u} {word}",
                "min_gru_log_automaton {minus} id {h_0} {z} {g_u}",
                name="min_gru_in_log_space",
            ),
            name="corrected-in-log-space",
        ),
        refuted(
            "without-first-state-in-log-space",
            "that automaton for the same layer step by step, which starts at h_0 and not at g(h_0)",
            STEP_BY_STEP,
            IN_LOG_SPACE.automata,
            LOG_CASES,
        ),
        refuted(
            "without-candidate-in-log-space",
            "the automaton with the candidate itself for the listing in log space, which has g of it",
            IN_LOG_SPACE.recurrence,
            LAYER.automata,
            LOG_CASES,
        ),
        refuted(
            "without-complement",
            "an automaton that loops with z, where the layer keeps 1 - z (GRUs are written both ways)",
            LAYER.recurrence,
            SWAPPED.automata,
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
            "u": {"a": Fraction(3), "b": Fraction(-1)},
        },
    ),
    uses=("proposition-7",),
    effort=EFFORT,
)
