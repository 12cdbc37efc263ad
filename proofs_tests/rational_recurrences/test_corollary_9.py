"""Corollary 9: the recurrence of Example 6 is rational: d units, d automata, every string."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratproof.papers.not_rational.refutation import refute
from ratproof.rungs import ladder, network_ladder
from ratproof.runner.evidence import evidence
from theory.registry import claim_named

CLAIM = "corollary-9"
CORRECTED = claim_named(CLAIM).variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_all_units_are_scores_in_exact_fractions(variant, data):
    """``[c(x)]_i = A_i[x]`` for every i and every string (equation 9), for random weights and strings, at
    every prefix, without rounding.
    """
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_torch_layer_is_its_automata(dtype, device, data):
    """Every unit of the fast layer stays within the derived rounding bound of the automaton that it reads
    itself off as.
    """
    network_ladder.sampled(CLAIM, CORRECTED, "example-6", dtype, device, data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_four(variant):
    """All small weights, layers of one and two units, all strings over one and two letters: nothing else, or
    a minimal counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_all_units_are_scores_on_all_strings(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed
    one.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="decided", variants=("without-memoryless-gates",))
def test_no_automaton_with_fewer_than_63_states_computes_it():
    """With the paper's own nonlinearity, f_t = sigma(w x_t + v c_{t-1} + b): a Hankel determinant of size 63,
    in ball arithmetic, is not 0.
    """
    refute("sru-feedback")


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for layers of any size: unit i's Omega is (1, c_i)."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
