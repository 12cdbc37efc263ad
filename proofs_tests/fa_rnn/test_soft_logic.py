"""Tests that soft logic on clamped counts is decided for all strings, and that mutations are found to
differ.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.breaks import FIRST_CASES
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.rungs.decision import decide
from theory.fa_rnn import soft_logic
from theory.reading import Clamped
from theory.registry import claim_named

CLAIM = claim_named("fa-rnn-soft-logic")
DECIDED = ("corrected", "corrected-nested")


def decided(name, monkeypatch, **parts):
    """Return a function that runs the decided evidence for a variant with replaced parts."""
    variant = CLAIM.variant(name)
    broken = variant.changed(**{part: change(variant.part(part)) for part, change in parts.items()})
    monkeypatch.setattr(
        "ratproof.implementations.exact.claim_named", lambda _: replace(CLAIM, variants=(broken,))
    )

    @settings(FIRST_CASES, max_examples=60)
    @given(st.data())
    def run(data):
        decide(ExactComparison(CLAIM.name, name, data.draw(variant.cases("ab"))))

    run()


def with_shown(shown):
    return lambda recurrence: Clamped.of(recurrence.start, recurrence.step, recurrence.scores, shown)


def without_a_clause(w, bits):
    return (soft_logic.formula(w.clauses[1:], bits),)


def all_positive(w, bits):
    clauses = tuple(tuple(map(abs, row)) for row in w.clauses)
    return (soft_logic.formula(clauses, bits),)


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.parametrize("shown", [without_a_clause, all_positive])
def test_another_formula_is_decided_to_differ(name, shown, monkeypatch):
    with pytest.raises(Disagreement):
        decided(name, monkeypatch, recurrence=with_shown(shown))


@pytest.mark.parametrize("name", DECIDED)
def test_the_readout_is_a_function_of_the_clamped_scores(name):
    recurrence = CLAIM.variant(name).reading.recurrence
    other = replace(recurrence, out=lambda w, h: (7,))
    case = CLAIM.example
    assert other.out(case, other.start(case)) == recurrence.out(case, recurrence.start(case)) != (7,)
