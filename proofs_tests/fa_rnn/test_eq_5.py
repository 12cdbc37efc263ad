"""Equation 5: a decomposed FA-RNN computes the Forward score of the automaton that its factors give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.fa_rnn.in_floats import DYADIC, agree_in_floats
from ratproof.runner.evidence import evidence
from theory.fa_rnn.shared.networks import factors
from theory.registry import claim_named
from theory.signature import Signature

CLAIM = "fa-rnn-eq-5"


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@settings(max_examples=40)
@given(st.data())
def test_the_torch_network_is_its_automaton(dtype, device, data):
    """Its scores, in batches of unequal lengths, stay within the derived rounding bound of Forward's."""
    k, r = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    agree_in_floats(
        CLAIM, "corrected", Signature(factors(k, r, DYADIC), size=("K", k)), "factors", dtype, device, data
    )


@given(claim_named(CLAIM).variant("corrected-large-enough").cases("abc"))
def test_there_are_min_v_k_and_k_k_columns(case):
    """In all three factors, whichever of the two is fewer."""
    r = min(len(case.alphabet) * case.n, case.n**2)
    assert {len(row) for row in (*case.D_1, *case.D_2, *case.v.values())} == {r}
