"""Equation 4: an undecomposed FA-RNN computes its automaton's Forward score."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.fa_rnn.in_floats import DYADIC, agree_in_floats
from ratproof.runner.evidence import evidence
from theory.fa_rnn.shared.networks import tensor
from theory.signature import Signature

CLAIM = "fa-rnn-eq-4"


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
