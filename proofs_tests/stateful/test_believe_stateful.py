"""Tests that correct models with a state satisfy every property, and that each mistake breaks one."""

import ast
import json
import runpy
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from automata.errors import InputError
from proofs_tests.stateful.causal import CausalLM
from proofs_tests.stateful.parallel import LinearAttention
from proofs_tests.stateful.recurrent import RecurrentModel, Shared, StepModel
from proofs_tests.stateful.verdicts import laws_of, results, verdicts
from ratproof import Tokens, Vectors, believe_stateful, of_causal_model, of_torch_rnn
from ratproof.laws.models.model import LAWS
from ratproof.main import run

SHORT = 34
"""Maximum number of tokens in tests for which long inputs find nothing more: two chunks, and two tokens."""
RIGHT = {
    "rnn": lambda: of_torch_rnn(nn.RNN(3, 5)),
    "lstm": lambda: of_torch_rnn(nn.LSTM(3, 40, 2, batch_first=True)),
    "lstm in float64": lambda: of_torch_rnn(nn.LSTM(3, 5, proj_size=2).double()),
    "gru": lambda: of_torch_rnn(nn.GRU(3, 5, 2, dropout=0.5)),
    "gru in bfloat16": lambda: of_torch_rnn(nn.GRU(3, 5).bfloat16()),
    "attention": lambda: of_causal_model(CausalLM()),
    "attention on vectors": lambda: of_causal_model(CausalLM(longest=SHORT), inputs=Vectors(16)),
    "attention in bfloat16": lambda: of_causal_model(CausalLM(longest=SHORT).bfloat16()),
    "a hand-written model": RecurrentModel,
    "chunks and steps": LinearAttention,
    "chunks and steps in bfloat16": lambda: LinearAttention(torch.bfloat16),
    "bfloat16 inside": lambda: LinearAttention(inside=torch.bfloat16),
}

READ_ALL_LENGTHS = ("lstm", "attention", "chunks and steps")
"""The names of the correct models that also read long inputs; the others differ in their dtype or size."""


@pytest.fixture(autouse=True)
def _the_same_weights():
    torch.manual_seed(0)


@pytest.mark.parametrize("name", RIGHT)
def test_a_correct_model_satisfies_every_property(name):
    model = RIGHT[name]()
    longest = None if name in READ_ALL_LENGTHS else model.longest or SHORT
    assert verdicts(model, longest=longest) == dict.fromkeys(laws_of(model), "holds")


MISTAKES = {
    "a state lost at a chunk's edge": (RecurrentModel, "pieces"),
    "the last token of a piece dropped": (CausalLM, "pieces"),
    "nothing kept after 100 steps": (StepModel, "pieces"),
    "rows exchanged in a later call": (RecurrentModel, "pieces"),
    "positions from 0 in every call": (CausalLM, "pieces"),
    "the largest of the batch": (RecurrentModel, "batch"),
    "centred over the batch": (CausalLM, "batch"),
    "one state for all rows": (RecurrentModel, "batch"),
    "padding is read": (CausalLM, "padding"),
    "positions count padding": (CausalLM, "padding"),
    "a token of padding too many is read": (RecurrentModel, "padding"),
    "a state that survives": (RecurrentModel, "reuse"),
    "a step that leaves its state": (RecurrentModel, "reuse"),
    "cleared for one call": (CausalLM, "reuse"),
    "a cache that survives": (CausalLM, "reuse"),
    "the state updated in place": (RecurrentModel, "reuse"),
    "nothing cleared": (RecurrentModel, "reuse"),
    "zeroed and not emptied": (CausalLM, "reuse"),
    "rows exchanged": (RecurrentModel, "reorder"),
    "rows taken back": (CausalLM, "reorder"),
    "values left where they were": (CausalLM, "reorder"),
    "read late, and never reordered": (StepModel, "reorder"),
}


