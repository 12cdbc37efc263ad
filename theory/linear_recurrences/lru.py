"""LRU: 2 N + 2 states.

Orvieto et al. 2023, section 3: a diagonal recurrence of N complex numbers, x_k = Lambda x_{k-1} + exp(gamma)
o (B u_k), and the output Re(C x_k) + D u_k; a token u decides B u and D u.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer, Reading
from theory.linear_recurrences.shared.hypotheses import LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import theorem
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    MINUS,
    corrected,
    exactly,
    narrow,
    refuted,
    sizes,
    vectors,
)
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights


def weights(n: int) -> Signature:
    """Lambda (a + ib), gamma B u (p + ir) of each token, C (c + id), and D u of each token."""
    eigen = (constant("a", (n,)), constant("b", (n,)), constant("c", (n,)), constant("d", (n,)))
    first = (constant("re_0", (n,)), constant("im_0", (n,)))
    return Signature(
        (MINUS, *first, *eigen, *vectors("p", "r", size=n), by_symbol("Du")), size=("N", n), most_small=150
    )


# The recurrence, as printed, with real and imaginary parts apart.


def step(of: Any, part: str, j: Any) -> Any:
    """(a + ib) (re + i im) + p + ir."""

    def product(one: str, other: str) -> Any:
        return of.times(of.at(one, j), of.at(other, j))

    if part == "re":
        return of.plus(
            of.plus(product("a", "re"), of.times(of.at("minus"), product("b", "im"))), of.at("p", j)
        )
    return of.plus(of.plus(product("b", "re"), product("a", "im")), of.at("r", j))


def decay(of: Any, p: str, q: str, j: Any) -> Any:
    """From re and im, to re and im: a, b, -b and a."""
    if p == q:
        return of.at("a", j)
    return of.at("b", j) if q == "im" else of.times(of.at("minus"), of.at("b", j))


def real_part(of: Any) -> Any:
    """Re(C x): the sum over i of c_i re_i - d_i im_i."""

    def term(i: Any) -> Any:
        return of.plus(
            of.times(of.at("c", i), of.at("re", i)),
            of.times(of.at("minus"), of.times(of.at("d", i), of.at("im", i))),
        )

    return of.sum(term)


READING = Reading(
    printed=lambda of: of.plus(real_part(of), of.at("Du")),
    weight=lambda of, p, i: of.at("c", i) if p == "re" else of.times(of.at("minus"), of.at("d", i)),
    skip=lambda of: of.at("Du"),
)
LAYER = Layer(
    step=step,
    update=lambda of, part, j: of.at("p" if part == "re" else "r", j),
    decay=decay,
    reading=READING,
    parts=("re", "im"),
)
TERMS = "{minus} {re_0} {im_0} {a} {b} {c} {d} {p} {r} {Du}"
"""The weights, as Coq's definitions take them."""
CONJUGATED = replace(LAYER, decay=lambda of, p, q, j: decay(of, q, p, j))
CASES = sizes(weights)
SMALL = narrow(weights, d=(0,), p=(0,), r=(0,), Du=(0,))

CLAIM = Claim(
    name="lru",
    title="the LRU is an automaton",
    statement=(
        "An output Re(C x_k) + D u_k of the LRU with N complex numbers, x_k = Lambda x_{k-1} + exp(gamma) o"
        " B u_k, is the Forward score of an automaton with 2 N + 2 states and real weights."
    ),
    source=Source("orvieto2023resurrecting", "3", "LRU"),
    hypotheses=(
        TOKENS,
        "The layer starts in x_0 = 0, or the automaton has x_0 among its initial weights.",
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            "the automaton with 2 N + 2 states: 1, real and imaginary parts, and the output",
            theorem=theorem("lru", f"lru_output {TERMS} {{word}}", f"lru_automaton {TERMS}"),
        ),
        refuted(
            "without-signs",
            "the automaton of the conjugate eigenvalues, with -b where b is right",
            LAYER.recurrence,
            CONJUGATED.automata,
            CASES,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "minus": Fraction(-1),
            "re_0": exactly(0),
            "im_0": exactly(0),
            "a": exactly("3/5"),
            "b": exactly("4/5"),
            "c": exactly(1),
            "d": exactly(1),
            "p": {"a": exactly(1), "b": exactly(0)},
            "r": {"a": exactly(0), "b": exactly(1)},
            "Du": {"a": Fraction(0), "b": Fraction(2)},
        },
        ("N", 1),
    ),
    uses=("gla",),
    effort=EFFORT,
)
