"""The check of the lower bound on a softmax in the proof of Theorem 3.2 (Wang & Niepert 2019)."""

from __future__ import annotations

from fractions import Fraction

import flint
from hypothesis import strategies as st

from ratproof.evidence.ledger import ledger
from ratproof.ladder.written.check import Inputs, WrittenCheck, drawn
from theory.registry import claim_named
from theory.state_regularized.shared.mixtures import ball, distribution

CLAIM, VARIANT = "theorem-3.2", "corrected-bound"
FILE = "proofs_tests/state_regularized/test_theorem_3_2.py"
BITS = 128
_SCORES = st.lists(st.fractions(-20, 20, max_denominator=50), min_size=2, max_size=6)
_TEMPERATURES = st.fractions("1/50", 20, max_denominator=50)


def no_softmax_is_below_the_bound(inputs: Inputs, data: st.DataObject) -> None:
    """Assert in ball arithmetic that the largest probability of a softmax is not provably below its bound.

    For k scores and temperature tau, the bound is 1 / (1 + (k - 1) exp(-margin / tau)), where the margin is
    the difference of the two largest scores. Scores and temperatures are arbitrary.
    """
    scores, temperature = data.draw(_SCORES), data.draw(_TEMPERATURES)
    with flint.ctx.workprec(BITS):
        second, greatest = sorted(scores)[-2:]
        alpha = distribution(tuple(map(ball, scores)), 1 / ball(temperature))[scores.index(greatest)]
        bound = 1 / (1 + (len(scores) - 1) * (-ball(greatest - second) / ball(temperature)).exp())
        assert not alpha < bound
        # a wide ball or NaN is never provably less
        ledger().add(
            int(all(side.is_finite() and side.rel_accuracy_bits() > BITS // 2 for side in (alpha, bound)))
        )


def automaton_has_the_bound_and_nothing_negative(inputs: Inputs, data: st.DataObject) -> None:
    """Assert in exact fractions that the claim's automaton has the bound and the softmax as weights.

    For k scores, the bound is 1 / (1 + (k - 1) 2^(-m margin)), where the margin is the difference of the two
    largest scores. No weight may be negative.
    """
    variant = claim_named(CLAIM).variant(VARIANT)
    case = data.draw(variant.cases("a"))
    second, greatest = sorted(case.b["a"])[-2:]
    (automaton,) = variant.reading.construction(case)
    (bound, zero), (rest, alpha) = automaton.matrix("a").tolist()
    assert bound == 1 / (1 + (case.n - 1) * Fraction(2) ** -int(case.m * (greatest - second)))
    assert alpha == Fraction(2) ** int(case.m * greatest) / sum(
        Fraction(2) ** int(case.m * b) for b in case.b["a"]
    )
    assert zero == 0 and rest >= 0 and bound > 0
    ledger().add(1)


CHECKS = tuple(
    WrittenCheck(
        CLAIM,
        "sampled",
        (VARIANT,),
        f"{FILE}::{test}",
        drawn(f"{CLAIM} {VARIANT} {body.__name__}", body),
        draws=True,
        runs_torch=False,
    )
    for test, body in {
        "test_no_softmax_is_below_the_bound": no_softmax_is_below_the_bound,
        "test_the_automaton_has_the_bound_and_nothing_negative": automaton_has_the_bound_and_nothing_negative,
    }.items()
)
