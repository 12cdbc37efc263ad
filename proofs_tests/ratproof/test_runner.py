"""Tests that the ladder has every kind of evidence that the claims promise, and that the runner classifies
the results.
"""

import re
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural.example_6 import Example6Cell
from neural.layer_kind import layer_kinds
from proofs_tests.test_ladder import LADDER
from ratproof.evidence import random_cases
from ratproof.evidence.counterexample import Disagreement, NoSuchAutomaton
from ratproof.evidence.kinds import KINDS, Verdict
from ratproof.evidence.ledger import ledger
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.random_cases import for_random_cases, with_seed
from ratproof.evidence.results import require_expected
from ratproof.evidence.run import run
from ratproof.implementations.comparison import counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.implementation import (
    EXAMPLES,
    LAYER_LONG,
    SAMPLED_LAYERS,
    STRINGS,
    TESTS,
    ExactRecurrence,
    SampledLayer,
)
from ratproof.implementations.layer_spec import DTYPES
from ratproof.implementations.layer_strategies import MOST_CENTROIDS
from ratproof.implementations.table import SIDES, side_named
from ratproof.ladder.rungs.table import RUNGS
from ratproof.ladder.steps import Step, on_device
from ratproof.ladder.written import equations, written_checks
from ratproof.ladder.written.check import Inputs, WrittenCheck
from ratproof.laws.kernels.rungs import KERNEL_RUNGS
from ratproof.laws.models.laws import LAWS
from ratproof.report.quantifiers import scopes
from theory.claim import GRADIENT, TORCH
from theory.registry import claim_named, claims

CLAIM = claim_named("proposition-7")
PRINTED = CLAIM.variant("printed")


def test_every_kind_and_every_implementation_has_a_name():
    assert list(RUNGS) == [kind for kind in KINDS if kind in RUNGS]
    assert {*RUNGS, *KERNEL_RUNGS, *LAWS} == {*KINDS}
    assert all(side_named(way).way == way for way in SIDES)


def test_every_variant_has_all_promised_evidence_once_per_implementation():
    labels = [step.label for step in LADDER]
    assert len(set(labels)) == len(labels)
    plain = {(s.claim.name, s.variant.name, s.kind) for s in LADDER if not s.side.label}
    promised = {(c.name, v.name, k) for c in claims().values() for v in c.variants for k in v.kinds}
    assert plain == {rung for rung in promised if rung[2] != GRADIENT}  # only for torch layers


@pytest.mark.parametrize("claim", [c for c in claims().values() if c.layers], ids=lambda c: c.name)
def test_every_layer_of_a_claim_has_all_evidence_in_both_dtypes(claim):
    expected = {
        (kind, f"{layer}-{dtype}")
        for variant in claim.variants
        for layer in (claim.layers if variant.name == "corrected" else variant.layers)
        for dtype in DTYPES
        for kind in ("sampled", GRADIENT, "decided")
        if kind == "sampled"
        or (kind in variant.kinds and layer in layer_kinds() and (claim.layers_are_cases or kind == GRADIENT))
    }
    assert {(s.kind, s.side.label) for s in LADDER if s.claim is claim and s.side.label} == expected
    assert set(claim.layers) <= set(layer_kinds()) | set(SAMPLED_LAYERS)


@settings(max_examples=5, database=None)
@given(st.data())
def test_the_scope_of_layers_that_sample_has_the_lengths_of_their_strings(data):
    """``ratproof claims`` and the pages of claims show it."""
    claim = claim_named("theorem-3.1")
    side, where = SampledLayer("sr-gru", "float32"), (claim, claim.variant("corrected"))
    scope = scopes(*where)["sampled"].partition("random torch layers")[2]
    longest, run, long = map(int, re.findall(r"\b(\d+)\b", scope))
    assert max(map(len, side.sample(*where, claim.effort, data)[1])) <= longest + run
    assert {len(string) for string in side.long_sample(*where, data)[1]} == {long}


def test_a_scope_without_runs_names_none():
    claim = claim_named("definition-4")
    assert "up to 0" not in scopes(claim, claim.variant("corrected"))["sampled"]


def test_a_layer_runs_on_the_requested_device_and_fractions_on_none():
    (layer,) = [s for s in LADDER if s.label == "model-b-corrected-sampled-rrnn-b-float64"]
    assert layer.side.device == "cpu" and on_device(layer, "cuda").side.device == "cuda"
    assert {s.side.device for s in LADDER if not s.side.label} == {None}


def observed(assertion, **options):
    return run(assertion, CLAIM, PRINTED, None, kind="sampled", **options)


def differs():
    comparison = ExactComparison(CLAIM.name, PRINTED.name, next(PRINTED.small_cases(1)))
    raise Disagreement(counterexample(comparison, next(iter(comparison.compare([""])))))


def no_automaton():
    raise NoSuchAutomaton("none at all")


