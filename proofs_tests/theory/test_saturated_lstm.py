"""Tests of saturated LSTMs: floats saturate their gates, and the counter has Hankel blocks of full rank."""

from fractions import Fraction
from itertools import product

import flint
import pytest
import torch

from automata.forward import score
from automata.semirings import MAX_PLUS, REAL
from neural.saturated_lstm import SCALE, SaturatedLSTM
from theory.expressivity.saturated_lstm import OFFSETS, RECURRENT, lstm
from theory.rational_recurrences.proposition_7 import figure_1_from_c_0
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
def test_a_torch_lstm_counts_to_a_thousand_and_back():
    inputs = torch.tensor([[1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    network = SaturatedLSTM(inputs, torch.tensor([[2.0], [0.0], [0.0], [0.0]]))
    up, down = torch.zeros(1, 1000, dtype=torch.long), torch.ones(1, 990, dtype=torch.long)
    cells = network(torch.cat([up, down, down], 1))[0, :, 0]
    assert (cells[1990], cells[-1]) == (10, 0)


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


def test_over_max_plus_two_states_compute_the_counter_so_the_claims_are_about_fields():
    """The counter max(0, c + step) is the unit of Example 15 with f = step and u = 0."""
    zeros = dict.fromkeys("ab", Fraction(0))
    gates = Weights(MAX_PLUS, "ab", {"c_0": Fraction(0), "f": COUNTER.step, "u": zeros})
    (automaton,) = figure_1_from_c_0(gates)
    for word in ("".join(letters) for n in range(7) for letters in product("ab", repeat=n)):
        assert score(automaton, word) == value(word)
    claim, counting = claim_named("saturated-lstm"), claim_named("counting")
    assert "which no weighted automaton over a field computes" in claim.statement
    for variant in (claim.variant("without-letter-gates"), counting.variant("without-nonnegative-weights")):
        assert variant.says.endswith("is an automaton over a field")
