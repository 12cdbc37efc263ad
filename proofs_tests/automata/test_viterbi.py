"""Tests that Viterbi's path has the string's score as its weight, and reads the string."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import score
from automata.paths import path_score
from automata.semirings import COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, SEMIRINGS
from automata.sparse_matrix import SMALL
from automata.testing.strategies import automata, strings
from automata.viterbi import viterbi
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over

SELECTIVE = [k for k in SEMIRINGS.values() if k.selective]


@pytest.mark.parametrize("epsilon", ["none", "acyclic", "cyclic"])
@over(SELECTIVE)
@few_cases(st.data())
def test_the_best_path_weighs_the_score_and_reads_the_string(k, epsilon, data):
    automaton, x = data.draw(automata(k, epsilon=epsilon)), data.draw(strings("ab", run=12))
    best = viterbi(automaton, x)
    if best is None:
        assert score(automaton, x) == k.zero
        return
    assert best.score == score(automaton, x) == path_score(automaton, (best.start, best.edges))
    assert "".join(e.symbol for e in best.edges) == x
    states = [best.start, *(e.target for e in best.edges)]
    assert [e.source for e in best.edges] == states[:-1]
    tables = {"": automaton.epsilon, **{s: automaton.matrix(s) for s in "ab"}}
    assert all(tables[e.symbol][e.source, e.target] == e.weight for e in best.edges)


@over([MAX_PLUS, MIN_PLUS, MAX_TIMES])
@few_cases(st.data())
def test_float_paths_are_found_too(k, data):
    automaton, x = data.draw(automata(k, exact=False)), data.draw(strings("ab"))
    best = viterbi(automaton, x)
    assert (k.zero if best is None else best.score) == score(automaton, x)


@pytest.mark.parametrize("states", [3, SMALL + 1])
def test_the_back_trace_includes_epsilon_transitions(states):
    arrows = [(2, 2, "a", 1), (2, 1, "", 5), (1, 0, "", 1)]
    best = viterbi(WFSA.from_edges(MAX_PLUS, states, "a", [(2, 0)], [(0, 0)], arrows), "aa")
    assert best is not None and best.score == Fraction(8)
    assert [(e.source, e.symbol, e.target) for e in best.edges] == [(2, "a", 2)] * 2 + [
        (2, "", 1),
        (1, "", 0),
    ]


def test_a_cycle_that_seems_to_improve_paths_by_rounding_is_not_followed_for_ever():
    cycle = [(0, 1, "", -0.3), (1, 2, "", 0.4), (2, 0, "", -0.1)]
    automaton = WFSA.from_edges(MAX_PLUS, 3, "a", [(0, 0.0)], [(1, 0.0)], [*cycle, (0, 0, "a", 1.1)])
    best = viterbi(automaton, "a")
    assert best.score == path_score(automaton, (best.start, best.edges)) >= 1.1 - 0.3


@over([REAL, LOG, COUNTING])
def test_semirings_whose_scores_are_sums_have_no_best_path(k):
    with pytest.raises(InputError, match="Viterbi: the semiring must be max-plus"):
        viterbi(WFSA(k, [1], [1], {}), "")
