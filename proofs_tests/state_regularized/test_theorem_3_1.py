"""Theorem 3.1: a network that samples its centroids is a probabilistic automaton."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratproof.rungs import ladder, network_ladder
from ratproof.runner.evidence import evidence
from theory.registry import claim_named

CLAIM = "theorem-3.1"
CORRECTED = claim_named(CLAIM).variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_law_of_the_run_is_forward_in_exact_fractions(variant, data):
    """How probable each centroid is after a string, for random integer networks, at every prefix, without
    rounding.
    """
    ladder.sampled(CLAIM, variant, data, most=20, run=8)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("layer", network_ladder.LAYERS, ids="-".join)
@settings(max_examples=network_ladder.EXAMPLES)
@given(st.data())
def test_runs_of_the_torch_layer_end_where_the_automaton_says(layer, device, data):
    """Sampled runs of a torch layer: any false alarm one time in a million, a probability off by 0.052 found
    999 times in 1,000.

    Chernoff's bound, for each string and centroid, divided among all the tests that are made
    (:mod:`ratproof.sides.chernoff`). And the alpha of every step is, float for float, what the cell says when
    it is asked at the centroid that the run is at.
    """
    network_ladder.sampled_runs(CLAIM, CORRECTED, *layer, device, data)


@evidence(CLAIM, kind="cross-checked")
@settings(max_examples=40)
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The law in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_three(variant):
    """All small integer networks, all strings over one and two letters: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=3)


@evidence(CLAIM, kind="decided")
@settings(max_examples=40)
@given(st.data())
def test_the_law_is_forward_on_all_strings(variant, data):
    """For random integer networks the law, read as an automaton, is decided to be the extracted one."""
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """For every memory-less cell, k and string: Omega is the law."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