def crash():
    ledger().add(1)
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("assertion", "verdict", "why"),
    [
        (lambda: ledger().add(3), Verdict.HOLDS, ""),
        (lambda: None, Verdict.UNKNOWN, "the test compared nothing"),
        (differs, Verdict.REFUTED, ""),
        (no_automaton, Verdict.REFUTED, "none at all"),
        (crash, Verdict.UNKNOWN, "ZeroDivisionError: oh"),
        (lambda: exit(0), Verdict.UNKNOWN, "SystemExit: 0"),
    ],
    ids=["cases", "no case", "a difference", "no automaton", "a crash", "an exit"],
)
def test_the_outcome_of_a_check_becomes_a_verdict(assertion, verdict, why):
    observation = observed(assertion)
    assert (observation.verdict, observation.why) == (verdict, why)
    assert (observation.claim, observation.variant) == ("proposition-7", "printed")
    assert (observation.expected, observation.device) == ("refuted", None)
    assert (observation.counterexample is not None) == (assertion is differs)


EXCHANGED = [
    "proofs_tests/rational_recurrences/test_proposition_7.py"
    "::test_the_gates_of_the_torch_network_are_those_of_the_paper[float64]",
    f"{equations.TEST}[proposition-7-example-6]",
]


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("test", EXCHANGED, ids=["an assertion", "a comparison"])
def test_a_torch_layer_with_exchanged_gates_is_refuted_by_the_equations(test, monkeypatch):
    """The layer's automata have the same gates; the independent implementation of the paper's equations
    detects the exchange.
    """
    gates = Example6Cell.gates

    def exchanged(self, inputs):
        right = gates(self, inputs)
        return right | {"f": 1 - right["f"]}

    monkeypatch.setattr(Example6Cell, "gates", exchanged)
    (seen,) = written_checks()[test].run(Inputs())
    assert (seen.verdict, seen.ran, seen.device) == (Verdict.REFUTED, TORCH, "cpu")


def test_an_interruption_and_missing_requirements_are_not_verdicts():
    for error in (KeyboardInterrupt, NotRun("no Coq")):
        with pytest.raises(type(error) if isinstance(error, Exception) else error):
            observed(mock.Mock(side_effect=error))


def test_an_unimplemented_kind_is_unknown():
    (seen,) = Step(CLAIM, PRINTED, "believed", ExactRecurrence()).run()
    assert seen.verdict == Verdict.UNKNOWN and "the kind believed is not supported" in seen.why


@pytest.mark.parametrize(
    ("statement", "expected", "verdict"),
    [
        ("assert np.False_", "corrected", Verdict.REFUTED),
        ("helper()", "corrected", Verdict.UNKNOWN),
        ("assert np.False_", "printed", Verdict.UNKNOWN),
        ("raise ZeroDivisionError", "printed", Verdict.UNKNOWN),
    ],
)
def test_a_false_assertion_of_a_written_check_refutes_it(statement, expected, verdict, tmp_path):
    """A false assertion in code that the check calls is a crash, and a crash refutes nothing."""
    file = tmp_path / "written.py"
    file.write_text(f"import numpy as np\n\ndef body(inputs):\n    {statement}\n")
    names = {"helper": helper, "__file__": str(file)}
    exec(compile(file.read_text(), str(file), "exec"), names)
    check = WrittenCheck(CLAIM.name, "sampled", (expected,), "a test", names["body"])
    (seen,) = check.run(Inputs())
    assert seen.verdict == verdict and (verdict == Verdict.UNKNOWN or statement in seen.why)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        require_expected([seen])


def helper():
    raise AssertionError


def test_a_claim_that_holds_but_should_be_refuted_is_an_error():
    with pytest.raises(AssertionError, match="proposition-7, variant printed: expected refuted, found holds"):
        require_expected([observed(lambda: ledger().inform(1) or ledger().add(1))])


def drawn(name, seed, examples=5):
    numbers = []
    with with_seed(seed):
        for_random_cases(name, examples, lambda data: numbers.append(data.draw(st.integers(0, 2**60))))
    return numbers


def test_a_seed_reproduces_the_cases_and_each_check_draws_its_own():
    assert drawn("one", 7) == drawn("one", 7) != drawn("one", 8)
    assert len(drawn("one", 7, examples=3)) == 3
    assert drawn("one", None) != drawn("another", None)


def test_a_seed_affects_only_the_code_inside():
    before = random_cases._seed.get()
    with random_cases.with_seed(3):
        assert random_cases._seed.get() == 3
    assert random_cases._seed.get() == before


def test_the_bound_is_divided_among_at_least_as_many_counts_as_are_compared():
    layers = sum(isinstance(step.side, SampledLayer) for step in LADDER)
    assert 0 < layers * (EXAMPLES * STRINGS + LAYER_LONG) * MOST_CENTROIDS == TESTS
