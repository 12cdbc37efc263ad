"""Tests that only strings whose scores were all compared count as cases.

Without cases, the verdict is unknown.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from automata.errors import InputError, ShapeError
from automata.rounding.bounds import FLOAT32, Deviation, prefix_bounds, share
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.sru import SRU
from ratproof import believe, believe_module
from ratproof.evidence.counterexample import Counterexample, Disagreement, NoSuchAutomaton
from ratproof.evidence.judge import judge
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.ledger import (
    IN_PART,
    MIGHT_OVERFLOW,
    MIGHT_UNDERFLOW,
    NO_ALARM,
    TOO_SHORT,
    WITHOUT_BOUND,
    recording,
)
from ratproof.evidence.results import Observation, gather
from ratproof.evidence.subjects import register
from ratproof.implementations import corpus as texts
from ratproof.implementations.comparison import StringResult
from ratproof.implementations.corpus import Corpus, agree_on_text
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.fa_rnn import program
from ratproof.implementations.fa_rnn.comparison import FARNNComparison
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.openfst import OpenFstComparison
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.decided import decide
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.user_files import check
from ratproof.main import run
from theory.registry import claim_named

LOOP = {"a": [[1]], "b": [[1]]}
HUGE = WFSA(REAL, [10**50], [1], LOOP)
"""An automaton whose scores all exceed the range of float32."""
ONE = WFSA(REAL, [1], [1], LOOP)
LATER_HUGE = WFSA(REAL, [1], [1], {"a": [[10**20]], "b": [[1]]})
"""An automaton whose scores exceed the range of float32 from the second a on."""


pytestmark = pytest.mark.usefixtures("in_tmp_path", "no_own_claims")


class Gives(nn.Module):
    """A module with a constant output for each unit."""

    def __init__(self, *values):
        super().__init__()
        self.values = torch.tensor(values)

    def forward(self, inputs):
        return self.values.expand(len(inputs), 1, -1)


def of_module(module, automaton, **options):
    claim = believe_module(
        "mine", module=module, embeddings=torch.eye(2), alphabet="ab", automaton=automaton, **options
    )
    register(claim)
    return claim.comparison


def counted(comparison, strings):
    """Return the number of cases, and the numbers of omitted strings by reason."""
    with recording() as book:
        agree(comparison, strings)
    return book.cases, book.facts.get("left_out", {})


STRINGS = ["", "a", "b", "aa", "ba", "aba"]


# Torch modules.


@pytest.mark.parametrize("value", [12345.0, float("nan"), float("inf"), 0.0])
def test_a_module_is_not_compared_with_scores_beyond_its_dtype(value, monkeypatch):
    assert counted(of_module(Gives(value), HUGE), STRINGS) == (0, {TOO_SHORT: 1, WITHOUT_BOUND: 5})


@pytest.mark.parametrize("value", ["12345.0", "float('nan')"])
def test_a_module_compared_with_nothing_is_unknown_with_a_reason(value, tmp_path, capsys):
    (tmp_path / "mine.py").write_text(
        "import torch\nfrom automata.semirings import REAL\nfrom automata.wfsa import WFSA\nfrom ratproof"
        " import believe_module\nclass Gives(torch.nn.Module):\n    def forward(self, inputs): return"
        f" torch.full((len(inputs), 1, 1), {value})\n"
        'huge = WFSA(REAL, [10**50], [1], {"a": [[1]], "b": [[1]]})\n'
        'c = believe_module("mine", module=Gives(), embeddings=torch.eye(2), alphabet="ab", automaton=huge)\n'
    )
    assert run(["check", "mine.py", "--examples", "10", "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["verdict"], result["cases"]) == ("unknown", 0)
    assert "the test compared nothing" in result["why"] and "might overflow" in result["why"]
    assert result["facts"]["left_out"]["without_bound"] > 0


@pytest.mark.parametrize("value", [12345.0, float("nan"), float("inf"), -1.0])
def test_a_module_with_a_wrong_constant_is_refuted_if_there_is_a_bound(value):
    with pytest.raises(Disagreement):
        agree(of_module(Gives(value), ONE), ["a"])


def test_a_string_with_some_compared_prefixes_is_not_a_case():
    class Powers(nn.Module):
        def forward(self, inputs):
            return (inputs[:, :, :1] * 1e20 + inputs[:, :, 1:]).cumprod(0)

    assert counted(of_module(Powers(), LATER_HUGE), STRINGS) == (3, {TOO_SHORT: 1, IN_PART: 2})


def test_a_string_with_one_compared_unit_is_not_a_case():
    expected = (0, {TOO_SHORT: 1, IN_PART: 5})
    assert counted(of_module(Gives(1.0, float("nan")), [ONE, HUGE]), STRINGS) == expected


@pytest.mark.parametrize("units", [(1.0,), (1.0, 1.0, 1.0)])
def test_fewer_or_more_outputs_than_automata_are_refused(units):
    with pytest.raises(InputError, match="outputs must have shape"):
        counted(of_module(Gives(*units), [ONE, ONE]), ["a"])


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int64, torch.bool])
def test_integer_outputs_are_refused(dtype):
    class Other(Gives):
        def forward(self, inputs):
            return super().forward(inputs).to(dtype)

    with pytest.raises(InputError, match="outputs must be a floating-point type, got"):
        counted(of_module(Other(1.0), ONE), ["a"])


@pytest.mark.parametrize("slack", [float("nan"), float("inf"), -1.0])
def test_slack_that_is_not_a_number_is_refused(slack):
    with pytest.raises(InputError, match="the slack must be finite and not negative, got"):
        of_module(Gives(1.0), ONE, slack=slack)


def test_slack_under_which_nothing_is_compared_is_unknown_with_a_hint():
    expected = (0, {WITHOUT_BOUND: 1})
    assert counted(of_module(Gives(5.0), WFSA(REAL, ["1/3"], [3], LOOP), slack=1e300), ["a"]) == expected
    assert "a slack of 0.25" in of_module(Gives(1.0), ONE, slack=0.25).ran


def test_a_builtin_layer_with_another_automaton_does_not_use_its_own_deviations():
    """The layer's own automata have two states, but the automaton of the claim has one, and weights of
    another shape.
    """
    layer = SRU(2, 1)
    comparison = of_module(layer, ONE)
    assert comparison.deviations[0].matrices.shape == (1, 1, 1) or comparison.deviations[
        0
    ].matrices.shape == (2, 1, 1)
    with pytest.raises(ShapeError, match=r"deviation\.matrices must have shape"):
        prefix_bounds(ONE, "a", FLOAT32, Deviation(np.zeros((2, 2, 2)), np.zeros(2)))


class TrainingLies(nn.Module):
    """A module that computes wrong outputs in training mode."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5).eval()
        self.other = nn.Dropout(0.5)

    def forward(self, inputs):
        return inputs[:, :, :1].cumsum(0) + 7.0 * self.training


