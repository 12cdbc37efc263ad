"""RRNN(B): ``c_t = f_t c_{t-1} + (1 - f_t) W_u v_t`` is the score of B."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.neural.equations import agree_with_equations
from ratproof.rungs import ladder, network_ladder
from ratproof.runner.evidence import evidence
from theory.registry import claim_named

CLAIM = "model-b"
CORRECTED = claim_named(CLAIM).variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_the_score_of_figure_1_in_exact_fractions(variant, data):
    """``c_t = B[x_:t]`` for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_torch_layer_is_its_automata(dtype, device, data):
    """Every unit of the fast layer stays within the derived rounding bound of the automaton that it reads
    itself off as.
    """
    network_ladder.sampled(CLAIM, CORRECTED, "rrnn-b", dtype, device, data)


@evidence(CLAIM, kind="decided", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_gates_of_a_torch_layer_make_its_automata_on_all_strings(dtype, device, data):
    """For the float weights of a torch module: the claim's recurrence with the gates that it computes, each
    the fraction that it is.
    """
    network_ladder.decided(CLAIM, CORRECTED, "rrnn-b", dtype, device, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@settings(max_examples=40)
@given(st.data())
def test_the_gates_of_the_torch_layer_are_those_of_the_paper(data):
    """The paper's equations, written out once more, against the layer's automata: the layer and they share
    their gates.
    """
    agree_with_equations(CLAIM, "rrnn-b", "float64", data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_five(variant):
    """All small weights, all strings over one and two letters: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=5)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_the_unit_is_the_score_of_figure_1_on_all_strings(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed
    one.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for all weights and strings: Omega is (1, c)."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
