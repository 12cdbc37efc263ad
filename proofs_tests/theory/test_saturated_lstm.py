"""Tests of saturated LSTMs: floats saturate their gates, and the counter has Hankel blocks of full rank."""

from fractions import Fraction

import flint
import pytest
import torch

from automata.semirings import REAL
from neural.saturated_lstm import SCALE, SaturatedLSTM
from theory.expressivity.saturated_lstm import OFFSETS, RECURRENT, lstm
from theory.registry import claim_named
from theory.weights import Weights

COUNTER = Weights(REAL, "ab", {"step": {"a": Fraction(1), "b": Fraction(-1)}})


def value(word: str) -> Fraction:
    """Return the cell after a word."""
    *_, (last,) = lstm.values(COUNTER, word)
    return last


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gates_and_candidates_are_saturated_exactly(dtype):
    z = SCALE * torch.tensor([-0.5, 0.5], dtype=dtype)
    assert torch.sigmoid(z).tolist() == [0, 1] and torch.tanh(z).tolist() == [-1, 1]


def test_the_input_gate_is_far_from_0_for_each_cell_and_step():
    cells = torch.arange(0, 50, dtype=torch.float64)
    for step, offset in OFFSETS.items():
        z = RECURRENT * torch.tanh(cells) + offset
        assert z.abs().min() > 0.5
        assert ((z > 0) == ((step > 0) | ((step < 0) & (cells > 0)))).all()


@torch.no_grad()
def test_a_torch_lstm_counts_to_ten_thousand_and_back():
    inputs = torch.tensor([[1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    network = SaturatedLSTM(inputs, torch.tensor([[2.0], [0.0], [0.0], [0.0]]))
    up, down = torch.zeros(1, 10_000, dtype=torch.long), torch.ones(1, 9_990, dtype=torch.long)
    cells = network(torch.cat([up, down, down], 1))[0, :, 0]
    assert (cells[19_990], cells[-1]) == (10, 0)


@pytest.mark.parametrize("n", [1, 5, 20])
def test_the_hankel_block_of_powers_is_triangular_with_determinant_1(n):
    block = [[int(value("a" * (i + 1) + "b" * j)) for j in range(n)] for i in range(n)]
    assert all(block[i][j] == 0 for i in range(n) for j in range(i + 1, n))
    assert flint.fmpz_mat(block).det() == 1


def test_the_cell_is_no_function_of_the_numbers_of_letters():
    """After a*b*, it is max(0, #a - #b)."""
    assert "after a*b*, it is max(0, #a - #b)" in claim_named("saturated-lstm").statement
    assert all(value("a" * i + "b" * j) == max(0, i - j) for i in range(5) for j in range(5))
    assert (value("ab"), value("ba")) == (0, 1)