def test_the_report_states_how_a_module_was_run(monkeypatch, capsys):
    module = TrainingLies()
    count = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    claim = believe_module("mine", module=module, embeddings=torch.eye(2), alphabet="ab", automaton=count)
    monkeypatch.setattr("ratproof.ladder.user_files.load", lambda path: {"mine": register(claim) or claim})
    (result,) = check("mine.py", examples=5).results
    assert result.verdict == Verdict.HOLDS
    expected = "TrainingLies in evaluation mode, one string per batch, within the rounding of float32"
    assert result.facts["module"] == expected
    assert run(["check", "mine.py", "--examples", "5"]) == 0
    assert "tested: TrainingLies in evaluation mode, one string per batch" in capsys.readouterr().out.replace(
        "\n", " "
    ).replace("  ", " ")
    assert module.training and module.other.training and not module.drop.training


# Networks.


def network(*weights, dtype="float32"):
    """Return a network with one unit for each weight of its update gate, with f = 1/2 and u = weight / 2."""
    d = len(weights)
    parameters = {
        "forget.weight": [[0.0]] * d,
        "forget.bias": [0.0] * d,
        "update.weight": [[w] for w in weights],
        "update.bias": [0.0] * d,
    }
    options = {"input_size": 1, "hidden_size": d, "nonlinearity": "identity"}
    layer = spec("example-6", options, parameters, [[1.0], [0.0]], "ab", dtype=dtype)
    return LayerComparison("corollary-9", "corrected", layer)


