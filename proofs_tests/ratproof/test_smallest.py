"""Tests of smallest failing cases, which are shrunk, or stored and still fail."""

import pytest
from hypothesis import core, settings
from hypothesis import strategies as st

from proofs_tests.smallest import REFUTED
from ratproof.evidence import random_cases, smallest
from ratproof.evidence.counterexample import Counterexample, Disagreement, Refutation
from ratproof.evidence.random_cases import for_random_cases, with_seed
from ratproof.evidence.smallest import keep_in
from ratproof.ladder.environment import unchanged_afterwards

NAME = "a rung of this test's"


RANDOM = [step for step in REFUTED if step.kind in ("sampled", "gradient", "cross-checked")]
"""The refuted steps with random cases, without those that are decided, which take some seconds each."""


@pytest.fixture(autouse=True)
def derandomised():
    """Use the Hypothesis settings of ``verify``, regardless of the seed of the tests."""
    with unchanged_afterwards():
        core.global_force_seed = None
        settings.register_profile("derandomised", settings(), derandomize=True, database=None)
        settings.load_profile("derandomised")
        yield


def ends_with(least: int, seed: int | None = None) -> tuple[int, list[int]]:
    """Search with a test that fails for numbers of at least ``least``.

    Return the number of the reported failure, and all numbers that were tried.
    """
    tried: list[int] = []

    def body(data: st.DataObject) -> None:
        tried.append(data.draw(st.integers(0, 2**40)))
        if tried[-1] >= least:
            raise Disagreement(Counterexample("", "", {}, "", [], tried[-1], "", "", ""))

    with with_seed(seed), pytest.raises(Disagreement) as raised:
        for_random_cases(NAME, 100, body)
    return raised.value.counterexample.unit, tried


@pytest.fixture
def known(monkeypatch):
    """Store a smallest case for a test that fails for numbers of at least 1000."""
    entries: dict[str, str] = {}
    with keep_in(entries):
        assert ends_with(1000)[0] == 1000
    assert list(entries) == [NAME]
    monkeypatch.setattr(smallest, "_kept", lambda: entries)


def test_without_a_known_case_the_shrinker_ends_with_the_smallest():
    assert ends_with(1000)[0] == 1000


def test_a_known_case_ends_the_search_that_found_another(known):
    end, tried = ends_with(1000)
    assert end == 1000 and tried[0] != 1000
    first = next(index for index, number in enumerate(tried) if number >= 1000)
    assert set(tried[first:]) == {tried[first], 1000}  # each failing case runs again


def test_a_known_case_that_passes_leaves_the_search_to_the_shrinker(known):
    assert ends_with(2000)[0] == 2000


def test_without_a_failure_a_known_case_is_not_tried(known):
    tried: list[int] = []
    for_random_cases(NAME, 50, lambda data: tried.append(data.draw(st.integers(1001, 2**40))))
    assert len(tried) == 50


def test_a_run_with_a_seed_shrinks_its_own_case(known):
    end, tried = ends_with(1000, seed=5)
    assert end == 1000 and len(set(tried)) > len(set(ends_with(1000)[1]))


def test_stored_cases_belong_to_refuted_checks():
    parts = ((s.claim.name, s.variant.name, s.kind, s.side.label) for s in REFUTED)
    assert {name.strip() for name in smallest._kept()} <= {" ".join(filter(None, of)) for of in parts}


@pytest.mark.parametrize("step", RANDOM, ids=lambda step: step.label)
def test_each_stored_case_still_refutes(step, monkeypatch):
    """``nox -s smallest`` regenerates them if the drawn cases or Hypothesis's format have changed."""

    def already(search: object) -> None:
        raise Disagreement(Counterexample("", "", {}, "found by a search", [], 0, "", "", ""))

    def anew(search: object, database: object = None) -> None:
        pytest.fail("it is not kept, or fails no more, and would be shrunk anew")

    monkeypatch.setattr(random_cases._Search, "up_to_the_first", already)
    monkeypatch.setattr(random_cases._Search, "all", anew)
    with pytest.raises(Refutation) as raised:
        step.show()
    assert "found by a search" not in str(raised.value)
