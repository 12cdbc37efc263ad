"""Tests that rounding is measured, and that larger differences are mistakes or unknown."""

from contextlib import nullcontext

import pytest
import torch
from torch import nn
from torch.nn import functional

from proofs_tests.stateful.parallel import LinearAttention
from proofs_tests.stateful.preallocated import Attention, MovingAverage
from proofs_tests.stateful.verdicts import laws_of, results, verdicts
from ratproof import StatefulModel, Tokens, Vectors, of_torch_rnn
from ratproof.laws.models.comparison import compare
from ratproof.laws.models.copies import fresh, in_float64, perturbed
from ratproof.laws.models.counterexample import BrokenLaw
from ratproof.laws.models.declared import Declared
from ratproof.laws.models.laws import LAWS
from ratproof.laws.models.precision import moved
from ratproof.laws.models.problem import StatefulProblem


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_values_move_by_one_unit_in_the_last_place(dtype):
    numbers = torch.tensor([1.0, -1.5, 3.0, 1e-3, 0.0, 60.0], dtype=dtype)
    other = moved(numbers, torch.finfo(dtype).eps, torch.Generator().manual_seed(0))
    up, down = (torch.nextafter(numbers, torch.full_like(numbers, way)) for way in (torch.inf, -torch.inf))
    # Below a power of two, floats are half a unit apart, so one unit is two floats away.
    assert bool(
        ((other == up) | (other == down) | (other == 1 - torch.finfo(dtype).eps) | (numbers == 0)).all()
    )
    assert other[4] == 0 and not torch.equal(other, numbers)


def test_integers_stay():
    ids = torch.arange(3)
    assert moved(ids, 0.5, torch.Generator()) is ids


def test_infinities_stay_and_the_largest_values_stay_finite():
    numbers = torch.tensor([torch.inf, -torch.inf, torch.finfo().max, torch.finfo().min])
    for seed in range(4):
        other = moved(numbers, 2.0**-23, torch.Generator().manual_seed(seed))
        assert torch.equal(other[:2], numbers[:2]) and bool(other[2:].isfinite().all())


def test_a_model_runs_in_its_own_dtype_and_in_float64():
    formats = Declared("mine", LinearAttention(torch.bfloat16), LinearAttention().inputs).formats()
    expected = {"bfloat16": (2.0**-7, False), "float64": (2.0**-52, True)}
    assert {name: (f.unit, f.wide) for name, f in formats.items()} == expected
    declared = Declared("mine", LinearAttention(), LinearAttention().inputs, precision="bfloat16").formats()
    assert {name: (f.unit, f.wide) for name, f in declared.items()} == {"float32": (2.0**-7, False)}


def test_the_dtype_of_most_parameters_is_the_models():
    model = LinearAttention()
    model.module[0].bfloat16()
    assert list(Declared("mine", model, model.inputs).formats()) == ["float32", "float64"]


def test_copies_share_parameters_are_perturbed_or_in_float64():
    model = of_torch_rnn(nn.LSTM(3, 5))
    inputs = torch.randn(1, 4, 3)
    outputs = model.run(inputs)[0]
    one = fresh(model)
    assert one is not model and one.module.weight_ih_l0 is model.module.weight_ih_l0
    assert torch.equal(one.run(inputs)[0], outputs)
    with perturbed(model, 2.0**-23, seed=1) as other:
        difference = (other.run(inputs)[0] - outputs).abs().max()
    assert 0 < difference < 1e-5 and torch.equal(model.run(inputs)[0], outputs)
    wide = in_float64(model)
    assert wide.run(inputs.double())[0].dtype == torch.float64
    assert model.module.weight_ih_l0.dtype == torch.float32


def test_a_dtype_used_only_in_steps_must_be_declared():
    """Calls of one token are rounded to float16. Without ``precision``, the property ``pieces`` allows only
    the rounding of the other calls.
    """

    class Step(LinearAttention):
        def run(self, inputs, state=None, mask=None):
            outputs, state = super().run(inputs, state)
            return (outputs.half().float() if inputs.shape[1] == 1 else outputs), state

    assert verdicts(Step(), "pieces") == {"pieces": "refuted"}
    assert verdicts(Step(), "pieces", precision="float16") == {"pieces": "holds"}


def test_a_state_that_keeps_the_original_dtype_in_float64_runs_is_no_error():
    torch.manual_seed(0)
    (result,) = results(MovingAverage(), "pieces", 50, longest=66).values()
    assert str(result.verdict) == "holds" and "float32 and float64" in result.facts["module"]


