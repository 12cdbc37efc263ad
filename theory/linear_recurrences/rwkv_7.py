"""RWKV-7 (Goose): K + 2 states.

Peng et al. 2025, section 4.1: wkv_t = wkv_{t-1} (diag(w_t) - kappa_t^T (a_t o kappa_t)) + v_t^T k_t, and the
output wkv_t r_t^T: a number of wkv's row is erased by a kappa, and what is erased is read by kappa.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Source
from theory.linear_recurrences.shared.affine import Layer
from theory.linear_recurrences.shared.hypotheses import COLUMN, FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.linear_recurrences.shared.memory import READ, READS_OLD, UPDATE_FIRST, theorem, write
from theory.linear_recurrences.shared.variants import (
    EFFORT,
    MINUS,
    corrected,
    exactly,
    memory,
    narrow,
    refuted,
    sizes,
    vectors,
)
from theory.signature import Signature, by_symbol
from theory.weights import Weights


def weights(k: int) -> Signature:
    """A head's decays w, removal keys kappa, rates a, keys and receptances q, and one number of its"
    " values.
    """
    return memory(MINUS, *vectors("w", "kappa", "a", "k", "q", size=k), by_symbol("v"), size=k)


# The recurrence, as printed, for one row of wkv: w_j s_j - (a_j kappa_j) (sum over i of kappa_i s_i) + k_j v.


def erase(of: Any, j: Any) -> Any:
    """- a_j kappa_j."""
    return of.times(of.at("minus"), of.times(of.at("a", j), of.at("kappa", j)))


def kappa(of: Any, i: Any) -> Any:
    """kappa_i."""
    return of.at("kappa", i)


def step(of: Any, part: str, j: Any) -> Any:
    """The state decays, what kappa reads is erased, and v is written."""
    there = of.sum(lambda i: of.times(kappa(of, i), of.at("s", i)))
    kept = of.plus(of.times(of.at("w", j), of.at("s", j)), of.times(erase(of, j), there))
    return of.plus(kept, write(of, j))


LAYER = Layer(
    step=step,
    update=lambda of, part, j: write(of, j),
    decay=lambda of, p, q, j: of.at("w", j),
    terms=((erase, kappa),),
    reading=READ,
)
TRANSPOSED = replace(LAYER, terms=((kappa, erase),))
CASES = sizes(weights)
SMALL = narrow(weights, small=(2,), q=(0, 1), kappa=(1,), a=(0, 1), k=(0,), v=(0,), w=(0,), s_0=(0, 1))

CLAIM = Claim(
    name="rwkv-7",
    title="RWKV-7 is an automaton",
    statement=(
        "Each number of the output wkv_t r_t^T of a head of RWKV-7, wkv_t = wkv_{t-1} (diag(w_t) - kappa_t^T"
        " (a_t o kappa_t)) + v_t^T k_t, is the Forward score of an automaton with K + 2 states, K the length"
        " of keys."
    ),
    source=Source("peng2025rwkv7", "4.1", "RWKV-7"),
    hypotheses=(
        TOKENS,
        (
            "The shift that mixes a token with the one before it is left out, and so is the bonus, which"
            " reads no state."
        ),
        COLUMN,
        FIRST_STATE,
        NO_TOKENS,
        LINEAR_OUTPUT,
    ),
    variants=(
        corrected(
            LAYER,
            CASES,
            (
                "the automaton with K + 2 states, whose matrix has diag(w) - (a o kappa) kappa^T among the"
                " numbers"
            ),
            theorem=theorem(
                "rwkv_7",
                "rwkv_7_output {s_0} {minus} {w} {kappa} {a} {k} {q} {v} {word}",
                "rwkv_7_automaton {s_0} {minus} {w} {kappa} {a} {k} {q} {v}",
            ),
        ),
        refuted(UPDATE_FIRST, READS_OLD, LAYER.recurrence, LAYER.reading_first(True).automata, CASES),
        refuted(
            "without-order-of-factors",
            "the term of rank one transposed: a o kappa reads, and kappa erases",
            LAYER.recurrence,
            TRANSPOSED.automata,
            CASES,
            SMALL,
        ),
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "s_0": exactly(0, 0),
            "minus": Fraction(-1),
            "w": {"a": exactly(1, "1/2"), "b": exactly(1, 1)},
            "kappa": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "a": {"a": exactly(1, 1), "b": exactly("1/2", 1)},
            "k": {"a": exactly(1, 0), "b": exactly(0, 1)},
            "q": {"a": exactly(1, 0), "b": exactly(1, 1)},
            "v": {"a": Fraction(2), "b": Fraction(-1)},
        },
        ("K", 2),
    ),
    uses=("delta-net",),
    effort=EFFORT,
)
