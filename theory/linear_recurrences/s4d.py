"""S4D as an automaton with 2 N + 2 states, for N complex conjugate pairs.

Gu et al. 2022: a diagonal state-space model after its discretisation, x_k = A x_{k-1} + B u_k. Its components
form conjugate pairs. Only one component of each pair is stored, so the output is 2 Re(C x_k) + D u_k.
"""

from __future__ import annotations

from dataclasses import replace

from theory.claim import Claim, Source
from theory.linear_recurrences import lru
from theory.linear_recurrences.shared.affine import AtPlace, Output, by_part
from theory.linear_recurrences.shared.hypotheses import UNIT_DIFFERENCES
from theory.linear_recurrences.shared.records import EFFORT, corrected, refuted, theorem

# The recurrence of LRU, with an output that includes the other component of each pair.


def twice(part: str) -> AtPlace:
    """Return twice the weight that the LRU's output has for a part of the state.

    The factor is two because only one component of each conjugate pair is stored.
    """
    weight = by_part(lru.OUTPUT.weight, part)
    return lambda t, i: weight(t, i) + weight(t, i)


DOUBLED = Output(
    printed=lambda t: lru.real_part(t) + lru.real_part(t) + t.Du,
    weight={part: twice(part) for part in lru.LAYER.parts},
    skip=lambda t: t.Du,
)
LAYER = replace(lru.LAYER, reading=DOUBLED)

CLAIM = Claim(
    name="s4d",
    title="S4D is an automaton",
    statement=(
        "The output 2 Re(C x_k) + D u_k of S4D with N conjugate pairs, x_k = A x_{k-1} + B u_k with A"
        " diagonal, is the Forward score of an automaton with 2 N + 2 states and real weights."
    ),
    source=Source("gu2022parameterization", "", "S4D"),
    hypotheses=lru.HYPOTHESES,
    variants=(
        corrected(LAYER, lru.CASES, lru.STATES, theorem("s4d", lru.TERMS)),
        refuted(
            "without-conjugates",
            "the automaton of LRU, which reads only one component of each conjugate pair",
            LAYER,
            lru.LAYER,
            lru.CASES,
        ),
    ),
    differences=(
        *UNIT_DIFFERENCES,
        (
            "The discretised A, B and C are any complex numbers, in real and imaginary parts; how"
            " they follow from a continuous system is left out."
        ),
    ),
    example=lru.CLAIM.example,
    uses=("lru",),
    layers=("s4d",),
    effort=EFFORT,
)