@pytest.mark.parametrize(
    ("dtype", "between", "allowed"),
    [
        (torch.float32, torch.float32, True),
        (torch.float32, torch.float16, False),
        (torch.bfloat16, torch.float32, True),
        (torch.bfloat16, torch.bfloat16, True),
    ],
)
def test_float64_runs_allow_states_rounded_to_the_original_dtype_but_not_to_less(dtype, between, allowed):
    class Rounded(LinearAttention):
        def run(self, inputs, state=None, mask=None):
            outputs, state = super().run(inputs, state)
            return outputs, state.to(between).to(state.dtype)

    torch.manual_seed(0)
    model = Rounded(dtype)
    format_ = Declared("mine", model, model.inputs).formats()["float64"]
    problem = StatefulProblem(33, 2, (17, 16), "float64", seed=0)
    with nullcontext() if allowed else pytest.raises(BrokenLaw):
        assert compare(LAWS["pieces"], format_, problem) is None


def test_a_model_whose_later_calls_need_its_own_dtype_runs_only_in_that_dtype():
    torch.manual_seed(0)
    answers = results(Attention(), longest=34)
    assert {kind: str(result.verdict) for kind, result in answers.items()} == dict.fromkeys(
        laws_of(Attention()), "holds"
    )
    assert all("in float32;" in result.facts["module"] for result in answers.values())


class Off(StatefulModel):
    """A running mean whose steps have a relative error in calls of one token."""

    inputs = Vectors(2)
    without = frozenset({"padding", "reorder", "clear"})

    def __init__(self, share, dtype=torch.float32):
        self.share = share
        self.module = None if dtype is None else nn.Linear(2, 2).to(dtype)

    def run(self, inputs, state=None, mask=None):
        start = inputs.new_zeros(len(inputs), 2) if state is None else state
        sums = start[:, None] + (inputs if self.module is None else self.module(inputs)).cumsum(1)
        off = 1 + self.share if inputs.shape[1] == 1 else 1
        return sums * off, sums[:, -1]


@pytest.mark.parametrize(
    ("share", "dtype", "verdict"),
    [
        (0, None, "holds"),
        (1e-4, None, "refuted"),  # in float64
        (1e-2, None, "refuted"),
        (1e-4, torch.float32, "refuted"),  # in float64
        (1e-7, torch.float64, "unknown"),
        (1e-5, torch.float64, "refuted"),
        (1e-2, torch.bfloat16, "refuted"),  # in float64
    ],
)
def test_a_difference_is_rounding_or_a_refutation_or_unknown(share, dtype, verdict):
    torch.manual_seed(0)
    assert verdicts(Off(share, dtype), "pieces") == {"pieces": verdict}


@pytest.mark.parametrize(("units", "agree"), [(1, True), (8, True), (20, False)])
def test_eight_units_in_the_last_place_of_a_result_are_rounding(units, agree):
    class AlmostConstant(Off):
        def run(self, inputs, state=None, mask=None):
            outputs = 1 + 1e-9 * inputs
            return outputs + (inputs.shape[1] == 1) * units * torch.finfo(outputs.dtype).eps, state

    model = AlmostConstant(0, None)
    format_ = Declared("mine", model, model.inputs).formats()["float32"]
    doubt = compare(LAWS["pieces"], format_, StatefulProblem(2, 1, (1, 1), "float32", seed=0))
    assert (doubt is None) is agree


def test_the_rounding_of_an_operator_is_measured_even_if_changes_of_its_arguments_are_lost():
    torch.manual_seed(0)
    embedding = nn.Embedding(50, 8)

    def decays(inputs, state=None):  # a change of the embeddings by one unit changes few logarithms
        logarithms = torch.sigmoid(embedding(inputs) + 3).log().cumsum(1) + (0 if state is None else state)
        return logarithms.exp(), logarithms[:, -1:]

    unsupported = ["reorder", "clear", "padding"]
    assert set(verdicts(decays, inputs=Tokens(50), without=unsupported).values()) == {"holds"}


@pytest.mark.parametrize(("reaches", "verdict"), [(False, "refuted"), (True, "unknown")])
def test_float64_is_strict_unless_a_low_precision_operator_affects_the_results(reaches, verdict):
    class Beside(Off):
        def run(self, inputs, state=None, mask=None):
            outputs, state = super().run(inputs, state)
            low = outputs.half().double()
            return outputs + 1e-9 * low if reaches else outputs, state

    torch.manual_seed(0)
    assert verdicts(Beside(1e-4, torch.float64), "pieces") == {"pieces": verdict}


