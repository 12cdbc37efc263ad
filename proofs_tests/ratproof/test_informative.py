"""Tests of informative cases, in which the scores of the network's automata differ between strings.

Without informative cases, the verdict is never "holds".
"""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from numpy import array, inf
from torch import nn

from automata.semirings import REAL
from automata.wfsa import WFSA
from proofs_tests.breaks import put
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.test_ladder import LADDER, require_informative
from ratproof import believe_kernel, believe_module
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.judge import judge
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.ledger import recording
from ratproof.evidence.results import Observation, Result, gather
from ratproof.implementations.comparison import Constants
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.user_files import outcome_of
from ratproof.laws.kernels import drawing
from theory import registry
from theory.registry import claim_named, claims
from theory.weights import Weights

FADING = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
ALWAYS_ONE = WFSA(REAL, [1], [1], {"a": [[1]], "b": [[1]]})


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch, short_strings):
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))


def constant_zero(recurrence):
    return replace(recurrence, out=lambda w, state: (Fraction(0),))


@pytest.mark.parametrize("claim", ["gated-delta-net", "rwkv-7", "delta-net", "rwkv-5", "model-f"])
def test_a_network_that_outputs_zero_is_refuted_by_exhaustion(claim, monkeypatch):
    put(monkeypatch, claim, "corrected", recurrence=constant_zero)
    with pytest.raises(Disagreement):
        exhaust(claim, claim_named(claim).variant("corrected"), longest=2, letters=1)


def test_small_cases_with_zero_scores_are_not_used_by_the_ladder(monkeypatch):
    """In the 150 cases with the fewest nonzero weights, all outputs are zero."""
    put(monkeypatch, "gated-delta-net", "corrected", small_cases=lambda near: near.__self__.small)
    claim = claim_named("gated-delta-net")
    (step,) = (
        replace(s, claim=claim, variant=claim.variant("corrected"))
        for s in LADDER
        if s.label == "gated-delta-net-corrected-exhausted"
    )
    (seen,) = step.run()
    assert (seen.verdict, seen.informative) == (Verdict.UNKNOWN, 0) and seen.cases > 0
    with pytest.raises(RuntimeError, match="fewer than half"):
        require_informative(step, seen)


def test_every_variant_with_constant_automata_gives_a_reason():
    constant = {(c.name, v.name): v for c in claims().values() for v in c.variants if v.constant}
    assert set(constant) == {
        ("no-drift", "corrected"),
        ("fa-rnn-beta-0", "corrected-only-then"),
        ("fa-rnn-gru-start", "corrected"),
        ("figure-1", "corrected-pushdown"),
        ("figure-1", "corrected-peepholes"),
        ("high-temperatures", "corrected-bound"),
        ("affine-errors", "corrected-return"),
        ("nonnegative-gates", "corrected-changes"),
        ("saturated-lstm", "corrected-counter"),
    }
    assert all(v.expected == "holds" for v in constant.values())


def cell(f, u):
    gates = {"f": {"a": Fraction(f)}, "u": {"a": Fraction(u)}}
    return ExactComparison("proposition-7", "corrected", Weights(REAL, "a", {"c_0": Fraction(0), **gates}))


@pytest.mark.parametrize(
    ("f", "u", "strings", "informative"),
    [(1, 1, ["aa", "a"], 2), (1, 0, ["aa", "a"], 0), (1, 1, [""], 0), (0, 0, [], 0)],
    ids=["a counter", "a zero", "the empty string alone", "no string"],
)
def test_a_case_is_informative_if_scores_of_its_network_differ(f, u, strings, informative):
    with recording() as book:
        agree(cell(f, u), strings)
    assert (book.cases, book.informative) == (len(strings), informative)


def test_a_float_score_is_informative_if_no_constant_is_within_the_bounds():
    constants = Constants()
    assert not constants.exclude(array([[1.0, 5.0]]), array([[0.1, 0.0]]))
    assert not constants.exclude(array([[1.1, 5.0], [9.0, 5.0]]), array([[0.1, 0.0], [inf, 0.0]]))
    assert not constants.exclude(array([[-inf, 0.0]]), array([[inf, inf]]))  # not compared
    assert constants.exclude(array([[1.25, 5.0]]), array([[0.1, 0.0]]))
    assert Constants().exclude(array([[-inf], [3.0]]), array([[0.0], [0.1]]))


def test_without_informative_cases_the_verdict_is_unknown_or_refuted():
    with recording() as book:
        book.add(3)
        book.inform(0)
    assert judge(None, book, book.informative)[0] == Verdict.UNKNOWN
    assert "no case is informative" in judge(None, book, book.informative)[1]
    assert judge(None, book, None)[0] == judge(None, book, 1)[0] == Verdict.HOLDS
    refuted = Disagreement.__new__(Disagreement)
    assert judge(refuted, book, 0)[0] == Verdict.REFUTED


class GivesConstant(nn.Module):
    """A module that outputs a constant for any input."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, inputs):
        return torch.full((*inputs.shape[:2], 1), self.value)


class FadingNetwork(nn.Module):
    """A torch module with the scores of the automaton FADING."""

    def forward(self, inputs):
        state, outputs = torch.zeros(inputs.shape[1]), []
        for x in inputs:
            state = state / 2 + x[:, 0]
            outputs.append(state)
        return torch.stack(outputs).unsqueeze(2)


def results_of(claim, examples=10):
    return {r.kind: r for r in outcome_of([claim], "here", examples=examples).results}


@pytest.mark.parametrize(
    ("module", "automaton", "verdict"),
    [
        (GivesConstant(1.0), ALWAYS_ONE, "unknown"),
        (GivesConstant(2.0), ALWAYS_ONE, "refuted"),
        (FadingNetwork(), FADING, "holds"),
    ],
    ids=["constant", "another constant", "fading"],
)
def test_a_module_of_a_constant_automaton_is_unknown(module, automaton, verdict):
    claim = believe_module("mine", module=module, embeddings=torch.eye(2), alphabet="ab", automaton=automaton)
    for result in results_of(claim).values():
        assert str(result.verdict) == verdict
        assert (0 < result.informative <= result.cases) == (verdict == "holds")


def test_kinds_without_strings_and_kernels_have_no_count(monkeypatch):
    monkeypatch.setattr(drawing, "LENGTHS", (1, 17))
    monkeypatch.setattr(drawing, "VERY_LONG", 0)
    kernel = believe_kernel("mine", family="hgrn", kernel=KERNELS["hgrn"])
    rungs = results_of(kernel, examples=3)
    assert rungs["sampled"].cases and {result.informative for result in rungs.values()} == {None}
    (cross_checked,) = (step for step in LADDER if step.label == "example-15-corrected-cross-checked")
    assert cross_checked.run()[0].informative is None


def row(**counts):
    fields = {
        "kind": "sampled",
        "expected": "holds",
        "verdict": Verdict.HOLDS,
        "test": "a test",
        "seconds": 0.0,
    }
    return Observation("proposition-7", "corrected", **fields, **counts, ran="exact")


def test_counts_are_added_and_survive_processes_and_files():
    observations = [row(cases=5, informative=3), row(cases=2, informative=2), row(cases=1)]
    (result,) = gather([Observation.from_text(o.to_text()) for o in observations], None)
    assert (result.cases, result.informative, result.counted) == (8, 5, 5)
    assert Result.from_json(result.to_json()) == result
    assert Outcome([result]).to_json()["results"][0]["informative"] == 5
