"""Tests of networks that count: how far units with finite precision count, and how many states they have."""

from fractions import Fraction

import pytest
import torch

from automata.semirings import REAL
from neural.relu_elman import ReLUElmanRNN
from theory.expressivity.counting import counting_gru, gru_step, in_fixed_point, of_values, squashed, unit
from theory.weights import Weights

PLACES = [1, 2, 5]


def counter(p: int) -> Weights:
    """Return the GRU with p binary places that adds 1 for each a and subtracts 1 for each b."""
    step = {"a": Fraction(1), "b": Fraction(-1)}
    derived = {entry.name: entry for entry in counting_gru(p).entries if entry.derived is not None}
    w = Weights(REAL, "ab", {"step": step}, ("P", p))
    return Weights(REAL, "ab", {"step": step} | {name: e.derive(w) for name, e in derived.items()}, ("P", p))


def counts(recurrence, p: int, word: str) -> list[int]:
    """Return the outputs after all prefixes."""
    return [int(value) for (value,) in recurrence.values(counter(p), word)]


@pytest.mark.parametrize("p", PLACES)
def test_a_gru_counts_up_to_one_half_and_a_squashed_unit_up_to_one(p):
    half, word = 2 ** (p - 1), "a" * 2 ** (p + 2)
    gru, elman = counts(in_fixed_point, p, word), counts(squashed, p, word)
    assert gru[: half + 1] == list(range(half + 1)) and gru[-1] <= 2 * half
    assert elman == [min(k, 2 * half) for k in range(len(word) + 1)]


@pytest.mark.parametrize("p", PLACES)
def test_two_powers_of_a_have_the_same_state_because_there_are_more_powers_than_states(p):
    w, state, seen = counter(p), (0, ()), set()
    for _ in range(len(of_values(w)[0].initial) + 1):
        seen.add(state)
        state = gru_step(w, state, "a")
    assert len(seen) <= 2 ** (p + 1) + 1


def test_two_units_with_relu_compute_a_difference_of_numbers_of_letters():
    network = ReLUElmanRNN(torch.eye(2), torch.eye(2), torch.zeros(2), torch.tensor([1.0, -1.0]))
    word = torch.cat([torch.zeros(1, 700, dtype=torch.long), torch.ones(1, 1000, dtype=torch.long)], 1)
    assert network(word)[0, -1] == -300


def test_a_unit_with_negative_inputs_is_clipped_at_0():
    assert [int(v) for (v,) in unit.values(counter(1), "abba")] == [0, 1, 0, 0, 1]
