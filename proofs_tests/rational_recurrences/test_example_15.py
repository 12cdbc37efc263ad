"""Example 15: ``c_t = max(f_t + c_{t-1}, u_t)`` is the max-plus score of Figure 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratproof.rungs import ladder, network_ladder
from ratproof.runner.evidence import evidence
from theory.registry import claim_named

CLAIM = "example-15"
CORRECTED = claim_named(CLAIM).variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_a_max_plus_score_in_exact_fractions(variant, data):
    """``c_t = B[x_:t]`` for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_torch_layer_is_its_automata(dtype, device, data):
    """Every unit of the fast layer stays within the derived rounding bound of the automaton that it reads
    itself off as.
    """
    network_ladder.sampled(CLAIM, CORRECTED, "rrnn-b-max-plus", dtype, device, data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_six(variant):
    """All small weights, all strings over one and two letters: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=6)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for all weights and strings: Omega is (1, c)."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