@pytest.mark.parametrize(
    ("weights", "cases", "left_out"),
    [
        ((1.0,), 6, {}),
        ((1.0, 3e38), 2, {IN_PART: 4}),
        ((3e38, 1.0), 2, {IN_PART: 4}),
        ((3e38, 3e38), 2, {IN_PART: 4}),  # the empty prefix of every string has a bound
    ],
)
def test_a_network_with_bounds_everywhere_is_compared_in_full(weights, cases, left_out):
    assert counted(network(*weights), ["", "b", "a", "ab", "aa", "ba"]) == (cases, left_out)


def test_exact_and_fast_comparisons_of_a_network_count_the_same(monkeypatch):
    sides = network(1.0, 3e38)
    states = sides.states(["", "a"])
    assert [sides._exactly(x, state).cases for x, state in zip(["", "a"], states, strict=True)] == [1, 0]


def test_a_network_without_a_bound_on_the_empty_string_is_not_compared_there(monkeypatch):
    unbounded = lambda automata, strings, *_: [
        (np.zeros((len(x) + 1, len(automata))), np.full((len(x) + 1, len(automata)), np.inf)) for x in strings
    ]
    monkeypatch.setattr("ratproof.implementations.layer.unit_bounds", unbounded)
    assert counted(network(1.0), ["", "a"]) == (0, {WITHOUT_BOUND: 2})


def test_states_of_another_shape_are_not_broadcast_to_the_automata(monkeypatch):
    sides = network(1.0, 1.0)
    states = [s[:, :1] for s in sides.states(["a"])]
    monkeypatch.setattr(LayerComparison, "states", lambda *_: states)
    with pytest.raises(ValueError, match="shape"):
        counted(sides, ["a"])


def test_an_fa_rnn_with_bounds_and_without_underflow_is_compared_in_full(monkeypatch):
    read = claim_named("fa-rnn-eq-5").variants[0]
    case = next(read.small_cases(1))
    letter = case.alphabet[0]
    sides = FARNNComparison("fa-rnn-eq-5", read.name, case)
    assert counted(sides, ["", letter])[0] == 2
    monkeypatch.setattr(program, "_may_underflow", lambda w, factors, form: factors > 2)
    assert counted(sides, ["", letter]) == (1, {MIGHT_UNDERFLOW: 1})


def test_an_fa_rnn_that_overflows_is_not_a_case_and_other_nans_are_refuted(monkeypatch):
    """An overflow becomes NaN in the other blocks: 0 times infinity."""
    read = claim_named("fa-rnn-eq-10").variant("corrected")
    case = next(read.small_cases(1))
    large = replace(case, entries={**case.entries, "D_1": ((2**100,),), "v": {"a": (2**100,)}})
    expected = (0, {MIGHT_OVERFLOW: 1})
    assert counted(FARNNComparison("fa-rnn-eq-10", read.name, large, "fa-rnn-blocks"), ["aa"]) == expected
    sides = FARNNComparison("fa-rnn-eq-10", read.name, case, "fa-rnn-blocks")
    monkeypatch.setattr(
        FARNNComparison, "outputs", lambda self, string: np.full((len(string) + 1, 2), np.nan)
    )
    with pytest.raises(Disagreement):
        counted(sides, ["aa"])


def test_runs_whose_counts_cannot_raise_an_alarm_are_not_cases():
    from proofs_tests.ratproof.test_chernoff import runs

    assert counted(runs(), ["ab"]) == (1, {})
    assert counted(runs(count=2), ["ab"]) == (0, {NO_ALARM: 1})


# Real text.


