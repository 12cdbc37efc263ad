"""minLSTM: two states a unit.

Feng et al. 2024: f' = f / (f + i), i' = i / (f + i), and h_t = f'_t o h_{t-1} + i'_t o h~_t,
where f, i and h~ read the token alone.
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
from theory.linear_recurrences.shared.variants import EFFORT, corrected, refuted
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

# The weights of one unit: the gates, the candidate u, and the gates normalised, which follow. The automaton
# has them as the listing in log space does: exp(-softplus(d)) and exp(-softplus(-d)) with e^d = i / f.

GATE = (1, "1/2", "1/4", "3/4", "2/3")
CASES = Signature(
    (
        constant("h_0"),
        by_symbol("f", only=GATE),
        by_symbol("i", only=GATE),
        by_symbol("u"),
        by_symbol("f_part", derived=lambda w, x: 1 / (1 + w.i[x] / w.f[x])),
        by_symbol("i_part", derived=lambda w, x: 1 / (1 + w.f[x] / w.i[x])),
    ),
    most_small=400,
)


# The recurrence, as printed: f' h + i' u.


def update(of: Any, part: str, j: Any) -> Any:
    """i' u."""
    return of.times(of.at("i_part", j), of.at("u", j))


LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(of.at("f_part", j), of.at("h", j)), update(of, part, j)),
    update=update,
    decay=lambda of, p, q, j: of.at("f_part", j),
    parts=("h",),
    alone=True,
    printed={
        "f_part": lambda w, x: w.f[x] / (w.f[x] + w.i[x]),
        "i_part": lambda w, x: w.i[x] / (w.f[x] + w.i[x]),
    },
)
NOT_NORMALISED = replace(
    LAYER,
    update=lambda of, part, j: of.times(of.at("i", j), of.at("u", j)),
    decay=lambda of, p, q, j: of.at("f", j),
)

CLAIM = Claim(
    name="min-lstm",
    title="a unit of minLSTM is a two-state automaton",
    statement=(
        "A unit of minLSTM, h_t = f'_t h_{t-1} + i'_t u_t with f' = f / (f + i), i' = i / (f + i) and u the"
        " candidate, is the Forward score of an automaton with two states."
    ),
    source=Source("feng2024were", "", "minLSTM"),
    hypotheses=(
        TOKENS,
        "The gates f and i are normalised, and their sum is not 0: sigmoids are positive.",
        FIRST_UNIT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with the states 1 and h, which loops with f / (f + i)",
            theorem=theorem(
                "min_lstm",
                "min_lstm_unit {h_0} {f_part} {i_part} {u} {word}",
                "min_lstm_automaton {h_0} {f_part} {i_part} {u}",
            ),
        ),
        refuted(
            "without-normalised-gates",
            "the automaton of an LSTM's gates f and i as they are",
            LAYER.recurrence,
            NOT_NORMALISED.automata,
            CASES,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "h_0": Fraction(0),
            "f": {"a": Fraction(1, 2), "b": Fraction(3, 4)},
            "i": {"a": Fraction(1, 2), "b": Fraction(1, 4)},
            "u": {"a": Fraction(3), "b": Fraction(-1)},
            "f_part": {"a": Fraction(1, 2), "b": Fraction(3, 4)},
            "i_part": {"a": Fraction(1, 2), "b": Fraction(1, 4)},
        },
    ),
    uses=("min-gru",),
    effort=EFFORT,
)
