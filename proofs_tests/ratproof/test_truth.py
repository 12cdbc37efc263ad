"""Tests of results as values.

They have no truth value, because ``assert equivalent(a, b)`` would pass for all automata.
"""

import pickle

import pytest
import torch

from automata.equivalence import Unknown
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import DFA, believe, believe_kernel, certify, check, classifier, equivalent
from ratproof.api.certification import CertificationReport

HALF = WFSA(REAL, [1], [1], {"a": [["1/2"]]})
CONSTANT = classifier(torch.nn.RNN(1, 1), torch.nn.Linear(1, 1))
for parameter in CONSTANT.parameters():
    torch.nn.init.ones_(parameter)
THIRD = WFSA(REAL, [1], [1], {"a": [["1/3"]]})


def zeros(**arguments):
    return torch.zeros_like(arguments["v"]), None


@pytest.mark.parametrize(
    ("result", "use"),
    [
        (lambda: equivalent(HALF, HALF), ".verdict"),
        (lambda: equivalent(HALF, THIRD), ".verdict"),
        (lambda: Unknown("too large"), ".verdict"),
        (lambda: equivalent(HALF, HALF).certificate, ".to_json()"),
        (lambda: equivalent(HALF, THIRD).certificate, ".to_json()"),
        (lambda: CertificationReport("certified", None, None), ".verdict"),
        (
            lambda: check(torch.nn.Identity(), HALF, embeddings=torch.ones(1, 1), alphabet="a", examples=1),
            ".as_expected",
        ),
        (lambda: believe("mine", start=1, step=lambda c, x: c / 2, automaton=HALF), ".check()"),
        (lambda: believe_kernel("mine", family="gla", kernel=zeros), ".check()"),
    ],
)
def test_a_result_has_no_truth_value_and_the_error_suggests_alternatives(result, use):
    value = result()
    with pytest.raises(TypeError, match=rf"{type(value).__name__} has no truth value: use its \{use[0]}"):
        bool(value)
    with pytest.raises(TypeError, match=use.replace("(", r"\(").replace(")", r"\)")):
        assert value


def test_check_raises_unless_the_answer_is_positive():
    equivalent(HALF, HALF).check()
    CertificationReport("certified", None, None).check()
    with pytest.raises(AssertionError, match='different: on "a" A gives 1/2 and B gives 1/3'):
        equivalent(HALF, THIRD).check()
    with pytest.raises(AssertionError, match="unknown: too large"):
        Unknown("too large").check()
    report = check(torch.nn.Identity(), HALF, embeddings=torch.ones(1, 1), alphabet="a", examples=1)
    with pytest.raises(AssertionError, match=r'got "refuted" \(sampled'):
        report.check()


@pytest.mark.parametrize(
    "decide",
    [
        lambda: equivalent(HALF, HALF),
        lambda: equivalent(HALF, THIRD),
        lambda: certify(CONSTANT, DFA("a", 0, [[0]], {0}), embeddings="one-hot"),
    ],
)
def test_results_with_arrays_can_be_compared_hashed_and_pickled(decide):
    result = decide()
    assert decide() == result == pickle.loads(pickle.dumps(result))
    assert hash(decide()) == hash(result)


def test_results_differ_if_their_verdicts_do():
    assert equivalent(HALF, HALF) != equivalent(HALF, THIRD)
    assert CertificationReport("certified", None, None) != CertificationReport("unknown", None, None)