@pytest.mark.parametrize(
    ("unbounded", "cases", "left_out"),
    [
        (lambda unit, sentence, t: False, 3, {}),
        (lambda unit, sentence, t: unit == 1, 0, {IN_PART: 3}),
        (lambda unit, sentence, t: sentence == 0 and t == 3, 2, {IN_PART: 1}),
        (lambda unit, sentence, t: sentence == 1, 2, {WITHOUT_BOUND: 1}),
        (lambda unit, sentence, t: True, 0, {WITHOUT_BOUND: 3}),
    ],
    ids=["all", "one unit", "the end of a sentence", "a sentence", "nothing"],
)
def test_a_sentence_is_a_case_if_all_of_its_scores_were_compared(unbounded, cases, left_out, monkeypatch):
    vectors = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    corpus = Corpus("c.txt", [["c", "a", "b"], ["a", "b"], ["b"]], ["a", "b", "c"], vectors, 0, 2)
    right, calls = texts.bound_table, iter(range(10))

    def table(automaton, batch, *options):
        values, bounds = right(automaton, batch, *options)
        unit = next(calls)
        for row, t in np.ndindex(bounds.shape):
            bounds[row, t] = np.inf if unbounded(unit, row, t) else bounds[row, t]
        return values, bounds

    monkeypatch.setattr(texts, "bound_table", table)
    with recording() as book:
        agree_on_text("proposition-7", "corrected", corpus, "cpu")
    assert (book.cases, book.facts.get("left_out", {})) == (cases, left_out)


# Strings outside the domain of a variant.


def speaks_from(shortest, automaton=ONE, step=lambda c, x: c, start=1):
    claim = believe("mine", start=start, step=step, automaton=automaton)
    claim = replace(claim, variants=(claim.variants[0].changed(shortest=shortest),))
    register(claim)
    return claim


@pytest.mark.parametrize("way", [ExactComparison, OpenFstComparison])
@given(shortest=st.integers(0, 4), strings=st.lists(st.text("ab", max_size=5)))
def test_shorter_strings_are_not_cases(way, shortest, strings):
    claim = speaks_from(shortest)
    long = sum(len(x) >= shortest for x in strings)
    cases, left_out = counted(way("mine", "stated", claim.example), strings)
    assert (cases, left_out.get(TOO_SHORT, 0)) == (long, len(strings) - long)


@given(shortest=st.integers(0, 6))
def test_exhaustion_covers_the_strings_in_the_domain_of_the_variant(shortest):
    claim = speaks_from(shortest)
    with recording() as book:
        exhaust("mine", claim.variants[0], longest=4)
    assert book.cases == sum(2**n for n in range(shortest, 5))


def test_a_variant_about_strings_longer_than_all_runs_never_holds(monkeypatch):
    claim = speaks_from(10**6)
    monkeypatch.setattr("ratproof.ladder.user_files.load", lambda path: {"mine": claim})
    results = check("mine.py", examples=10).results
    assert [(r.verdict, r.cases) for r in results] == [(Verdict.UNKNOWN, 0)] * 4
    assert all("shorter than the strings that the claim is about" in r.why for r in results[:3])
    assert "not decided" in results[3].why


def test_a_difference_outside_the_domain_of_the_variant_refutes_nothing():
    ends_in_one = WFSA(REAL, [1, 0], [0, 1], {"a": [[0, 1], [0, 1]], "b": [[0, 1], [0, 1]]})
    claim = speaks_from(0, ends_in_one)
    with pytest.raises(Disagreement):
        decide(ExactComparison("mine", "stated", claim.example))
    claim = speaks_from(1, ends_in_one)
    decide(ExactComparison("mine", "stated", claim.example))
    claim = speaks_from(2, ends_in_one, step=lambda c, x: c + (x == "b"))
    with pytest.raises(Disagreement) as error:
        decide(ExactComparison("mine", "stated", claim.example))
    assert len(error.value.counterexample.string) == 2


# Comparisons with invalid results.


