"""Tests that the strategies draw every edge case and shrink to simple automata."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import score
from automata.hankel import full_rank_block, shortlex
from automata.operations import sum_of
from automata.sampling import sample
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MIN_PLUS, REAL, SEMIRINGS
from automata.testing.edge_cases import EDGE_CASES, edge_cases
from automata.testing.strategies import automata, readings, strings
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few, few_cases, over, some_cases

quick = settings(max_examples=2000, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("edge_case", EDGE_CASES)
def test_every_edge_case_is_drawn_by_some_strategy(edge_case):
    k = MAX_PLUS if edge_case == "infinite weight" else REAL
    alphabet = "a" if edge_case == "one letter" else "ab"
    pair = st.tuples(automata(k, alphabet=alphabet, epsilon="acyclic", extreme=True), strings(alphabet))
    find(pair, lambda drawn: edge_case in edge_cases(*drawn), settings=quick)


def test_automata_with_a_score_shrink_to_one_state():
    smallest = find(automata(REAL, most_states=3), lambda a: score(a, "a") != 0, settings=quick)
    assert smallest == WFSA.from_edges(REAL, 1, "ab", [(0, 1)], [(0, 1)], [(0, 0, "a", 1)])


def test_automata_that_differ_on_two_strings_shrink_to_small_ones():
    smallest = find(automata(REAL, most_states=3), lambda a: score(a, "ab") != score(a, "ba"), settings=quick)
    assert smallest.states <= 2
    assert {w for e in smallest.edges() for w in [e.weight]} <= {Fraction(1), Fraction(-1), Fraction(1, 2)}


def test_strings_shrink_with_their_alphabet():
    names, xs = find(readings(), lambda drawn: any(len(x) >= 2 for x in drawn[1]), settings=quick)
    assert xs == ["aa"] and list(names.values())[:1] == ["a"]


@some_cases(readings())
def test_letters_are_named_in_the_order_of_their_first_occurrence(drawn):
    names, xs = drawn
    read = list(dict.fromkeys("".join(xs)))
    assert read == sorted(read) and list(names.values())[: len(read)] == read


@over(SEMIRINGS.values())
@settings(few, phases=[Phase.generate])
@given(st.data())
def test_cyclic_epsilon_always_has_a_sum(k, data):
    data.draw(automata(k, epsilon="cyclic"))


@few_cases(automata(REAL, most_states=3), automata(REAL, most_states=2))
def test_a_hankel_block_is_no_larger_than_the_automaton(a, b):
    """The rank of the block is the minimal number of states, so the rank of a sum is at most the sum of the
    ranks.
    """
    block = full_rank_block(lambda x: score(sum_of(a, b), x), shortlex("ab", 2))
    assert len(block) <= a.states + b.states and block.determinant != 0
    for p, row in zip(block.prefixes, block.values, strict=True):
        for s, value in zip(block.suffixes, row, strict=True):
            assert value == score(sum_of(a, b), p + s)


def test_the_squares_need_three_states_and_powers_of_two_need_one():
    assert len(full_rank_block(lambda x: Fraction(len(x) ** 2), shortlex("a", 5))) == 3
    assert len(full_rank_block(lambda x: Fraction(2) ** len(x), shortlex("a", 5))) == 1


def test_samples_are_proportional_to_their_weights():
    """With weight 3 for a and 1 for b, 3,000 of 4,000 draws are a, within 6 standard deviations."""
    coin = WFSA(REAL, [1, 0], [0, 1], {"a": [[0, 3], [0, 0]], "b": [[0, 1], [0, 0]]})
    drawn = sample(coin, 4000, 5, np.random.default_rng(0))
    assert set(drawn) == {("a",), ("b",)}
    assert abs(drawn.count(("a",)) - 3000) < 6 * (4000 * 0.75 * 0.25) ** 0.5


@pytest.mark.parametrize("power", [-400, -162, 0, 162, 400])
def test_samples_are_proportional_for_weights_of_any_size(power):
    """The empty string has the weight w^2, and b has 3 w^2, so a quarter of the samples is empty."""
    w = Fraction(10) ** power
    automaton = WFSA(REAL, [w, 0], [w, w], {"b": [[0, 3], [0, 0]]})
    drawn = sample(automaton, 4000, 1, np.random.default_rng(3))
    assert abs(drawn.count(()) - 1000) < 6 * (4000 * 0.75 * 0.25) ** 0.5


def test_paths_of_large_costs_are_sampled():
    costs = WFSA(MIN_PLUS, [0], [800], {"a": [[0]]})
    assert len(set(sample(costs, 40, 2, np.random.default_rng(0)))) == 3


@over([BOOLEAN, COUNTING, REAL, MAX_PLUS, MIN_PLUS, LOG])
@few_cases(st.data())
def test_only_strings_with_a_path_are_sampled(k, data):
    automaton = data.draw(automata(k, epsilon="acyclic"))
    try:
        drawn = sample(automaton, 3, 4, np.random.default_rng(0))
    except InputError as error:
        assert "negative" in str(error) or "nothing to sample" in str(error)
        return
    assert all(len(x) <= 4 and score(automaton, x) != k.zero for x in drawn)
