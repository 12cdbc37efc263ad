"""Tests of equation 25f: the output of RRNN(C) is computed from c2, the score of Figure 2's automaton."""

import pytest
import torch

from automata.forward import score
from neural.rrnn_c import RRNNC


@pytest.mark.parametrize("output_gate", [False, True])
def test_the_output_is_computed_from_the_second_state(output_gate):
    torch.manual_seed(0)
    layer = RRNNC(3, 2, output_gate=output_gate)
    x = torch.randn(5, 4, 3)
    h, (c1, c2) = layer(x)
    gate = torch.sigmoid(layer.cell.gate(x[-1])) if output_gate else 1
    torch.testing.assert_close(h[-1], torch.tanh(gate * c2[-1]))
    assert not torch.allclose(h[-1], torch.tanh(gate * c1[-1]))


def test_only_the_second_state_is_the_score_of_the_automaton():
    torch.manual_seed(0)
    layer, vectors = RRNNC(3, 1).double(), torch.eye(3, dtype=torch.float64)
    (automaton,) = layer.to_automata(vectors, "abc")
    _, (c1, c2) = layer(vectors[:2].unsqueeze(1))
    value = float(score(automaton, "ab"))
    assert value == pytest.approx(c2.item(), rel=1e-12) and value != pytest.approx(c1.item(), rel=1e-3)
