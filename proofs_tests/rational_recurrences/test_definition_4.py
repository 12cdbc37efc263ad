"""Tests of Definitions 3 and 4: the string that a path derives, and closures that omit paths."""

from functools import partial

import numpy as np
import pytest

from automata import epsilon
from automata.paths import paths
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof.evidence.counterexample import Disagreement
from ratproof.ladder.rungs.exhausted import exhaust
from theory.registry import claim_named

CLAIM = claim_named("definition-4")


def some_turns(semiring, matrix, turns):
    """Return I + E + ... + E^turns over the reals, where E is ``matrix``."""
    power = total = semiring.identity(len(matrix), exact=matrix.dtype == object)
    for _ in range(turns):
        power = np.dot(power, matrix)
        total = total + power
    return total


def without_the_identity(closure, semiring, matrix):
    return closure(semiring, matrix) - semiring.identity(len(matrix), exact=matrix.dtype == object)


@pytest.mark.parametrize("turns", [0, 1, 2, 20])
def test_a_closure_of_few_turns_is_refuted(turns, monkeypatch):
    monkeypatch.setattr("automata.epsilon.closure", lambda k, matrix: some_turns(k, matrix, turns))
    with pytest.raises(Disagreement):
        exhaust(CLAIM.name, CLAIM.variant("corrected-cycles"), longest=1, letters=1)


def test_a_closure_without_the_empty_paths_is_refuted(monkeypatch):
    monkeypatch.setattr("automata.epsilon.closure", partial(without_the_identity, epsilon.closure))
    with pytest.raises(Disagreement):
        exhaust(CLAIM.name, CLAIM.variant("corrected-cycles"), longest=1, letters=1)


def test_its_cases_have_cycles():
    cases = list(CLAIM.variant("corrected-cycles").small_cases(1))
    assert all(case.automaton.epsilon is not None for case in cases)
    assert {case.automaton.states for case in cases} == {1, 2}


def test_a_path_derives_a_subsequence():
    """The only path that derives ab reads a, epsilon and b, and ab is not contiguous in it."""
    chain = [(0, 1, "a", 1), (1, 2, "", 1), (2, 3, "b", 1)]
    automaton = WFSA.from_edges(REAL, 4, "ab", [(0, 1)], [(3, 1)], chain)
    ((_, edges),) = paths(automaton, "ab")
    symbols = [edge.symbol for edge in edges]
    assert symbols == ["a", "", "b"]
    assert ["a", "b"] not in [symbols[:2], symbols[1:]]
