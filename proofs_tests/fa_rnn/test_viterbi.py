"""The Viterbi score is max-times, and no max-plus."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.batch import scores
from automata.strategies import readings
from neural.fa_rnn.network import FARNN
from ratproof import ladder
from ratproof.evidence import evidence
from ratproof.ledger import ledger
from ratproof.network_kinds import DTYPES
from theory.fa_rnn.shared.rules import RULES, boolean

CLAIM = "fa-rnn-viterbi"


@evidence(CLAIM, kind="sampled")
@settings(max_examples=40)
@given(st.data())
def test_it_is_the_greatest_weight_of_a_path(variant, data):
    """For random weights and sentences, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data, most=12, longest=8, run=10)


@evidence(CLAIM, kind="sampled", variants=("corrected-match",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("decomposed", [False, True])
@settings(max_examples=40)
@given(st.data())
def test_the_torch_network_is_one_exactly_on_matches(decomposed, dtype, device, data):
    """Of random rules on random sentences, in one batch: the very numbers, whatever the format."""
    names, sentences = data.draw(readings(most=20, longest=8, run=30))
    rule = boolean(data.draw(RULES.random("abc")).renamed(names))
    network = FARNN.of(rule, scoring="viterbi", decomposed=decomposed, dtype=DTYPES[dtype], device=device)
    with torch.no_grad():
        assert network(sentences)[:, 0].tolist() == [float(value) for value in scores(rule, sentences)]
    ledger().add(len(sentences))


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_matches(variant, data):
    """In exact numbers, against OpenFst's scores of the deterministic automaton."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_sentence_up_to_length_four(variant):
    """All small weights, all sentences of one and two words: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@settings(max_examples=40)
@given(st.data())
def test_it_is_one_exactly_on_matches_on_all_sentences(variant, data):
    """Its vectors are of zeros and ones, so finitely many: read as an automaton, it is decided to be the
    rule's.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, max-times among them, for K = 1 to 4, and with K a symbol."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