def test_a_comparison_without_units_is_refused():
    claim = speaks_from(0)
    claim = replace(claim, variants=(claim.variants[0].changed(construction=lambda case: ()),))
    register(claim)
    for rung in (
        lambda: counted(ExactComparison("mine", "stated", claim.example), ["a"]),
        lambda: exhaust("mine", claim.variants[0]),
    ):
        with pytest.raises(InputError, match="must have at least one unit"):
            rung()


def test_automata_with_a_different_order_of_symbols_are_refused():
    claim = speaks_from(0)
    turned = WFSA(REAL, [1], [1], {"b": [[1]], "a": [[1]]})
    register(replace(claim, variants=(claim.variants[0].changed(construction=lambda case: (turned,)),)))
    with pytest.raises(InputError, match="must have the network's alphabet"):
        ExactComparison("mine", "stated", claim.example).compare_all(2)


class Says:
    """A comparison that returns a fixed result for every string."""

    claim, variant, way = "mine", "stated", "says"

    def __init__(self, *compared):
        self.compared = compared

    def compare(self, strings):
        return iter(self.compared)


@pytest.mark.parametrize("used", [float("nan"), 1.5, float("inf")])
def test_a_comparison_without_a_difference_beyond_its_bound_is_not_evidence(used):
    with pytest.raises(
        RuntimeError, match=f"without a difference must use a share of at most 1 of the bound, got {used}"
    ):
        counted(Says(StringResult("a", used, None)), ["a"])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_comparison_that_answers_for_other_strings_is_not_evidence(count):
    with pytest.raises(ValueError, match="zip"):
        counted(Says(*[StringResult("a", None, None)] * count), ["a", "b"])


def test_no_strings_give_no_cases():
    assert counted(Says(), []) == (0, {})


@given(
    st.floats(),
    st.fractions() | st.sampled_from([float("inf"), float("-inf")]),
    st.floats(0) | st.just(float("nan")),
)
def test_the_share_of_a_bound_is_at_most_one_iff_within_it(computed, value, bound):
    used = share([computed], [value], [bound])
    if not bound < np.inf or computed == value:
        assert used == 0
    elif not np.isfinite(computed) or value in (float("inf"), float("-inf")):
        assert used == np.inf
    else:
        from fractions import Fraction

        assert (used <= 1) == (
            abs(Fraction(computed) - value) <= Fraction(bound)
        ) or 1 - 1e-15 < used < 1 + 1e-15


@pytest.mark.parametrize(
    ("verdicts", "kept"),
    [("h", 0), ("hh", 0), ("hr", 1), ("rh", 0), ("hu", None), ("uh", None), ("hur", 2), ("u", None)],
)
def test_a_certificate_is_stored_with_its_verdict(verdicts, kept):
    names = {"h": Verdict.HOLDS, "r": Verdict.REFUTED, "u": Verdict.UNKNOWN}
    seen = [
        Observation("c", "v", "decided", "holds", names[v], "t", 1, 0.1, certificate={"number": i})
        for i, v in enumerate(verdicts)
    ]
    (result,) = gather(seen, None)
    assert result.certificate == (None if kept is None else {"number": kept})


def test_omitted_cases_of_several_tests_are_counted_together():
    def seen(left_out):
        facts = {"left_out": left_out} if left_out else {}
        return Observation("c", "v", "sampled", "holds", Verdict.HOLDS, "t", 3, 0.1, "cpu", facts=facts)

    (result,) = gather([seen({IN_PART: 2}), seen({}), seen({IN_PART: 1, TOO_SHORT: 4})], None)
    assert result.facts["left_out"] == {TOO_SHORT: 4, IN_PART: 3}


def test_a_refutation_without_a_counterexample_gives_a_reason():
    there = Counterexample("claim", "variant", {}, "c = 1", ["a"], 0, "1", "0", "0")
    with recording() as book:
        assert judge(Disagreement(there), book) == (Verdict.REFUTED, "")
        assert judge(NoSuchAutomaton("none does"), book) == (Verdict.REFUTED, "none does")
