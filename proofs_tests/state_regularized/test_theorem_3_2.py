"""Theorem 3.2: at low temperatures a state-regularized network is a DFA, where there is no tie."""

from __future__ import annotations

from fractions import Fraction

import flint
from hypothesis import given
from hypothesis import strategies as st

from ratproof.evidence.ledger import ledger
from ratproof.ladder.evidence import evidence
from theory.registry import claim_named
from theory.state_regularized.shared.mixtures import ball, distribution

CLAIM = "theorem-3.2"
BY_AUTOMATA = ("corrected", "corrected-bound", "corrected-eq-4", "printed")
BITS = 128


@evidence(CLAIM, kind="sampled", variants=("corrected-bound",))
@given(
    st.lists(st.fractions(-20, 20, max_denominator=50), min_size=2, max_size=6),
    st.fractions("1/50", 20, max_denominator=50),
)
def test_no_softmax_is_below_the_bound(scores, temperature):
    """In balls: alpha_M >= 1 / (1 + (k - 1) exp(-margin / tau)), never surely less."""
    with flint.ctx.workprec(BITS):
        second, greatest = sorted(scores)[-2:]
        alpha = distribution(tuple(map(ball, scores)), 1 / ball(temperature))[scores.index(greatest)]
        bound = 1 / (1 + (len(scores) - 1) * (-ball(greatest - second) / ball(temperature)).exp())
        assert not alpha < bound
        # balls that are wide, or no number, are never surely less
        ledger().add(
            int(all(side.is_finite() and side.rel_accuracy_bits() > BITS // 2 for side in (alpha, bound)))
        )


@evidence(CLAIM, kind="sampled", variants=("corrected-bound",))
@given(claim_named(CLAIM).variant("corrected-bound").cases("a"))
def test_the_automaton_has_the_bound_and_nothing_negative(case):
    """One transition weighs 1 / (1 + (k - 1) 2^(-m margin)), and no weight is negative."""
    second, greatest = sorted(case.b["a"])[-2:]
    (automaton,) = claim_named(CLAIM).variant("corrected-bound").equality.construction(case)
    (bound, zero), (rest, alpha) = automaton.matrix("a").tolist()
    assert bound == 1 / (1 + (case.n - 1) * Fraction(2) ** -int(case.m * (greatest - second)))
    assert alpha == Fraction(2) ** int(case.m * greatest) / sum(
        Fraction(2) ** int(case.m * b) for b in case.b["a"]
    )
    assert zero == 0 and rest >= 0 and bound > 0
    ledger().add(1)
