"""Equation 4: an undecomposed FA-RNN computes its automaton's Forward score."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.fa_rnn.in_floats import DYADIC, agree_in_floats
from ratproof import ladder
from ratproof.evidence import evidence
from theory.fa_rnn.shared.networks import tensor
from theory.signature import Signature

CLAIM = "fa-rnn-eq-4"


@evidence(CLAIM, kind="sampled")
@settings(max_examples=40)
@given(st.data())
def test_the_recurrence_is_forward_in_exact_fractions(variant, data):
    """``h_N alpha_inf = alpha_0 T[x_1] ... T[x_N] alpha_inf`` for random weights and sentences, at every
    prefix, without rounding.
    """
    ladder.sampled(CLAIM, variant, data, most=12, longest=8, run=10)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@settings(max_examples=40)
@given(st.data())
def test_the_torch_network_is_its_automaton(dtype, device, data):
    """Its scores, in batches of unequal lengths, stay within the derived rounding bound of Forward's."""
    k = data.draw(st.integers(1, 5))
    agree_in_floats(
        CLAIM, "corrected", Signature(tensor(k, DYADIC), size=("K", k)), "tensor", dtype, device, data
    )


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The network in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_sentence_up_to_length_four(variant):
    """All small weights, K = 1 and 2, all sentences of one and two words: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@settings(max_examples=40)
@given(st.data())
def test_the_recurrence_is_forward_on_all_sentences(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed
    one.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every semiring, for K = 1 to 4, and with K a symbol."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
