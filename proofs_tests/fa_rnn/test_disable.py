"""Rules are taken out, and every other rule keeps its score."""

from __future__ import annotations

from hypothesis import given

from theory.fa_rnn import disable
from theory.registry import claim_named

CLAIM = "fa-rnn-disable"


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
