"""Tests of the comparison of counts with probabilities.

False alarms are as rare as stated, by exact computation, and deviations and wrong runs are detected.
"""

import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from proofs_tests.mutated_files.specimen_counterexamples import OPTIONS, sampled_runs
from ratproof.implementations.chernoff import FALSE_ALARM, MISSED, divergence, power, surprise, threshold
from ratproof.ladder.counterexample_files import load


def binomial(n: int, p: float) -> list[float]:
    return [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


@pytest.mark.parametrize("n", [1, 10, 200])
@pytest.mark.parametrize("p", [0.0, 1e-6, 0.02, 0.3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("alarm", [0.5, 0.05, 1e-4])
def test_an_alarm_is_as_rare_as_chernoffs_bound(n, p, alarm):
    """The binomial distribution is computed exactly, without sampling or a normal approximation."""
    most = math.log(2 / alarm)
    assert sum(w for c, w in enumerate(binomial(n, p)) if surprise(c, n, p, 0.0) > most) <= alarm


@pytest.mark.parametrize("p", [0.0, 0.1, 0.4])
def test_a_deviation_within_the_stated_power_is_detected(p):
    n, most = 1000, threshold(480)
    off = min(1.0, p + power(n, most))
    assert sum(w for c, w in enumerate(binomial(n, off)) if surprise(c, n, p, 0.0) <= most) <= MISSED


def test_all_tests_together_alarm_once_in_a_million():
    for tests in (1, 480, 10**6):
        assert math.isclose(2 * tests * math.exp(-threshold(tests)), FALSE_ALARM)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_divergence_is_at_least_twice_the_square(a, p):
    assert divergence(a, p) >= 2 * (a - p) ** 2 - 1e-12


def test_an_impossible_outcome_is_an_alarm_at_once():
    assert surprise(1, 10**6, 0.0, 0.0) == math.inf and surprise(0, 10**6, 0.0, 0.0) == 0


runs = partial(sampled_runs, count=10_000)


def first_difference(comparison, strings=("ab", "aab", "b", "bbab")):
    return next((c.difference for c in comparison.compare(strings) if c.difference is not None), None)


def test_runs_agree_with_their_own_automaton():
    assert first_difference(runs()) is None
    assert first_difference(runs(dtype="float64")) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.replace(matrices=a.matrices.transpose(0, 2, 1)),
        lambda a: a.replace(initial=np.roll(a.initial, 1)),
        lambda a: a.replace(matrices=a.matrices[::-1]),
    ],
    ids=["transposed", "another start", "swapped symbols"],
)
def test_wrong_automata_are_detected(change):
    comparison = runs()
    comparison.__dict__["_automata"] = [change(a) for a in comparison.automata()]
    assert "runs" in first_difference(comparison).network


def test_a_network_that_moves_to_the_most_probable_centroid_is_detected():
    comparison = runs()
    comparison.layer.cell.component.transition = "limit"
    assert "runs" in first_difference(comparison).network


def test_a_cell_with_memory_is_detected_exactly(monkeypatch):
    """The cell's alpha depends not only on the current centroid but also on the number of steps."""
    comparison = runs()
    part, steps = comparison.layer.cell.part, []
    plain = part.step

    def remembering(read, state):
        steps.append(read)
        return plain(read + 1e-6 * len(steps), state)

    monkeypatch.setattr(part, "step", remembering)
    difference = first_difference(comparison)
    assert difference.bound == "0" and "runs" not in difference.network


def test_a_saved_comparison_is_read_back_and_runs_again():
    comparison = runs()
    back = load({"claim": "theorem-3.1", "variant": "corrected", "comparison": comparison.to_json()}, "here")
    assert back.to_json() == comparison.to_json() and back.weights() == comparison.weights()
    assert [c.share for c in back.compare(["ab"])] == [c.share for c in comparison.compare(["ab"])]


def test_runs_preserve_torchs_random_state():
    torch.manual_seed(3)
    wanted = torch.rand(4)
    torch.manual_seed(3)
    list(runs().compare(["ab"]))
    assert torch.equal(torch.rand(4), wanted)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "sr-lstm"}, "^network must be sr-elman or sr-gru in float32 or float64, got 'sr-lstm'"),
        ({"dtype": "float16"}, "^network must be .* in float32 or float64, got 'sr-elman' in 'float16'$"),
        ({"count": 10**9}, "^runs must be an integer from 1 to 1,000,000, got 1000000000$"),
        ({"options": {**OPTIONS, "k": 10**6}}, "^k must be an integer from 1 to 64, got 1000000$"),
    ],
)
def test_a_file_that_is_not_such_a_comparison_is_refused(changes, says):
    with pytest.raises(InputError, match=says):
        runs(**changes)
