"""Theorem 3.2: at low temperatures a state-regularized network is a DFA, where there is no tie."""

from __future__ import annotations

from fractions import Fraction

import flint
from hypothesis import given, settings
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.comparisons import Exact
from ratproof.evidence import evidence
from ratproof.invariant_boxes import decide_by_boxes
from ratproof.ledger import ledger
from theory.registry import claim_named
from theory.state_regularized.shared.mixtures import ball, distribution

CLAIM = "theorem-3.2"
BY_AUTOMATA = ("corrected", "corrected-bound", "corrected-eq-4", "printed")
BITS = 128


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_network_follows_its_dfa(variant, data):
    """Random integer networks, at every prefix of random strings: in exact fractions, and mixtures in
    balls.
    """
    ladder.sampled(CLAIM, variant, data, most=20, run=12)


@evidence(CLAIM, kind="sampled", variants=("corrected-bound",))
@given(
    st.lists(st.fractions(-20, 20, max_denominator=50), min_size=2, max_size=6),
    st.fractions("1/50", 20, max_denominator=50),
)
def test_no_softmax_is_below_the_bound(scores, temperature):
    """Any scores and any temperature, in balls: alpha_M >= 1 / (1 + (k - 1) exp(-margin / tau)), never surely
    less.
    """
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
    """In exact fractions: one transition weighs 1 / (1 + (k - 1) 2^(-m margin)), all weights are at least 0,
    and alpha is the softmax's.
    """
    second, greatest = sorted(case.b["a"])[-2:]
    (automaton,) = claim_named(CLAIM).variant("corrected-bound").construction(case)
    (bound, zero), (rest, alpha) = automaton.matrix("a").tolist()
    assert bound == 1 / (1 + (case.n - 1) * Fraction(2) ** -int(case.m * (greatest - second)))
    assert alpha == Fraction(2) ** int(case.m * greatest) / sum(
        Fraction(2) ** int(case.m * b) for b in case.b["a"]
    )
    assert zero == 0 and rest >= 0 and bound > 0
    ledger().add(1)


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The network in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted", variants=(*BY_AUTOMATA, "corrected-eq-5", "without-low-temperature"))
def test_every_string_up_to_length_four(variant):
    """All small integer networks, all strings over one and two letters: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="exhausted", variants=("printed-uniform",))
def test_the_probability_to_follow_falls_below_one_half():
    """All small integer networks at tau = 1 / (4 ln 2), strings of one letter: the shortest on which it
    does.
    """
    ladder.exhausted(CLAIM, claim_named(CLAIM).variant("printed-uniform"), longest=20, letters=1)


@evidence(CLAIM, kind="decided", variants=BY_AUTOMATA)
@settings(max_examples=40)
@given(st.data())
def test_the_network_follows_its_dfa_on_all_strings(variant, data):
    """For random integer networks the law, read as an automaton, is decided to be the constructed one."""
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="decided", variants=("corrected-eq-5",))
@settings(max_examples=100)
@given(claim_named(CLAIM).variant("corrected-eq-5").cases("ab"))
def test_the_mixture_follows_its_dfa_on_all_strings(case):
    """For random integer networks, at the temperature that follows from the weights: boxes that the step
    takes into one another.
    """
    decide_by_boxes(Exact(CLAIM, "corrected-eq-5", case))


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_the_bound(variant):
    """For all scores, k and strings: Omega is (p, p), in an automaton without negative weights, one path of
    which weighs the bound.
    """
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
