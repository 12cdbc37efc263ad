"""Tests of claims about a user's own torch modules.

Correct modules hold within the derived bound, and a short string refutes a wrong module.
"""

import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from automata.dfa import DFA
from automata.errors import InputError
from automata.semirings import MAX_PLUS, REAL
from automata.wfsa import WFSA
from neural.qrnn import QRNN
from neural.rrnn_b_max_plus import RRNNBMaxPlus
from neural.sru import SRU
from ratproof import believe_module
from ratproof import check as check_module
from ratproof.api import modules
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.lengths import LENGTHS
from ratproof.ladder.user_files import check, outcome_of

FADING = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
A_LAST = DFA("ab", 0, ((1, 0), (1, 0)), frozenset({1}))

FILE = """
import torch
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe_module

class Fading(torch.nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = torch.nn.Parameter(torch.tensor(rate))

    def forward(self, inputs):
        c, states = torch.zeros(1, 1), []
        for x in inputs.unbind(0):
            c = self.rate * c + x
            states.append(c)
        return torch.stack(states), c

automaton = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
embeddings = torch.tensor([[1.0], [0.0]])
claims = [
    believe_module(name, module=Fading(rate), embeddings=embeddings, alphabet="ab", automaton=automaton)
    for name, rate in (("right", 0.5), ("wrong", 0.5000001))
]
"""


pytestmark = pytest.mark.usefixtures("in_tmp_path", "no_own_claims", "short_strings")


def test_a_correct_module_holds_and_one_off_by_an_ulp_is_refuted(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    right, wrong = check("mine.py").results
    assert right.verdict == Verdict.HOLDS and right.share is not None and right.cases > 100
    assert wrong.verdict == Verdict.REFUTED and wrong.kept is not None
    assert wrong.counterexample.string[0] == "a" and len(wrong.counterexample.string) == 2


@pytest.mark.parametrize(
    "layer",
    [SRU(3, 2), QRNN(3, 2, window=2), RRNNBMaxPlus(3, 2, output_gate=True)],
    ids=lambda m: type(m).__name__,
)
def test_a_builtin_layer_extracts_its_own_automata(layer):
    torch.manual_seed(1)
    claim = believe_module("layer", module=layer, embeddings=torch.randn(2, 3), alphabet="ab")
    comparisons = list(claim.comparison.compare(["", "a", "abba", "b" * 30]))
    assert all(c.difference is None for c in comparisons) and [c.cases for c in comparisons] == [0, 1, 1, 1]


class EdgeLayer(nn.Module):
    """A layer that loses its state at one step, as a kernel that computes in chunks may do."""

    def __init__(self, layer, edge):
        super().__init__()
        self.layer, self.edge = layer, edge

    def forward(self, inputs):
        return torch.cat([self.layer.scores(x) for x in inputs.split(self.edge)])


@pytest.mark.parametrize("edge", [16, 1024])
def test_a_state_that_is_lost_late_is_refuted(edge, monkeypatch):
    monkeypatch.setattr(modules, "LENGTHS", LENGTHS)
    torch.manual_seed(1)
    layer, embeddings = SRU(3, 2), torch.randn(2, 3)
    automaton = layer.to_automata(embeddings, "ab")
    report = check_module(
        EdgeLayer(layer, edge), automaton, embeddings=embeddings, alphabet="ab", slack=1e-6, examples=1
    )
    (result,) = report.results
    assert str(result.verdict) == "refuted"
    assert edge < len(result.counterexample.string) <= 2 * edge + 1


def test_a_difference_of_a_few_roundings_suggests_slack():
    """A float32 module seldom computes the exact weights of a user's own automaton."""
    torch.manual_seed(1)

    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.forget, self.update = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)

        def forward(self, inputs):
            c, outputs = torch.zeros(inputs.shape[1], 1), []
            for x in inputs:
                f = torch.sigmoid(self.forget(x))
                c = f * c + (1 - f) * self.update(x)
                outputs.append(c)
            return torch.stack(outputs)

    module = Gated()
    f = torch.sigmoid(module.forget.weight[0]).tolist()
    u = module.update.weight[0].tolist()

    def checked(off, **more):
        table = {s: [[1, (1 - f[i]) * u[i] + off], [0, f[i]]] for i, s in enumerate("ab")}
        sums = WFSA(REAL, [1, 0], [0, 1], table)
        return check_module(module, sums, embeddings=torch.eye(2), alphabet="ab", examples=10, **more)

    near, far = checked(0), checked(1e-3)
    assert not near.as_expected and "set the allowed difference with slack=" in " ".join(str(near).split())
    assert not far.as_expected and "slack=" not in str(far)
    assert checked(0, slack=1e-6).as_expected


def test_slack_is_not_suggested_for_a_score_of_minus_infinity():
    class Count(nn.Module):
        def forward(self, inputs):
            return inputs[..., :1].cumsum(0)

    never = WFSA(MAX_PLUS, [0], [0], {"a": [[1]], "b": [["-inf"]]})
    report = check_module(Count(), never, embeddings=torch.eye(2), alphabet="ab", examples=10)
    assert not report.as_expected and "slack=" not in str(report)


