"""S4D: 2 N + 2 states for N pairs of conjugate numbers.

Gu et al. 2022: a diagonal state-space model after its discretisation, x_k = A x_{k-1} + B u_k,
whose numbers come in conjugate pairs of which one is kept: the output is 2 Re(C x_k) + D u_k.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theory.claim import Claim, Source
from theory.linear_recurrences import lru
from theory.linear_recurrences.shared.affine import Reading
from theory.linear_recurrences.shared.hypotheses import LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import EFFORT, corrected, refuted

# The recurrence of LRU, whose output has the other number of each pair, too.


def doubled(of: Any, value: Any) -> Any:
    """A number and itself."""
    return of.plus(value, value)


READING = Reading(
    printed=lambda of: of.plus(doubled(of, lru.real_part(of)), of.at("Du")),
    weight=lambda of, p, i: doubled(of, lru.READING.weight(of, p, i)),
    skip=lambda of: of.at("Du"),
)
LAYER = replace(lru.LAYER, reading=READING)

CLAIM = Claim(
    name="s4d",
    title="S4D is an automaton",
    statement=(
        "The output 2 Re(C x_k) + D u_k of S4D with N conjugate pairs, x_k = A x_{k-1} + B u_k with A"
        " diagonal, is the Forward score of an automaton with 2 N + 2 states and real weights."
    ),
    source=Source("gu2022parameterization", "", "S4D"),
    hypotheses=(
        TOKENS,
        "The layer starts in x_0 = 0, or the automaton has x_0 among its initial weights.",
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            lru.CASES,
            "the automaton with 2 N + 2 states: 1, real and imaginary parts, and the output",
            theorem=theorem("s4d", f"s4d_output {lru.TERMS} {{word}}", f"s4d_automaton {lru.TERMS}"),
        ),
        refuted(
            "without-conjugates",
            "the automaton of LRU, which reads one number of each conjugate pair",
            LAYER.recurrence,
            lru.LAYER.automata,
            lru.CASES,
        ),
    ),
    example=lru.CLAIM.example,
    uses=("lru",),
    effort=EFFORT,
)
