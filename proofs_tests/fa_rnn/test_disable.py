"""Rules are taken out, and every other rule keeps its score."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ratproof.rungs import ladder
from ratproof.runner.evidence import evidence
from theory.fa_rnn import disable
from theory.registry import claim_named

CLAIM = "fa-rnn-disable"


@evidence(CLAIM, kind="sampled")
@settings(max_examples=100)
@given(st.data())
def test_other_rules_keep_their_scores_in_exact_fractions(variant, data):
    """For random weights and sentences, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data, most=12, longest=8, run=10)


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=500)  # with few strings a case, few cases show that the printed condition is wrong
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The network in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_sentence_up_to_length_four(variant):
    """All small weights, all sentences of one and two words: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@settings(max_examples=100)
@given(st.data())
def test_other_rules_keep_their_scores_on_all_sentences(variant, data):
    """For random weights the network, read as an automaton, is decided to be the constructed one."""
    ladder.decided(CLAIM, variant, data)


@given(claim_named(CLAIM).variant("corrected-untrained").cases("ab"))
def test_before_training_nothing_of_the_rule_is_left(case):
    """The condition takes out all of its states where no transition joins the rules."""
    assert not {q for q in range(case.n) if disable.owned(case, q) == disable.DISABLED} & disable.corrected(
        case
    )


@given(claim_named(CLAIM).variant("corrected").cases("ab"))
def test_what_is_kept_of_the_rule_another_one_needs(case):
    """From each of its states that stay a path leads to a final state of the other rule."""
    kept = disable.corrected(case)
    for q in kept:
        if disable.owned(case, q) == disable.DISABLED:
            assert any(case.alpha_inf[r] for r in disable.reaching(case, {q}, forwards=True))
