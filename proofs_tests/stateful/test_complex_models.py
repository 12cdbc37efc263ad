"""Tests that complex weights, states and gradients are compared and perturbed like real ones."""

import pytest
import torch

from proofs_tests.stateful.complex_models import LinearRecurrentUnit
from proofs_tests.stateful.verdicts import laws_of, verdicts
from ratproof.laws.models.comparison import compare
from ratproof.laws.models.copies import in_float64
from ratproof.laws.models.counterexample import BrokenLaw
from ratproof.laws.models.declared import Declared
from ratproof.laws.models.gradient import STATE
from ratproof.laws.models.laws import LAWS
from ratproof.laws.models.precision import OperatorRounding, moved
from ratproof.laws.models.problem import StatefulProblem


@pytest.fixture(autouse=True)
def _the_same_weights():
    torch.manual_seed(0)


@pytest.mark.parametrize("by_powers", [False, True])
def test_a_correct_model_with_complex_weights_satisfies_every_property(by_powers):
    model = LinearRecurrentUnit(by_powers)
    assert verdicts(model, longest=34) == dict.fromkeys(laws_of(model), "holds")


def test_complex_weights_of_a_float64_copy_are_complex128():
    copied = in_float64(LinearRecurrentUnit())
    assert {parameter.dtype for parameter in copied.module.parameters()} == {torch.complex128}


def test_both_parts_of_a_complex_number_move_by_one_unit():
    numbers = torch.tensor([1.5 + 3j, 3 - 1.5j, 0j])
    change = moved(numbers, 2.0**-23, torch.Generator().manual_seed(0)) - numbers
    assert torch.view_as_real(change).abs().tolist() == [[2.0**-23, 2.0**-22], [2.0**-22, 2.0**-23], [0, 0]]


def test_operators_that_round_to_complex64_are_perturbed_in_float64():
    exact, rounded = torch.tensor([0.5 + 1j, 0.1 + 1j], dtype=torch.complex128), torch.complex64
    with OperatorRounding(torch.float64, seed=0):
        narrow = exact.to(rounded)
    assert (narrow != exact.to(rounded)).tolist() == [False, True]


def test_an_error_in_the_imaginary_part_of_a_gradient_is_refuted():
    assert verdicts(LinearRecurrentUnit(loses_phase_gradient=True), "gradient") == {"gradient": "refuted"}


def test_a_wrong_gradient_with_respect_to_a_complex_state_is_refuted():
    class Doubled(LinearRecurrentUnit):
        """A model that doubles the gradient of the state in calls of several tokens."""

        def run(self, inputs, state=None, mask=None):
            if state is not None and inputs.shape[1] > 1:
                state = 2 * state - state.detach()
            return super().run(inputs, state, mask)

    model = Doubled()
    format_ = Declared("mine", model, model.inputs).formats()["float32"]
    problem = StatefulProblem(3, 1, (1, 1, 1), "float32", seed=0, way=STATE)
    with pytest.raises(BrokenLaw, match=r"state\[0\]\.grad\[0, 0, 0\] is"):
        compare(LAWS["gradient"], format_, problem)
