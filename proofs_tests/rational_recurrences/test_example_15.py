"""Tests of Example 15: the update of section 5.2 is the logarithm of the forget gate's complement."""

import math

import pytest
from hypothesis import given

from theory.registry import claim_named

SECTION_5_2 = claim_named("example-15").variant("printed-section-5.2")


@given(SECTION_5_2.cases("ab"))
def test_a_gate_and_its_complement_sum_to_one(weights):
    for symbol in "ab":
        gate, complement = math.exp(weights.f[symbol]), math.exp(weights.u[symbol])
        assert gate + complement == pytest.approx(1, abs=1e-5)
