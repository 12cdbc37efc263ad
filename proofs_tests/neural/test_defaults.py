"""What a layer is when nothing is said: with biases, QRNN with windows of two, read from the left."""

from __future__ import annotations

import pytest
import torch

from neural.layer_kind import layer_kinds
from neural.qrnn import QRNN
from neural.rrnn_b import RRNNB

WITH_BIAS = [kind for kind in layer_kinds().values() if "bias" in kind.options]


def biases(layer):
    """The parameters that are added to a product."""
    return {name for name, _ in layer.cell.named_parameters() if name.split(".")[-1] in ("bias", "b")}


@pytest.mark.parametrize("kind", WITH_BIAS, ids=lambda kind: kind.name)
def test_gates_have_biases_unless_none_are_asked_for(kind):
    assert biases(kind.cls(2, 3)) == biases(kind.cls(2, 3, bias=True)) > biases(kind.cls(2, 3, bias=False))


def test_a_qrnn_reads_windows_of_two():
    assert QRNN(2, 1).cell.window == 2


def test_gates_are_those_of_the_way_from_the_left():
    layer, vectors = RRNNB(2, 1, bidirectional=True), torch.eye(2)
    assert layer.tables(vectors, "ab", 0) == layer.tables(vectors, "ab", 0, direction=0)
    assert layer.tables(vectors, "ab", 0) != layer.tables(vectors, "ab", 0, direction=1)
