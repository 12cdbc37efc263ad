"""Every layer's gates are those of the paper: a layer and its automata share them, so they are seen apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural.layer_kind import layer_kinds
from proofs_tests.neural.equations import agree_with_equations
from proofs_tests.neural.references import REFERENCES
from ratproof.ladder.evidence import evidence
from theory.registry import claims

LAYERS = [
    (claim.name, variant.name, layer)
    for claim in claims().values()
    for variant in claim.variants
    for layer in claim.layers_of(variant)
]
EACH = [
    pytest.param(
        claim,
        variant,
        layer,
        id=f"{claim}-{layer}",
        marks=evidence(claim, kind="sampled", variants=(variant,)),
    )
    for claim, variant, layer in LAYERS
    if layer in REFERENCES
]


@pytest.mark.parametrize(("claim", "name", "layer"), EACH)
@settings(max_examples=40)
@given(st.data())
def test_the_gates_of_a_torch_layer_are_those_of_the_paper(claim, name, layer, device, data):
    """The paper's equations, written out once more, against the layer's automata."""
    agree_with_equations(claim, layer, "float64", data, name, device)


def test_a_layer_that_stands_for_a_claim_has_reference_equations():
    assert {layer for _, _, layer in LAYERS} & set(layer_kinds()) <= set(REFERENCES)
