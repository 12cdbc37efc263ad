"""Tests of the strings on which a module is checked, in both layouts.

These are the strings that distinguish its automaton from other automata, and shrunk counterexamples.
"""

from functools import partial
from string import ascii_lowercase

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import ratproof
from automata.dfa import DFA
from automata.semirings import MAX_PLUS, REAL
from automata.wfsa import WFSA
from ratproof import classifier
from ratproof.api import modules
from ratproof.evidence.lengths import LENGTHS
from ratproof.evidence.shrinking import shrink
from ratproof.ladder import programs
from ratproof.ladder.rungs.exhausted import length_within

pytestmark = pytest.mark.usefixtures("short_strings")
EVEN = DFA(("a", "b"), 0, ((1, 0), (0, 1)), frozenset({0}))
EVERY = DFA(("a", "b"), 0, ((0, 0),), frozenset({0}))
NONE = DFA(("a", "b"), 0, ((0, 0),), frozenset())
ONLY_EMPTY = DFA(("a", "b"), 0, ((1, 1), (1, 1)), frozenset({0}))
COUNT = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
ZERO = WFSA(REAL, [1, 0], [0, 0], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
NEVER = WFSA(MAX_PLUS, [0], ["-inf"], {s: [[0]] for s in "ab"})
CANCELS = WFSA(REAL, [1, -1], [1, 1], {s: [[1, 0], [0, 1]] for s in "ab"})


def contains(word, alphabet):
    """Return the DFA of the strings that contain a word."""
    rows = [
        tuple(max(k for k in range(len(word) + 1) if (word[:q] + s).endswith(word[:k])) for s in alphabet)
        for q in range(len(word))
    ]
    last = len(word)
    return DFA(tuple(alphabet), 0, (*rows, (last,) * len(alphabet)), frozenset({last}))


class By(nn.Module):
    """A module that applies a function to its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, inputs):
        return self.function(inputs)


def parity(axis, inputs):
    return (inputs[..., :1].cumsum(axis) % 2 == 0).float()


def check(function, automaton, **options):
    module = function if isinstance(function, nn.Module) else By(function)
    shared = {"embeddings": torch.eye(2), "alphabet": "ab", "examples": 5}
    if isinstance(automaton, DFA):
        shared["accepts"] = 0.5
    return ratproof.check(module, automaton, **{**shared, **options})


def verdicts(report):
    return {result.kind: str(result.verdict) for result in report.results}


def words(report):
    return " ".join(str(report).split())


def test_a_module_that_rejects_everything_is_refuted_by_the_one_accepted_word():
    report = check(
        lambda x: torch.zeros(*x.shape[:2], 1),
        contains("password", ascii_lowercase),
        embeddings=torch.eye(26),
        alphabet=ascii_lowercase,
    )
    assert {"".join(result.counterexample.string) for result in report.results} == {"password"}


def test_the_report_counts_accepted_and_distinguishing_strings(monkeypatch):
    monkeypatch.setattr(programs, "length_within", length_within)
    report = check(partial(parity, 0), EVEN)
    sampled, exhausted = report.results
    assert report.as_expected and 0 < sampled.facts["accepted"] < sampled.cases
    assert exhausted.facts["accepted"] == 2**13 - 1 and exhausted.facts["longest"] == 13
    assert "accepted 8,191 cases" in words(report)
    assert "every other DFA with at most 9 states" in words(report)


def test_long_distinguishing_strings_do_not_count_as_exhausted(monkeypatch):
    monkeypatch.setattr(programs, "length_within", length_within)

    def contains_a_run(inputs):
        if len(inputs) < 15:
            return torch.zeros(inputs.shape[1], 1)
        return (inputs[..., 0].unfold(0, 15, 1).sum(-1) == 15).any(0).float()[:, None]

    report = check(contains_a_run, contains("a" * 15, "ab"))
    exhausted = report.results[1]
    assert report.as_expected and exhausted.facts["longest"] == 13 and exhausted.facts["accepted"] > 0


def test_the_report_counts_the_scores_that_are_not_zero():
    (result,) = check(lambda x: x[..., :1].cumsum(0), COUNT).results
    assert result.verdict == "holds" and 0 < result.facts["not_zero"] < result.cases


RATE = torch.tensor(0.3, dtype=torch.float64)
INDICES = nn.Parameter(torch.arange(2), requires_grad=False)


@pytest.mark.parametrize(
    "tensors",
    [{"rate": nn.Parameter(RATE)}, {"indices": INDICES, "rate": nn.Parameter(RATE)}, {"rate": RATE}],
)
def test_the_bound_is_that_of_the_float_parameters_or_buffers(tensors):
    """The module forgets at the rate 0.3 + 1e-9 in float64; this is within rounding in float32 only."""
    module = By(lambda x: fading(x, 0.3 + 1e-9))
    for name, tensor in tensors.items():
        register = module.register_parameter if isinstance(tensor, nn.Parameter) else module.register_buffer
        register(name, tensor)
    matrices = {"a": [[1, 1], [0, 0.3]], "b": [[1, 0], [0, 0.3]]}
    (result,) = check(module, WFSA(REAL, [1, 0], [0, 1], matrices)).results
    assert result.verdict == "refuted"


def fading(inputs, rate):
    state, outputs = torch.zeros(inputs.shape[1], 1, dtype=torch.float64), []
    for x in inputs.double():
        state = rate * state + x[:, :1]
        outputs.append(state)
    return torch.stack(outputs)


@pytest.mark.parametrize(
    ("automaton", "value", "says"),
    [
        (EVERY, 1.0, "accepts every nonempty string"),
        (NONE, 0.0, "accepts no nonempty string"),
        (ONLY_EMPTY, 0.0, "accepts no nonempty string"),
        (ZERO, 0.0, "scores every string zero"),
        (CANCELS, 0.0, "scores every string zero"),
        (NEVER, -torch.inf, "scores every string zero"),
    ],
    ids=["every", "none", "only the empty string", "no final state", "cancels", "max-plus"],
)
def test_a_constant_automaton_gives_unknown_with_a_reason(automaton, value, says):
    report = check(lambda x: torch.full((*x.shape[:2], 1), value), automaton)
    assert set(verdicts(report).values()) == {"unknown"}
    assert all(says in result.why for result in report.results)


@settings(max_examples=4)
@given(st.integers(14, 40), st.integers(0, 1))
def test_a_counterexample_is_shrunk_to_the_necessary_symbol(most, symbol):
    """The module fails only on strings that are longer than the exhausted ones."""
    report = check(lambda x: (x[..., symbol : symbol + 1].cumsum(0) < most).float(), EVERY)
    (example,) = [result.counterexample for result in report.results if result.counterexample is not None]
    assert example.string == ["ab"[symbol]] * most
    assert (example.network, example.automaton) == ("false", "true")


def test_a_counterexample_of_scores_is_short(monkeypatch):
    monkeypatch.setattr(modules, "LENGTHS", LENGTHS)

    def capped(inputs):
        return inputs[..., :1].cumsum(0).clamp(max=15)

    (result,) = check(capped, COUNT).results
    assert result.counterexample.string == ["a"] * 16


def test_the_report_states_if_the_search_for_a_smaller_string_was_cut_off(monkeypatch):
    monkeypatch.setattr(programs, "shrink", partial(shrink, most_calls=2))
    report = check(lambda x: (x[..., 1:].cumsum(0) < 20).float(), EVERY)
    assert "the search for a smaller string stopped after 2 strings" in words(report)


@pytest.mark.parametrize("most", [1, 5, 6])
def test_a_module_that_fails_only_once_is_unknown(most):
    """The module fails in the comparison or while the string is shrunk, but not in the confirmation."""
    calls = []

    def tired(inputs):
        calls.append(1)
        return parity(0, inputs) if len(calls) > most else 1 - parity(0, inputs)

    report = check(tired, EVEN)
    assert verdicts(report)["sampled"] == "unknown"


BATCH_FIRST = {
    "every step": (partial(parity, 1), EVEN),
    "last step": (lambda x: (x[..., :1].sum(1) % 2 == 0).float(), EVEN),
    "scores": (lambda x: x[..., :1].cumsum(1), COUNT),
}


@pytest.mark.parametrize(("function", "automaton"), BATCH_FIRST.values(), ids=BATCH_FIRST)
def test_a_batch_first_module_gets_a_hint_and_holds_with_the_option(function, automaton):
    report = check(function, automaton)
    assert not report.as_expected and "pass batch_first=True" in words(report)
    assert check(function, automaton, batch_first=True).as_expected


def test_a_steps_first_module_gets_a_hint_and_a_wrong_one_does_not():
    assert "pass batch_first=False" in words(check(partial(parity, 0), EVEN, batch_first=True))
    wrong = check(lambda x: 1 - parity(1, x), EVEN)
    assert not wrong.as_expected and "batch_first" not in words(wrong)


def test_the_option_must_match_the_layer():
    layer = nn.RNN(2, 1, batch_first=True)
    with pytest.raises(ratproof.InputError, match="pass batch_first=True"):
        check(layer, EVEN)
    with pytest.raises(ratproof.InputError, match="batch_first must be True or False, got 1"):
        check(layer, EVEN, batch_first=1)


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@given(data=st.data())
@settings(max_examples=20)
def test_a_classifier_returns_the_outputs_of_the_layers(kind, data):
    batch_first, bidirectional, packed = (data.draw(st.booleans()) for _ in range(3))
    padding, steps, batch = (
        data.draw(st.integers(0, 2)),
        data.draw(st.integers(1, 5)),
        data.draw(st.integers(1, 3)),
    )
    rnn = kind(2, 3, num_layers=2, batch_first=batch_first, bidirectional=bidirectional)
    linear, inputs = nn.Linear(3 * (1 + bidirectional), 2), torch.randn(steps, batch, 2)
    padded = inputs if packed else torch.cat([inputs, torch.zeros(padding, batch, 2)])
    every, _ = rnn(padded.transpose(0, 1) if batch_first else padded)
    every = (every.transpose(0, 1) if batch_first else every)[:steps]
    options = {"padding": padding, "packed": packed}
    torch.testing.assert_close(classifier(rnn, linear, last=False, **options)(inputs), linear(every))
    if packed or not padding or not bidirectional:  # final states are at both ends
        _, state = rnn(inputs.transpose(0, 1) if batch_first else inputs)
        state = state[0] if kind is nn.LSTM else state
        final = torch.cat(list(state[-1 - bidirectional :]), dim=1)
        torch.testing.assert_close(classifier(rnn, linear, **options)(inputs), linear(final))


@pytest.mark.parametrize(
    ("batch_first", "options"),
    [(True, {}), (False, {"last": False}), (True, {"padding": 3}), (False, {"packed": True})],
    ids=str,
)
def test_a_classifier_on_a_layer_is_checked(batch_first, options):
    """A classifier on a recurrent layer accepts a string if the last symbol is an a."""
    rnn, linear = nn.RNN(2, 1, batch_first=batch_first), nn.Linear(1, 1)
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(torch.tensor([[1.0, -1.0]]))
        for name in ("weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            getattr(rnn, name).zero_()
        linear.weight.fill_(1.0)
        linear.bias.zero_()
    ends_in_a = DFA(("a", "b"), 0, ((1, 0), (1, 0)), frozenset({1}))
    embedding = nn.Embedding.from_pretrained(torch.eye(2))
    assert check(classifier(rnn, linear, **options), ends_in_a, accepts=0.0).as_expected
    numbers = classifier(rnn, linear, embedding=embedding, **options)
    assert check(numbers, ends_in_a, accepts=0.0, embeddings=torch.arange(2)).as_expected
    assert verdicts(check(classifier(rnn, linear, **options), EVEN, accepts=0.0))["sampled"] == "refuted"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((nn.Linear(1, 1), nn.Linear(1, 1)), "rnn must be an nn.RNN, nn.GRU or nn.LSTM, got a Linear"),
        ((nn.RNN(1, 1), 5), "linear must be a module, and embedding a module or None, got 5 and None"),
    ],
)
def test_other_arguments_of_a_classifier_are_refused(arguments, says):
    with pytest.raises(ratproof.InputError, match=says):
        classifier(*arguments)
    with pytest.raises(ratproof.InputError, match="padding must be a non-negative integer, got -1"):
        classifier(nn.RNN(1, 1), nn.Linear(1, 1), padding=-1)