def wrong(mistake):
    kind = MISTAKES[mistake][0]
    return of_causal_model(CausalLM(mistake)) if kind is CausalLM else kind(mistake)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refuted_by_its_own_property(mistake):
    kind = MISTAKES[mistake][1]
    assert verdicts(wrong(mistake), kind, 100) == {kind: "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("mistake", ["a state that survives", "rows exchanged", "nothing cleared"])
def test_and_by_no_other(mistake):
    kind = MISTAKES[mistake][1]
    model = wrong(mistake)
    assert verdicts(model, longest=SHORT) == {
        law: "refuted" if law == kind else "holds" for law in laws_of(model)
    }


def test_a_counterexample_is_the_shortest_and_has_the_fewest_rows():
    edge = results(wrong("a state lost at a chunk's edge"), "pieces", 100)["pieces"].counterexample
    assert edge.problem == "B = 1, T = 17, float32" and edge.position == "outputs[0, 16, 0]"
    batch = results(wrong("the largest of the batch"), "batch", 100)["batch"].counterexample
    assert batch.problem == "B = 2, T = 1, float32"
    # This also holds for a property that a call with any number of rows can break.
    rows = results(wrong("rows exchanged in a later call"), "pieces", 100)["pieces"].counterexample
    assert rows.problem.startswith("B = 2, T = 2,")


def test_a_state_that_all_copies_share_is_refuted_by_reuse(monkeypatch):
    """Earlier calls do not matter: they leave a state of several rows, which a call with one row
    cannot use.
    """
    monkeypatch.setattr(Shared, "everywhere", [torch.ones(2, 3)])
    answers = results(Shared())
    assert {k: str(r.verdict) for k, r in answers.items() if str(r.verdict) != "unknown"} == {
        "reuse": "refuted"
    }


def test_calls_that_raise_hide_no_mistake_in_others():
    class Odd(RecurrentModel):
        def run(self, inputs, state=None, mask=None):
            if inputs.shape[1] == 3:
                raise ValueError("three tokens")
            return super().run(inputs, state, mask)

    result = results(Odd(), "pieces")["pieces"]
    assert str(result.verdict) == "unknown" and result.cases > 20
    assert "for B = 1, T = 3, float32: the model raised ValueError: three tokens" in result.why
    assert verdicts(Odd("a state lost at a chunk's edge"), "pieces") == {"pieces": "refuted"}


def test_a_function_of_vectors_runs_in_float64_if_possible():
    assert results(running, "pieces", **FUNCTION)["pieces"].facts["module"].count("float64") == 1

    def narrow(inputs, state):
        if inputs.dtype != torch.float32:
            raise ValueError("float32 alone")
        return running(inputs, state)

    answer = results(narrow, "pieces", **FUNCTION)["pieces"]
    assert str(answer.verdict) == "holds" and "float64" not in answer.facts["module"]


def test_a_counterexample_contains_the_position_the_calls_and_the_rounding():
    result = results(wrong("positions from 0 in every call"), "pieces")["pieces"]
    sentence = result.counterexample.sentence()
    assert sentence.startswith("for B = 1, T = 2, float32: outputs[0, 1, 0] is ")
    assert " in pieces of 1 and 1 tokens, and " in sentence
    assert " whole (the measured rounding explains at most " in sentence
    kept = json.loads(json.dumps(result.to_json()))["counterexample"]
    assert kept["law"] == "pieces" and len(kept["inputs"]) == 1 and len(kept["inputs"][0]) == 2


def test_a_late_mistake_is_found_at_its_shortest_length():
    def model(inputs, state):
        before = 0 if state is None else state[1]
        start = inputs.new_zeros(len(inputs), 2) if state is None else state[0]
        outputs = start[:, None] + inputs.cumsum(1)
        outputs[:, 100:] *= 1.01
        return outputs, (outputs[:, -1], before + inputs.shape[1])

    result = results(model, "pieces", 100, inputs=Vectors(2), without=("padding", "reorder", "clear"))[
        "pieces"
    ]
    assert result.counterexample.problem.startswith("B = 1, T = 101,")


def test_a_model_runs_in_evaluation_mode_and_is_restored():
    module = CausalLM(longest=20)
    module.norms.eval()
    before = [part.training for part in module.modules()]
    weights = [parameter.clone() for parameter in module.parameters()]
    for law in ("reuse", "padding"):
        assert verdicts(of_causal_model(module), law) == {law: "holds"}
    assert [part.training for part in module.modules()] == before and module.kept is None
    assert all(map(torch.equal, weights, module.parameters()))


def running(inputs, state):
    """Return the running sums of the inputs, and the last sum as the state."""
    start = inputs.new_zeros(len(inputs), 2) if state is None else state
    outputs = start[:, None] + inputs.cumsum(1)
    return outputs, outputs[:, -1]


FUNCTION = {"inputs": Vectors(2), "without": ("padding", "reorder", "clear")}


def test_random_numbers_in_evaluation_mode_give_unknown():
    def model(inputs, state):
        return running(nn.functional.dropout(inputs), state)

    answers = results(model, **FUNCTION)
    assert {str(r.verdict) for r in answers.values()} == {"unknown"}
    assert all("draws random numbers even in evaluation mode" in r.why for r in answers.values())


def test_a_model_that_differs_from_itself_is_refuted_only_by_reuse():
    """Random numbers that torch does not control act like a state that survives."""

    def model(inputs, state):
        outputs, state = running(inputs, state)
        return outputs + np.random.default_rng().random(), state

    answers = results(model, **FUNCTION)
    expected = {"pieces": "unknown", "batch": "unknown", "reuse": "refuted", "gradient": "holds"}
    assert {kind: str(r.verdict) for kind, r in answers.items()} == expected
    assert "two equal calls of fresh models differ" in answers["pieces"].why


def test_a_model_that_cannot_be_copied_is_tested_directly():
    class Locked(RecurrentModel):
        def __init__(self, mistake=""):
            super().__init__(mistake)
            self.lock = threading.Lock()

    assert set(verdicts(Locked(), longest=20).values()) == {"holds"}
    assert verdicts(Locked("a state that survives"), "reuse") == {"reuse": "refuted"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda outputs: outputs / 0 * 0, "outputs are NaN in both runs"),
        (
            lambda outputs: outputs[:, 1:],
            "must be floats of shape (1, 2, ...), got float32 of shape (1, 1, 2)",
        ),
        (lambda outputs: outputs.long(), "must be floats of shape (1, 2, ...), got int64"),
        (lambda outputs: outputs[..., :0], "the outputs must not be empty"),
        (
            lambda outputs: outputs[..., : outputs.shape[1]],
            "must give the same number of output elements, got 4 and 2",
        ),
        (lambda outputs: None, "the outputs must be floats of shape (1, 2, ...), got a NoneType"),
        (lambda outputs: outputs[7], "the model raised IndexError: index 7 is out of bounds"),
    ],
)
def test_incomparable_results_are_unknown_with_a_reason(change, says):
    def model(inputs, state):
        outputs, state = running(inputs, state)
        return change(outputs), state

    result = results(model, "pieces", **FUNCTION)["pieces"]
    assert str(result.verdict) == "unknown" and says in result.why and "for B = 1, T = 2" in result.why


