"""Table 2 on clamped scores is logic."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ratproof.rungs import ladder
from ratproof.runner.evidence import evidence

CLAIM = "fa-rnn-soft-logic"


@evidence(CLAIM, kind="sampled")
@settings(max_examples=40)
@given(st.data())
def test_the_formula_is_what_logic_says_in_exact_fractions(variant, data):
    """For random weights and sentences, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data, most=12, longest=8, run=10)


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The network in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_sentence_up_to_length_four(variant):
    """All small weights, all sentences of one and two words: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@settings(max_examples=40)
@given(st.data())
def test_the_formula_is_what_logic_says_on_all_sentences(variant, data):
    """For random weights the network, read as an automaton, is decided to be the constructed one."""
    ladder.decided(CLAIM, variant, data)
