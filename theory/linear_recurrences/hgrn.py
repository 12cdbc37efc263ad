"""HGRN: three states for the real and for the imaginary part of a unit.

Qin et al. 2023: h_t = f_t o exp(i theta) o h_{t-1} + (1 - f_t) o c_t with complex c and h, and one
theta for each unit. Without theta a unit is real, and has two states.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import FIRST_UNIT, LINEAR_OUTPUT, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import EFFORT, MINUS, corrected, refuted
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

# The weights of one unit: cos theta and sin theta, and the gate and the candidate of each token.

TURN = (constant("cos"), constant("sin"))
CASES = Signature(
    (constant("re_0"), constant("im_0"), MINUS, *TURN, by_symbol("f"), by_symbol("c_re"), by_symbol("c_im")),
    most_small=400,
)
CASES_REAL = Signature((constant("h_0"), MINUS, by_symbol("f"), by_symbol("c")), most_small=400)
SMALL = replace(
    CASES,
    entries=tuple(
        replace(e, only=(Fraction(0),)) if e.name in ("c_re", "c_im") else e for e in CASES.entries
    ),
)


# The recurrence, as printed, with real and imaginary parts apart.


def written(of: Any, name: str, j: Any) -> Any:
    """(1 - f) c."""
    return of.times(of.plus(of.one, of.times(of.at("minus"), of.at("f", j))), of.at(name, j))


def turned(of: Any, p: str, q: str, j: Any) -> Any:
    """f exp(i theta), from re and im to re and im: f cos, f sin, - f sin, f cos."""
    if p == q:
        return of.times(of.at("f", j), of.at("cos", j))
    sine = of.times(of.at("f", j), of.at("sin", j))
    return sine if q == "im" else of.times(of.at("minus"), sine)


def step(of: Any, part: str, j: Any) -> Any:
    """f (cos + i sin) (re + i im) + (1 - f) (c_re + i c_im)."""
    re, im, cos, sin = (of.at(name, j) for name in ("re", "im", "cos", "sin"))
    if part == "re":
        product = of.plus(of.times(cos, re), of.times(of.at("minus"), of.times(sin, im)))
    else:
        product = of.plus(of.times(sin, re), of.times(cos, im))
    return of.plus(of.times(of.at("f", j), product), written(of, f"c_{part}", j))


LAYER = Layer(
    step=step,
    update=lambda of, part, j: written(of, f"c_{part}", j),
    decay=turned,
    parts=("re", "im"),
    alone=True,
)
REAL_LAYER = Layer(
    step=lambda of, part, j: of.plus(of.times(of.at("f", j), of.at("h", j)), written(of, "c", j)),
    update=lambda of, part, j: written(of, "c", j),
    decay=lambda of, p, q, j: of.at("f", j),
    parts=("h",),
    alone=True,
)
TERMS = "{minus} {re_0} {im_0} {cos} {sin} {f} {c_re} {c_im}"
"""The weights, as Coq's definitions take them."""
BACK = replace(LAYER, decay=lambda of, p, q, j: turned(of, q, p, j))

CLAIM = Claim(
    name="hgrn",
    title="a unit of HGRN is an automaton",
    statement=(
        "The real and the imaginary part of a unit of HGRN, h_t = f_t exp(i theta) h_{t-1} + (1 - f_t) c_t,"
        " are the Forward scores of automata with three states and real weights; without theta two states"
        " do."
    ),
    source=Source("qin2023hierarchically", "", "HGRU"),
    hypotheses=(TOKENS, FIRST_UNIT, LINEAR_OUTPUT),
    variants=(
        corrected(
            LAYER,
            CASES,
            "automata with the states 1, Re h and Im h",
            theorem=theorem(
                "hgrn", f"hgrn_unit {TERMS} {{unit}} {{word}}", f"hgrn_automaton {TERMS} {{unit}}"
            ),
        ),
        corrected(
            REAL_LAYER,
            CASES_REAL,
            "without theta, as later programs have it: the automaton with the states 1 and h",
            theorem=theorem(
                "hgrn",
                "real_hgrn_unit {minus} {h_0} {f} {c} {word}",
                "real_hgrn_automaton {minus} {h_0} {f} {c}",
                name="hgrn_without_theta",
            ),
            name="corrected-without-theta",
        ),
        refuted(
            "without-signs",
            "automata that turn by minus theta",
            LAYER.recurrence,
            BACK.automata,
            CASES,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "re_0": Fraction(0),
            "im_0": Fraction(0),
            "minus": Fraction(-1),
            "cos": Fraction(3, 5),
            "sin": Fraction(4, 5),
            "f": {"a": Fraction(1, 2), "b": Fraction(3, 4)},
            "c_re": {"a": Fraction(2), "b": Fraction(-1)},
            "c_im": {"a": Fraction(0), "b": Fraction(1)},
        },
    ),
    uses=("proposition-7",),
    effort=EFFORT,
)
