"""Tests that faults of deployment are refuted: low-precision dtypes, beams, padding, long inputs,
many calls.
"""

import re

import pytest
import torch
from torch import nn

from proofs_tests.stateful.deployed import Deployed, Narrow
from proofs_tests.stateful.verdicts import laws_of, results, verdicts
from ratproof import StatefulModel, Tokens, Vectors, believe_stateful
from ratproof.laws.models.copies import perturbed
from ratproof.laws.models.precision import OperatorRounding


@pytest.fixture(autouse=True)
def _the_same_weights():
    torch.manual_seed(0)


FOUR_PERCENT = 0.04
HARMLESS = ["side", "mask", "parameter"]


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("precision", [None, "float32"])
@pytest.mark.parametrize("where", HARMLESS)
def test_a_harmless_bfloat16_operator_hides_no_error_of_four_percent(where, precision):
    assert verdicts(Narrow(where, FOUR_PERCENT), "pieces", precision=precision) == {"pieces": "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("where", HARMLESS)
def test_a_harmless_bfloat16_operator_hides_no_error_in_float32_runs(where):
    """The model runs only in float32."""

    class OnlyFloat32(Narrow):
        def run(self, inputs, state=None, mask=None):
            assert inputs.dtype == torch.float32
            return super().run(inputs, state)

    (result,) = results(OnlyFloat32(where, FOUR_PERCENT), "pieces").values()
    assert str(result.verdict) == "refuted" and ", float32" in result.counterexample.problem


@pytest.mark.parametrize("where", ["", *HARMLESS, "inside"])
def test_a_correct_model_with_a_bfloat16_operator_holds(where):
    model = Narrow(where)
    assert verdicts(model, longest=34) == dict.fromkeys(laws_of(model), "holds")


def test_a_declared_precision_overrides_the_detected_one():
    """If an operator rounds in only one kind of call, this is an error of a float32 model."""

    class Edge(Narrow):
        def run(self, inputs, state=None, mask=None):
            outputs, state = super().run(inputs, state)
            return (outputs.bfloat16().float() if inputs.shape[1] == 1 else outputs), state

    assert verdicts(Edge("inside"), "pieces", precision="float32") == {"pieces": "refuted"}
    assert verdicts(Edge("inside"), "pieces", precision="bfloat16") == {"pieces": "holds"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_state_that_is_rounded_between_calls_is_refuted_unless_declared(dtype):
    model = Narrow("state", dtype=dtype, narrow=torch.float16)
    assert verdicts(model, "pieces") == {"pieces": "refuted"}
    assert verdicts(model, "pieces", precision="float16") == {"pieces": "holds"}


MISTAKES = {
    "the state of a batch that has grown is lost": "reorder",
    "a state that grows is not repeated": "reorder",
    "rows that grow are repeated in another order": "reorder",
    "padding on the right is read": "padding",
    "padding on the right is in the outputs": "padding",
    "a mask that masks nothing changes the outputs": "padding",
    "a mask that masks nothing changes the outputs of a later call": "padding",
    "wrong after 257 tokens in a call": "pieces",
    "the state is lost after 257 tokens": "pieces",
    "wrong from the 300th call on": "pieces",
    "wrong from the 300th use on": "reuse",
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_fault_of_deployment_is_refuted_by_its_own_property(mistake):
    kind = MISTAKES[mistake]
    assert verdicts(Deployed(mistake), kind, 100) == {kind: "refuted"}


def test_the_correct_model_holds():
    assert verdicts(Deployed()) == dict.fromkeys(laws_of(Deployed()), "holds")


@pytest.mark.parametrize(
    ("mistake", "without"),
    [
        ("padding on the right is read", "right-padding"),
        ("the state of a batch that has grown is lost", "resize"),
    ],
)
def test_unsupported_arguments_of_a_model_are_not_tried(mistake, without):
    kind = MISTAKES[mistake]
    assert verdicts(Deployed(mistake), kind, longest=34) == {kind: "refuted"}
    assert verdicts(Deployed(mistake), kind, longest=34, without=(without,)) == {kind: "holds"}


@pytest.mark.parametrize("inputs", [Vectors(3), Tokens(9)])
def test_a_model_that_changes_its_inputs_in_place_is_refuted(inputs):
    def clears_the_last_token(inputs, state=None):
        embedded = inputs if inputs.dim() == 3 else torch.nn.functional.one_hot(inputs, 9).float()
        sums = embedded.cumsum(1) + (0 if state is None else state)
        inputs[:, -1] = 0
        return sums, sums[:, -1:]

    result = results(clears_the_last_token, "pieces", inputs=inputs, without=["reorder", "clear", "padding"])
    assert str(result["pieces"].verdict) == "refuted"
    assert re.search(r"inputs\[[\d, ]+\] of a call is 0 after it", result["pieces"].counterexample.sentence())


def test_a_model_without_padding_has_no_property_of_padding():
    claim = believe_stateful("mine", model=Deployed(), without=("left-padding", "right-padding"))
    assert "padding" not in claim.variants[0].kinds


def test_outputs_after_padding_on_the_right_are_ignored_if_declared():
    """Only the state reads the padding."""

    class Causal(Deployed):
        without = frozenset({"after-right-padding"})

        def run(self, inputs, state=None, mask=None):
            left = mask is not None and bool(mask[:, -1].all())
            return super().run(inputs, state, mask if left else None)

    assert verdicts(Causal(), "padding", 50, longest=34) == {"padding": "holds"}
    assert verdicts(Causal(), "padding", 50, longest=34, without=("left-padding",)) == {"padding": "holds"}


def test_a_counterexample_contains_the_growth_of_the_state_and_the_padding():
    grown = results(Deployed("the state of a batch that has grown is lost"), "reorder", 100)["reorder"]
    assert "after rows 0, 0 were selected from a state of 1 row, in" in grown.counterexample.sentence()
    padded = results(Deployed("padding on the right is in the outputs"), "padding", 100)["padding"]
    sentence = padded.counterexample.sentence()
    assert "outputs[0, 0, " in sentence and "with 1 token of padding on the right, and" in sentence
    masked = results(Deployed("a mask that masks nothing changes the outputs"), "padding", 100)["padding"]
    assert "with a mask that is true everywhere, and" in masked.counterexample.sentence()
    assert masked.counterexample.problem.startswith("B = 1, T = 2,")
    uses = results(Deployed("wrong from the 300th use on"), "reuse", 100)["reuse"].counterexample
    assert uses.problem.startswith("B = 1, T = 1,") and "after 321 uses of 1 other token" in uses.sentence()


def test_the_reported_largest_sizes_are_those_that_ran():
    sizes = results(Deployed(), "pieces", 50)["pieces"].facts["largest_sizes"]
    assert sizes["tokens"] == 1025 and sizes["calls"] == 513 and sizes["rows"] > 4
    assert results(Deployed(), "pieces", longest=20)["pieces"].facts["largest_sizes"]["tokens"] == 20


class Mean(StatefulModel):
    """A mean of a row's tokens, whose state is their sum and their number.

    Args:
        stale: Whether the numbers are not reordered together with the sums.
    """

    inputs, without = Vectors(2), frozenset({"gradient"})

    def __init__(self, stale):
        self.stale = stale

    def run(self, inputs, state=None, mask=None):
        kept = torch.ones_like(inputs[..., :1]) if mask is None else mask[..., None].to(inputs.dtype)
        before = torch.zeros_like(inputs[:, 0]), torch.zeros_like(kept[:, 0])
        parts = zip(state or before, (inputs * kept, kept), strict=True)
        sums, numbers = (start[:, None] + x.cumsum(1) for start, x in parts)
        return sums / numbers.clamp(min=1), (sums[:, -1], numbers[:, -1])

    def reorder(self, state, rows):
        sums, numbers = state
        return sums[rows], numbers[:1].expand(len(rows), 1) if self.stale else numbers[rows]

    def clear(self, state):
        return None


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("padding", ["left", "right"])
@pytest.mark.parametrize(("stale", "verdict"), [(False, "holds"), (True, "refuted")])
def test_lengths_of_padded_rows_must_be_reordered_too(stale, verdict, padding):
    result = results(Mean(stale), "reorder", padding=padding, longest=17)["reorder"]
    assert str(result.verdict) == verdict
    if stale:
        assert f", with padding on the {padding}, in pieces" in result.counterexample.sentence()


def narrow(program, own=torch.float32):
    """Run a program with perturbed results of low-precision operators, and return its result."""
    with OperatorRounding(own, seed=0):
        return program()


def test_only_values_that_an_operator_rounds_to_a_lower_precision_are_perturbed():
    x = torch.tensor([1.0, 0.1, 0.0, -torch.inf])
    low = x.bfloat16()
    moved = narrow(x.bfloat16)
    assert (moved != low).tolist() == [False, True, False, False]
    assert (moved[1] - low[1]).abs() == torch.finfo(torch.bfloat16).eps * 2**-4
    for exact in (lambda: low * 2, lambda: low.view(2, 2), lambda: torch.cat([low, low]), lambda: low[1:]):
        assert torch.equal(narrow(exact), exact())
    assert torch.equal(narrow(lambda: x * 0.1), x * 0.1)
    assert torch.equal(narrow(lambda: low * 0.1, torch.bfloat16), low * 0.1)


def test_a_result_written_into_an_argument_is_perturbed_there():
    buffer = torch.ones(3, dtype=torch.float16)
    narrow(lambda: buffer.__setitem__(slice(1, 3), torch.tensor([2.0, 0.1])))
    assert buffer[:2].tolist() == [1.0, 2.0] and buffer[2] != torch.tensor(0.1).half()


def test_a_parameter_moves_by_the_unit_of_its_dtype_or_of_a_lower_declared_one():
    module = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2).bfloat16()])

    class Holder(Narrow):
        def __init__(self):
            self.module = module

    def change(unit):
        before = [parameter.detach() for parameter in module.parameters()]
        with perturbed(Holder(), unit, seed=0) as other:
            pairs = zip(before, other.module.parameters(), strict=True)
            return [float(((two - one) / one).detach().abs().max()) for one, two in pairs]

    own = change(0.0)
    assert all(x < 2.0**-22 for x in own[:2]) and all(2.0**-9 < x < 2.0**-6 for x in own[2:])
    assert all(x > 2.0**-11 for x in change(2.0**-10))