def test_differences_between_rounding_and_refutation_are_reported():
    """A model that is declared to be in float32 is not tested in float64."""
    (result,) = results(Off(1e-4, None), "pieces", precision="float32").values()
    assert str(result.verdict) == "unknown"
    assert "differ by " in result.why and "of the results' size, but the measured rounding" in result.why
    assert result.why.endswith("so the difference is too small to refute the claim")


@pytest.mark.parametrize("bias", [0.0, 0.1])
def test_outputs_that_do_not_depend_on_the_inputs_are_no_evidence(bias):
    """The model forgets its state, but its last layer is initialised with zeros."""

    class Untrained(Off):
        def run(self, inputs, state=None, mask=None):
            head = nn.Linear(2, 2).to(inputs.dtype)
            nn.init.zeros_(head.weight)
            nn.init.constant_(head.bias, bias)
            return head(super().run(inputs)[0]), inputs[:, -1]

    answers = results(Untrained(0, None), longest=33, without=("gradient",))
    assert {(str(result.verdict), result.cases) for result in answers.values()} == {("unknown", 0)}
    assert all("their results are the same for other inputs" in result.why for result in answers.values())


class Forgetful(StatefulModel):
    """A GRU whose calls multiply the state that they receive, with additional outputs.

    Args:
        kept: The factor of the state; 1 is right.
        others: A function of the GRU's outputs that returns the additional outputs.
    """

    inputs = Vectors(4)
    without = frozenset({"padding", "reorder", "clear"})

    def __init__(self, kept, others):
        self.module, self.kept, self.others = nn.GRU(4, 8, batch_first=True), kept, others

    def run(self, inputs, state=None, mask=None):
        outputs, state = self.module(inputs, None if state is None else self.kept * state)
        return torch.cat([outputs, self.others(outputs)], -1), state


def unused_tokens(outputs):
    """Return the smallest numbers, as the scores of tokens that are not in use."""
    return torch.full_like(outputs, torch.finfo(outputs.dtype).min)


def in_bfloat16(outputs):
    return 8 * outputs.bfloat16().to(outputs.dtype)


def read_in_bfloat16(outputs):
    """Return a linear map of the outputs that is computed in bfloat16."""
    weight = torch.linspace(-1, 1, 24, dtype=torch.bfloat16).reshape(3, 8)
    return 4 * functional.linear(outputs.bfloat16(), weight).to(outputs.dtype)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    ("others", "kept"), [(unused_tokens, 0), (in_bfloat16, 0.98), (read_in_bfloat16, 0.98)]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_or_roughly_rounded_outputs_hide_no_error_of_other_outputs(dtype, others, kept):
    torch.manual_seed(0)
    model = Forgetful(kept, others)
    model.module.to(dtype)
    assert verdicts(model, "pieces") == {"pieces": "refuted"}


@pytest.mark.parametrize("others", [unused_tokens, in_bfloat16, read_in_bfloat16])
def test_correct_models_with_large_or_roughly_rounded_outputs_hold(others):
    torch.manual_seed(0)
    model = Forgetful(1, others)
    assert verdicts(model, longest=34) == dict.fromkeys(laws_of(model), "holds")


class Hidden(StatefulModel):
    """A sum that is rounded to bfloat16 in calls of one token, without an operator that reveals it."""

    inputs = Vectors(2)
    without = frozenset({"padding", "reorder", "clear"})

    def run(self, inputs, state=None, mask=None):
        start = inputs.new_zeros(len(inputs), 2) if state is None else state
        sums = start[:, None] + inputs.cumsum(1)
        if inputs.shape[1] == 1:
            sums = ((sums.view(torch.int32) + 2**15) & ~0xFFFF).view(torch.float32)
        return sums, sums[:, -1]


def test_an_undetected_precision_can_be_declared():
    assert verdicts(Hidden(), "pieces") != {"pieces": "holds"}
    assert verdicts(Hidden(), "pieces", precision="bfloat16") == {"pieces": "holds"}


def test_the_largest_difference_within_rounding_is_reported():
    torch.manual_seed(0)
    rounding = results(LinearAttention(torch.bfloat16), "pieces")["pieces"].facts["rounding"]
    assert 1e-3 < rounding["bfloat16"] < 0.3 and 0 < rounding["float64"] < 1e-14
