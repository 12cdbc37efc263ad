"""Tests of the defaults of layers: biases, QRNN windows of two, and reading from the left."""

import pytest
import torch

from automata.errors import InputError
from neural.layer_kind import layer_kinds
from neural.qrnn import QRNN
from neural.rrnn_b import RRNNB

WITH_BIAS = [kind for kind in layer_kinds().values() if "bias" in kind.options]


def biases(layer):
    """Return the parameters that are added to a product."""
    return {name for name, _ in layer.cell.named_parameters() if name.split(".")[-1] in ("bias", "b")}


@pytest.mark.parametrize("kind", WITH_BIAS, ids=lambda kind: kind.name)
def test_gates_have_biases_unless_disabled(kind):
    assert biases(kind.cls(2, 3)) == biases(kind.cls(2, 3, bias=True)) > biases(kind.cls(2, 3, bias=False))


@pytest.mark.parametrize("kind", WITH_BIAS, ids=lambda kind: kind.name)
def test_a_cell_by_itself_has_them_too(kind):
    cell, without = kind.cls.cell_class(2, 3), kind.cls.cell_class(2, 3, bias=False)
    assert len(list(cell.parameters())) > len(list(without.parameters()))


def test_a_qrnn_reads_windows_of_two():
    assert QRNN(2, 1).cell.window == 2


def test_gates_belong_to_the_left_to_right_direction():
    layer, vectors = RRNNB(2, 1, bidirectional=True), torch.eye(2)
    assert layer.tables(vectors, "ab", 0) == layer.tables(vectors, "ab", 0, direction=0)
    assert layer.tables(vectors, "ab", 0) != layer.tables(vectors, "ab", 0, direction=1)


@pytest.mark.parametrize("unit", [-1, 1, "0"])
def test_an_out_of_range_unit_is_refused(unit):
    with pytest.raises(InputError, match="unit must be an integer"):
        RRNNB(2, 1).tables(torch.eye(2), "ab", unit)
