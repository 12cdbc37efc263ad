"""Tests of mutated state-regularized layers in torch, and that balls contain the results of floats."""

import math

import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from neural.stacked import Stacked
from neural.state_regularized import parts
from neural.state_regularized.component import StochasticComponent
from neural.state_regularized.layers import KINDS, SRCell
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.implementation import SampledLayer, TorchProgram
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.state_regularized import ball_cells
from ratproof.implementations.state_regularized.comparison import CellComparison
from ratproof.ladder.steps import steps
from theory.registry import claims

STEPS = {
    step.side.name: step
    for step in steps(claims().values())
    if isinstance(step.side, TorchProgram) and step.side.dtype == "float32"
}


SAMPLED = [step for step in steps(claims().values()) if isinstance(step.side, SampledLayer)]


def test_every_program_implements_a_variant():
    assert set(CellComparison.transitions) <= set(STEPS)


def moved_to_u(self, u):
    _, alpha = plain_component(self, u)
    return u, alpha


plain_component = StochasticComponent.forward
plain_similarities = StochasticComponent.similarities
plain_layer = Stacked.forward
plain_gru, plain_lstm = parts.GRUPart.step, parts.LSTMPart.step


def gates_swapped(self, read, state):
    d = state[0].shape[-1]
    turned = torch.cat([read[..., d : 2 * d], read[..., :d], read[..., 2 * d :]], dim=-1)
    return plain_gru(self, turned, state)


def lstm_gates_swapped(self, read, state):
    i, f, g, o = read.chunk(4, dim=-1)
    return plain_lstm(self, torch.cat([o, f, i, g], dim=-1), state)


def without_lengths(self, input, state=None, lengths=None):
    return plain_layer(self, input, state)


def restarted(self, input, state=None, lengths=None):
    """Lose the state after 40 symbols, on a single string."""
    if len(input) <= 40:
        return plain_layer(self, input, state, lengths)
    (first, _), (rest, last) = (plain_layer(self, part, state) for part in (input[:40], input[40:]))
    return torch.cat([first, rest]), last


def one_state_for_the_batch(self, input, state=None, lengths=None):
    h = state[0] if isinstance(state, tuple) else state
    turned = h.roll(1, dims=-1)
    return plain_layer(self, input, (turned, state[1]) if isinstance(state, tuple) else turned, lengths)


def squared_distance(self, u):
    if self.similarity == "dot":
        return plain_similarities(self, u)
    differences = u.unsqueeze(-1) - self.centroids
    return -(differences * differences).sum(-2)


def twice_as_warm(self, u):
    h, _ = plain_component(self, u)
    return h, torch.softmax(self.similarities(u) / (2 * self.temperature), dim=-1)


BREAKS = [
    (StochasticComponent, "forward", moved_to_u, ("sr-limit", "sr-mixture", "sr-sampled", "sr-counted")),
    (parts.GRUPart, "step", gates_swapped, ("sr-limit", "sr-asked", "sr-counted")),
    (parts.LSTMPart, "step", lstm_gates_swapped, ("sr-limit", "sr-asked")),
    (Stacked, "forward", without_lengths, ("sr-limit", "sr-mixture", "sr-sampled")),
    (Stacked, "forward", one_state_for_the_batch, ("sr-mixture", "sr-sampled")),
]


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "program"),
    [
        pytest.param(owner, name, wrong, program, id=f"{wrong.__name__}-{program}")
        for owner, name, wrong, programs in BREAKS
        for program in programs
    ],
)
def test_a_mutated_network_is_refuted(unshrunk, monkeypatch, owner, name, wrong, program):
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(Disagreement):
        STEPS[program].show()


def test_a_state_that_is_lost_in_long_strings_is_refuted(unshrunk, monkeypatch):
    monkeypatch.setattr(Stacked, "forward", restarted)
    monkeypatch.setattr(TorchProgram, "examples", 5)  # cases with short strings, which show nothing
    with pytest.raises(Disagreement):
        STEPS["sr-limit"].show()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("similarities", squared_distance), ("forward", twice_as_warm)],
    ids=["squared", "warm"],
)
@pytest.mark.parametrize("step", SAMPLED, ids=[step.label for step in SAMPLED])
def test_probabilities_that_violate_equations_2_and_3_are_refuted(unshrunk, monkeypatch, step, name, wrong):
    """The evaluation of the cell without sampling has the same error."""
    monkeypatch.setattr(StochasticComponent, name, wrong)
    with pytest.raises(Disagreement):
        step.show()


@settings(max_examples=60)
@given(st.data())
def test_balls_contain_the_similarities_of_torch_in_float64(data):
    """They do for each kind of cell, at any hidden and cell state."""
    numbers = st.floats(-2, 2, width=32)
    kind, similarity = (
        data.draw(st.sampled_from(list(KINDS))),
        data.draw(st.sampled_from(["dot", "euclidean"])),
    )
    cell = KINDS[kind](2, 3, k=4, similarity=similarity, dtype=torch.float64).cell
    assert isinstance(cell, SRCell)

    def drawn(*shape):
        size = math.prod(shape)
        entries = data.draw(st.lists(numbers, min_size=size, max_size=size))
        return torch.tensor(entries, dtype=torch.float64).reshape(shape)

    with torch.no_grad():
        for values in cell.parameters():
            values.copy_(drawn(*values.shape))
        h, c, x = drawn(1, 3), drawn(1, 3), drawn(1, 2)
        u, *_ = cell.part.step(cell.part.read(x), (h,) if cell.memoryless else (h, c))
        b = cell.component.similarities(u)[0].tolist()
    arrays = {name: values.numpy() for name, values in cell.state_dict().items()}
    balls = [list(map(ball_cells.ball, part[0].tolist())) for part in (h, c, x)]
    exact = ball_cells.similarities(kind, similarity, arrays, balls[0], balls[1], balls[2])
    assert all(abs(arb(v) - ball) < arb(1e-12) for v, ball in zip(b, exact, strict=True))


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_mixture_between_two_close_centroids_is_not_a_counterexample(similarity, dtype):
    """The third centroid is far away, so that a mixture may be farther from its own centroid than the second
    one is.
    """
    options = {
        "input_size": 1, "hidden_size": 1, "k": 3, "num_layers": 1, "bias": True,
        "similarity": similarity, "temperature": 2.0**-10,
    }  # fmt: skip
    parameters = {
        "cells.0.part.input.weight": [[2.0]],
        "cells.0.part.input.bias": [0.0],
        "cells.0.part.hidden.weight": [[0.0]],
        "cells.0.part.hidden.bias": [0.0],
        "cells.0.component.centroids": [[0.0, 0.046875, -2.0]],
    }
    layer = spec("sr-elman", options, parameters, [[1.0], [0.5]], "ab", dtype)
    comparison = CellComparison("theorem-3.2", "corrected-eq-5", "sr-mixture", layer)
    assert all(result.difference is None for result in comparison.compare([("a",), ("b", "a"), ()]))