def test_a_model_that_returns_a_wrong_type_gets_a_hint():
    result = results(lambda inputs, state: inputs, "pieces", **FUNCTION)["pieces"]
    assert "the model must return a pair (outputs, state), got a Tensor" in result.why


def test_calls_with_inconsistent_outputs_are_reported():
    """The last axis of the outputs has the number of tokens of the call as its size, so calls of different
    lengths disagree.
    """

    def model(inputs, state):
        outputs, state = running(inputs, state)
        return outputs[..., None].expand(*outputs.shape, inputs.shape[1]), state

    result = results(model, "batch", 100, **FUNCTION)["batch"]
    assert str(result.verdict) == "unknown"
    assert "the same shape after (B, T), got (1, 1, 2, 1) and then (1, 2, 2, 2)" in result.why


def test_nan_in_only_one_kind_of_call_refutes():
    def model(inputs, state):
        outputs, state = running(inputs, state)
        return outputs / (0 if inputs.shape[1] == 1 else 1) * 1.0, state

    assert verdicts(model, "pieces", **FUNCTION) == {"pieces": "refuted"}


def test_equal_infinities_agree():
    def model(inputs, state):
        outputs, state = running(inputs, state)
        outputs[..., 0] = -torch.inf
        return outputs, state

    assert verdicts(model, "pieces", **FUNCTION) == {"pieces": "holds"}


