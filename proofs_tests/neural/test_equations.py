"""Tests that the gates of every layer are those of the paper, because a layer and its automata share them."""

import pytest

from neural.layer_kind import layer_kinds
from ratproof.ladder.written.equations import CHECKS, EVERY_REFERENCE, LAYERS


@pytest.mark.parametrize("case", [check.test.partition("[")[2].removesuffix("]") for check in CHECKS])
def test_the_gates_of_a_torch_layer_are_those_of_the_paper(case, shows_what_is_expected):
    shows_what_is_expected()


def test_a_layer_of_a_claim_has_reference_equations():
    assert {layer for _, _, layer in LAYERS} & set(layer_kinds()) <= set(EVERY_REFERENCE)
