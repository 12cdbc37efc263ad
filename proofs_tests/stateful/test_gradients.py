"""Tests that gradients are compared for functions, linear functions, and states that are updated in place."""

import pytest
import torch
from torch import nn

from proofs_tests.stateful.tensor_state import TensorState
from proofs_tests.stateful.verdicts import laws_of, verdicts
from ratproof import Vectors

FUNCTION = {"inputs": Vectors(3), "without": ("padding", "reorder", "clear"), "longest": 33}


def decaying(outputs_of, gradient_of_state=1):
    """Return a function whose states receive their gradients times a factor."""

    def model(inputs, state=None):
        state = inputs.new_zeros(len(inputs), inputs.shape[2]) if state is None else state
        states = []
        for token in inputs.unbind(1):
            state = 0.9 * state + token
            states.append(state)
        kept = gradient_of_state * state
        return outputs_of(torch.stack(states, 1)), kept - (kept - state).detach()

    return model


@pytest.mark.usefixtures("unshrunk")
def test_a_wrong_gradient_of_a_function_without_parameters_is_refuted():
    answers = verdicts(decaying(torch.tanh, gradient_of_state=2), **FUNCTION)
    assert {kind for kind, verdict in answers.items() if verdict != "holds"} == {"gradient"}


def test_rounding_in_the_gradient_of_a_linear_function_is_measured():
    """The gradient depends only on the weights of the outputs, so perturbed inputs do not change it."""

    def running_sum(inputs, state=None):
        sums = inputs.cumsum(1) + (0 if state is None else state[:, None])
        return sums, sums[:, -1]

    for model in (running_sum, decaying(torch.relu)):
        assert verdicts(model, "gradient", 60, **FUNCTION) == {"gradient": "holds"}


class InPlace(TensorState):
    """A decaying sum that updates its state in place."""

    inputs, without = Vectors(3), frozenset({"padding", "state-twice"})

    def __init__(self):
        self.module = nn.Linear(3, 3)

    def run(self, inputs, state=None, mask=None):
        state = inputs.new_zeros(len(inputs), 3) if state is None else state
        outputs = [state.mul_(0.9).add_(token).clone() for token in self.module(inputs).unbind(1)]
        return torch.stack(outputs, 1), state


def test_a_model_that_updates_its_state_in_place_has_gradients():
    torch.manual_seed(0)
    assert verdicts(InPlace(), longest=66) == dict.fromkeys(laws_of(InPlace()), "holds")
    assert "gradient" in laws_of(InPlace())
