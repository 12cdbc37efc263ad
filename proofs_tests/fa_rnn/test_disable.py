"""Tests that removing rules preserves the score of every other rule."""

from hypothesis import given

from theory.fa_rnn import disable
from theory.registry import claim_named

CLAIM = "fa-rnn-disable"


@given(claim_named(CLAIM).variant("corrected-untrained").cases("ab"))
def test_before_training_a_disabled_rule_leaves_no_states(case):
    """The condition removes all of its states if no transition connects the rules."""
    assert not {q for q in range(case.n) if disable.owned(case, q) == disable.DISABLED} & disable.corrected(
        case
    )


@given(claim_named(CLAIM).variant("corrected").cases("ab"))
def test_only_states_that_another_rule_needs_remain(case):
    """From each remaining state of the rule a path leads to a final state of the other rule."""
    kept = disable.corrected(case)
    for q in kept:
        if disable.owned(case, q) == disable.DISABLED:
            assert any(case.alpha_inf[r] for r in disable.reaching(case, {q}, forwards=True))
