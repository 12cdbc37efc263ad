"""Extraction: asking the cell gives the DFA; Algorithm 1's counts give it for what the data take, and only by
hard runs.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.evidence import evidence
from theory.registry import claim_named
from theory.state_regularized.extraction import by_counts, hard_run, seen
from theory.state_regularized.shared.limits import transition_table
from theory.weights import Weights

CLAIM = "extraction"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_dfa_is_where_the_network_is(variant, data):
    """Random integer networks, at every prefix of random strings, exactly; counts of soft runs in balls."""
    ladder.sampled(CLAIM, variant, data, most=20, longest=8, run=8)


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The network against OpenFst's scores of the DFAs, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted", variants=("printed-soft-run",))
def test_soft_runs_give_another_table():
    """All small integer networks of two centroids with numbers from -2 to 2, strings of one letter: the
    shortest that shows it.
    """
    ladder.exhausted(CLAIM, claim_named(CLAIM).variant("printed-soft-run"), longest=4, letters=1)


@evidence(CLAIM, kind="exhausted", variants=("corrected", "corrected-seen-pairs", "printed-hard-run"))
def test_every_string_up_to_length_four(variant):
    """All small integer networks, all strings over one and two letters: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@settings(max_examples=40)
@given(st.data())
def test_the_dfa_is_where_the_network_is_on_all_strings(variant, data):
    """For random integer networks the hard run, read as an automaton, is decided to be the extracted one."""
    ladder.decided(CLAIM, variant, data)


def test_a_pair_that_is_never_seen_leads_to_the_first_centroid_as_printed():
    """Of equal counts, here all 0, argmax takes the first. Asked, the second centroid with a leads to
    itself.
    """
    example = claim_named(CLAIM).example
    w = Weights(example.over, example.alphabet, {**example.entries, "longest": Fraction(1)}, example.size)
    assert by_counts(w, hard_run) == {(q, x): 1 for q in (1, 2) for x in "ab"}
    assert set(seen(w, hard_run)) == {(1, "a"), (1, "b")} and transition_table(w)[2, "a"] == 2