def test_unsupported_features_are_reported_and_not_tried():
    answers = results(RecurrentModel(), without=("padding", "clear", "state-twice", "batch", "gradient"))
    assert list(answers) == ["pieces", "reuse"]
    assert (
        answers["pieces"]
        .facts["module"]
        .endswith(
            "in float32 and float64; not tested: batches of several rows, padding with a mask,"
            " rewinding, snapshots, gradients, cleared caches, a second use of the same state"
        )
    )


def test_a_model_gets_no_more_tokens_than_its_maximum():
    lengths = []

    class Short(RecurrentModel):
        longest = 20

        def run(self, inputs, state=None, mask=None):
            lengths.append(inputs.shape[1])
            return super().run(inputs, state, mask)

    assert set(verdicts(Short()).values()) == {"holds"}
    assert max(lengths) == 20


def test_a_failed_claim_raises_an_assertion_error():
    believe_stateful("right", model=RecurrentModel(), longest=20).check(examples=17)
    with pytest.raises(AssertionError, match=r"outputs\[0, 1, 0\] is"):
        believe_stateful("wrong", model=wrong("positions from 0 in every call"), longest=20).check(17)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"model": 3}, "the model must be a StatefulModel, got a int"),
        ({"model": running}, "inputs must be Tokens.*, got None"),
        (
            {"model": running, "inputs": Vectors(2)},
            r"the model has no method clear\(state\) and no method reorder\(state, rows\) and no"
            r" argument mask; add without=\['clear', 'reorder', 'padding'\]",
        ),
        (
            {"model": running, "inputs": Vectors(2), "without": ("clear",)},
            r"the model has no method reorder\(state",
        ),
        (
            {
                "model": lambda inputs, state: (inputs, state),
                "inputs": Vectors(2),
                "without": ("clear", "reorder"),
            },
            r"the model has no argument mask; add without=\['padding'\]",
        ),
        ({"inputs": 3}, "inputs must be Tokens.*, got 3"),
        ({"device": "gpu"}, "device must be a torch device, such as 'cuda', got 'gpu'"),
        ({"without": ("cache",)}, "each entry of without must be one of pieces, batch.*, got 'cache'"),
        ({"without": "padding"}, "without must be a tuple of names, got 'padding'"),
        ({"without": None}, "without must be a tuple of names, got None"),
        ({"without": LAWS}, "without must not exclude all laws"),
        ({"precision": "float8"}, "precision must be one of float64.*, got 'float8'"),
        ({"longest": 1}, "longest must be an integer of at least 2, got 1"),
    ],
)
def test_inconsistent_arguments_are_reported(more, says):
    with pytest.raises(InputError, match=f"mine: {says}"):
        believe_stateful("mine", **{"model": RecurrentModel(), **more})


@pytest.mark.parametrize("kind", [Tokens, Vectors])
def test_inputs_have_a_size(kind):
    with pytest.raises(InputError, match="must be a positive integer, got 0"):
        kind(0)


WRONG_FILE = """
import torch
from proofs_tests.stateful.test_believe_stateful import wrong
from ratproof import believe_stateful
torch.manual_seed(0)
claim = believe_stateful("wrong", model=wrong("positions from 0 in every call"))
"""


def test_a_counterexample_of_a_model_is_saved_as_a_program(in_tmp_path, capsys):
    Path("mine.py").write_text(WRONG_FILE)
    assert run(["check", "mine.py", "--kind", "pieces", "--examples", "17"]) == 1
    kept = Path(".ratproof/counterexamples/wrong--stated--pieces.py")
    assert f"python {kept}" in capsys.readouterr().out
    runpy.run_path(str(kept))
    program = ast.parse(kept.read_text())
    assert capsys.readouterr().out.strip() == ast.get_docstring(program).split("\n")[0]


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU runs the model")
def test_a_model_on_a_missing_device_is_unknown():
    claim = believe_stateful("gru", model=nn.GRU(2, 2), device="cuda")
    with pytest.raises(AssertionError, match='got "unknown"'):
        claim.check(examples=1)