def test_slack_allows_for_rounded_gates():
    class Third(nn.Module):
        def forward(self, inputs):
            return inputs.cumsum(0) * torch.tensor(1 / 3)

    sums = WFSA(REAL, [1, 0], [0, "1/3"], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    embeddings = torch.tensor([[1.0], [0.0]])
    tight = believe_module("third", module=Third(), embeddings=embeddings, alphabet="ab", automaton=sums)
    roomy = believe_module(
        "third", module=Third(), embeddings=embeddings, alphabet="ab", automaton=sums, slack=1e-3
    )
    shares = [next(iter(c.comparison.compare(["a" * 9]))).share for c in (tight, roomy)]
    assert shares[1] < shares[0] <= 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"module": nn.Identity()}, "has no method that returns its automata"),
        (
            {"module": nn.Identity(), "automaton": FADING, "alphabet": "ba"},
            "the alphabet must be that of the automata",
        ),
        (
            {"module": nn.Identity(), "automaton": FADING, "embeddings": torch.eye(3)},
            "embeddings must have one row for each of 2 symbols, got 3",
        ),
    ],
)
def test_inconsistent_arguments_are_reported(options, says):
    with pytest.raises(InputError, match=says):
        believe_module("mine", **{"embeddings": torch.eye(2), "alphabet": "ab", **options})


def test_outputs_of_the_wrong_shape_are_reported():
    claim = believe_module(
        "mine", module=nn.Identity(), embeddings=torch.eye(2), alphabet="ab", automaton=FADING
    )
    with pytest.raises(
        InputError, match=r"outputs must have shape \(T, B, units\) = \(1, 1, 1\), got \(1, 1, 2\)"
    ):
        next(iter(claim.comparison.compare(["a"])))


def test_the_message_on_a_decision_of_the_wrong_shape_shows_both_allowed_shapes():
    class Squeezed(nn.Module):
        def forward(self, inputs):
            return inputs[-1, :, 0]

    claim = believe_module(
        "mine", module=Squeezed(), embeddings=torch.eye(2), alphabet="ab", automaton=A_LAST, accepts=0.5
    )
    with pytest.raises(InputError, match=r"\(1, 1, units\) or, for the last symbol only, \(B, units\), got"):
        next(iter(claim.comparison.compare(["a"])))


class WithAnEmbedding(torch.nn.Module):
    """A module that sums the embeddings of the symbols; it maps ``(T, B)`` to ``(T, B, 1)``."""

    def __init__(self, rows):
        super().__init__()
        self.vectors = torch.nn.Embedding.from_pretrained(torch.tensor(rows, dtype=torch.float64))

    def forward(self, numbers):
        return self.vectors(numbers).cumsum(0)


@pytest.mark.parametrize(
    ("rows", "numbers", "verdict"),
    [
        ([[1.0], [2.0]], [0, 1], "holds"),
        ([[2.0], [9.0], [1.0]], [2, 0], "holds"),
        ([[1.0], [2.0]], [1, 0], "refuted"),
        ([[1.0]], [0, 1], "unknown"),
    ],
)
def test_a_module_with_an_embedding_reads_indices(rows, numbers, verdict):
    """The automaton adds 1 for a, and 2 for b; the last module has no vector for b."""
    adds = {x: [[1.0, value], [0.0, 1.0]] for x, value in (("a", 1.0), ("b", 2.0))}
    automaton = WFSA(REAL, [1.0, 0.0], [0.0, 1.0], adds)
    report = check_module(WithAnEmbedding(rows), automaton, embeddings=torch.tensor(numbers), alphabet="ab")
    assert [str(result.verdict) for result in report.results] == [verdict]


@pytest.mark.parametrize("numbers", [torch.zeros(2), torch.zeros(2, dtype=torch.bool), torch.zeros(2, 1, 1)])
def test_inputs_other_than_indices_are_refused(numbers):
    with pytest.raises(InputError, match=r"or integers of shape \(symbols,\)"):
        check_module(WithAnEmbedding([[1.0]]), embeddings=numbers, alphabet="ab")


class MixedDtypes(nn.Module):
    """c <- c / 2 + [x = a] in float32, beside an unused parameter of another dtype."""

    def __init__(self, other):
        super().__init__()
        self.unused = nn.Parameter(torch.ones((), dtype=other))
        self.rate = nn.Parameter(torch.tensor(0.5))

    def forward(self, inputs):
        state, states = torch.zeros(inputs.shape[1], 1), []
        for x in inputs:
            state = self.rate * state + x
            states.append(state)
        return torch.stack(states)


ONLY_A = {"embeddings": torch.tensor([[1.0], [0.0]]), "alphabet": "ab", "automaton": FADING}


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_precision_of_a_module_with_several_dtypes_is_unknown(dtype):
    claim = believe_module("mixed", module=MixedDtypes(dtype), **ONLY_A)
    (result,) = outcome_of([claim], "test").results
    assert result.verdict == Verdict.UNKNOWN
    assert "must have one floating-point dtype, got torch." in result.why


def test_an_output_that_depends_on_later_symbols_is_named():
    """The first output is wrong if a string of three symbols or more ends with b."""

    class LooksAhead(MixedDtypes):
        def forward(self, inputs):
            states = super().forward(inputs)
            late = len(inputs) > 2 and inputs[-1, 0, 0] == 0
            return states + (torch.arange(len(inputs)) == 0)[:, None, None] if late else states

    claim = believe_module("ahead", module=LooksAhead(torch.float32), **ONLY_A)
    (result,) = outcome_of([claim], "test").results
    assert result.verdict == Verdict.UNKNOWN
    assert "the output after a prefix depends on the symbols that follow" in result.why


@settings(max_examples=2, deadline=None)
@given(st.integers(2, 3))
def test_a_claim_can_be_checked_in_a_hypothesis_test_with_its_own_settings(examples):
    half, before = WFSA(REAL, [1], [1], {"a": [["1/2"]]}), settings.default
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_module(nn.Identity(), half, embeddings=torch.ones(1, 1), alphabet="a", examples=examples)
    assert settings.default is before
