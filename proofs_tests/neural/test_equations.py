"""Every layer's gates are those of the paper: a layer and its automata share them, so they are seen apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural.layer_kind import layer_kinds
from proofs_tests.neural.equations import agree_with_equations
from proofs_tests.neural.references import REFERENCES
from ratproof.runner.evidence import evidence
from theory.registry import claims

LAYERS = [(claim.name, layer) for claim in claims().values() for layer in claim.layers if layer in REFERENCES]
EACH = [
    pytest.param(*pair, id="-".join(pair), marks=evidence(pair[0], kind="sampled", variants=("corrected",)))
    for pair in LAYERS
]


@pytest.mark.parametrize(("claim", "layer"), EACH)
@settings(max_examples=40)
@given(st.data())
def test_the_gates_of_a_torch_layer_are_those_of_the_paper(claim, layer, data):
    """The paper's equations, written out once more, against the layer's automata."""
    agree_with_equations(claim, layer, "float64", data)


def test_a_layer_that_stands_for_a_claim_has_reference_equations():
    assert {layer for claim in claims().values() for layer in claim.layers} & set(layer_kinds()) <= set(
        REFERENCES
    )
