"""Tests that the distributions of probabilistic automata are sums over paths, and that samples
follow them.
"""

import math
import pickle
import re
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.dfa import DFA
from automata.drawing import dot, svg
from automata.errors import InputError
from automata.forward import forward, score
from automata.labels import probability_text
from automata.paths import score as sum_over_paths
from automata.probabilistic import PFA
from automata.testing.dfa_strategies import dfas, pfas
from automata.testing.strategies import strings
from proofs_tests.automata.examples import few_cases, some_cases

short = strings("ab", 4, run=0)
LOSSY = PFA(
    "ab",
    ["1/2", "1/4", "1/4"],
    [
        [["1/2", "1/3", "1/6"], [0, "1/5", "4/5"], ["1/10", 0, "9/10"]],
        [["1/7", "6/7", 0], ["1/3", "1/3", "1/3"], [0, 1, 0]],
    ],
)


def of_path(pfa, x, states):
    """Return the probability of visiting these states in this order while reading x."""
    steps = [(s, p, q) for s, (p, q) in zip(x, pairwise(states), strict=True)]
    return math.prod(
        (pfa.tables[pfa.alphabet.index(s), p, q] for s, p, q in steps), start=pfa.initial[states[0]]
    )


def by_paths(pfa, x):
    """Return the distribution after x as the sum over all sequences of states."""
    totals = [Fraction(0)] * pfa.states
    for states in product(range(pfa.states), repeat=len(x) + 1):
        totals[states[-1]] += of_path(pfa, x, states)
    return totals


@some_cases(pfas(), short)
def test_the_distribution_is_the_sum_over_paths(pfa, x):
    assert pfa.distribution(x).tolist() == by_paths(pfa, x)


@some_cases(pfas(), short)
def test_each_state_and_each_set_of_states_has_its_automaton(pfa, x):
    reached = by_paths(pfa, x)
    assert (
        [score(a, x) for a in pfa.state_automata()]
        == reached
        == [sum_over_paths(a, x) for a in pfa.state_automata()]
    )
    assert score(pfa.to_wfsa(range(pfa.states)), x) == 1 == sum(reached)
    assert score(pfa.to_wfsa([0]), x) == reached[0]


@few_cases(pfas(exact=False, most_states=5), strings("ab", run=20))
def test_float_distributions_stay_close_to_the_exact_ones(pfa, x):
    """T steps with sums of k products have a relative error of at most (1 + gamma_k)^T - 1, plus
    underflow.
    """
    k, t = pfa.states, len(x)
    gamma = Fraction(k, 2**53 - k)
    relative, underflow = (1 + gamma) ** t - 1, Fraction(2 * t * k * k, 2**1074)
    for rounded, exact in zip(pfa.distribution(x), forward(pfa.to_wfsa([]).to_exact(), x)[-1], strict=True):
        assert abs(Fraction(float(rounded)) - exact) <= relative * exact + underflow


@some_cases(pfas())
def test_a_table_by_state_and_symbol_is_the_same_pfa(pfa):
    table = [[pfa.tables[a, q].tolist() for a in range(2)] for q in range(pfa.states)]
    again = PFA.from_table("ab", pfa.initial, table)
    assert again == pfa == pickle.loads(pickle.dumps(pfa)) and hash(again) == hash(pfa)
    assert (again.table("b") == pfa.tables[1]).all() and again.exact


def test_samples_take_each_path_with_its_probability():
    """By Hoeffding's inequality, one of K frequencies in n draws is rarely off by t."""
    rng, n, x = np.random.default_rng(2019), 6000, "ab"
    drawn = [tuple(LOSSY.sample(x, rng)) for _ in range(n)]
    ways = list(product(range(3), repeat=len(x) + 1))
    off = math.sqrt(math.log(2 * len(ways) / 1e-9) / (2 * n))  # a false alarm in a billion
    assert off < 0.05
    for states in ways:
        assert abs(drawn.count(states) / n - of_path(LOSSY, x, states)) <= off
    ends = [sum(states[-1] == j for states in drawn) / n for j in range(3)]
    assert all(abs(f - p) <= 9 * off for f, p in zip(ends, LOSSY.distribution(x), strict=True))


@some_cases(pfas(exact=False), strings("ab"), st.integers(0, 99))
def test_samples_take_only_existing_paths(pfa, x, seed):
    states = pfa.sample(x, np.random.default_rng(seed))
    assert len(states) == len(x) + 1 and pfa.initial[states[0]] > 0
    assert all(pfa.table(s)[p, q] > 0 for s, (p, q) in zip(x, pairwise(states), strict=True))
    assert states == pfa.sample(x, np.random.default_rng(seed))


@some_cases(dfas(), strings("ab"))
def test_a_dfa_is_a_pfa_with_probabilities_of_one(dfa, x):
    unit = np.eye(dfa.states, dtype=int).tolist()
    pfa = PFA.from_table("ab", unit[dfa.start], [[unit[r] for r in row] for row in dfa.table])
    limit = pfa.most_probable(dfa.final)
    assert limit.dfa == dfa and limit.ties == limit.reached_ties == ()
    assert pfa.sample(x, np.random.default_rng(0)) == dfa.run(x) and pfa.distribution(x)[dfa.run(x)[-1]] == 1


@some_cases(st.booleans(), st.data())
def test_the_most_probable_state_is_followed_and_every_tie_is_reported(exact, data):
    pfa = data.draw(pfas(exact=exact))
    limit = pfa.most_probable([0])
    rows = [(None, None, pfa.initial, limit.dfa.start)]
    rows += [
        (q, s, pfa.table(s)[q], limit.dfa.table[q][a]) for q in range(pfa.states) for a, s in enumerate("ab")
    ]
    ties = {(t.state, t.symbol): t.best for t in limit.ties}
    assert len(ties) == len(limit.ties)
    for q, s, row, taken in rows:
        best = tuple(j for j, p in enumerate(row) if p == max(row))
        assert taken == best[0] and ties.get((q, s)) == (best if len(best) > 1 else None)
    assert {t.state for t in limit.reached_ties} <= {None, *limit.dfa.reachable()[1]}
    assert {t.state for t in limit.ties if t not in limit.reached_ties}.isdisjoint(
        {None, *limit.dfa.reachable()[1]}
    )


@pytest.mark.parametrize("k", [1, 2, 10, 100, 1000])
def test_normalised_probabilities_are_accepted_despite_rounding(k):
    rng = np.random.default_rng(k)
    for scale in (1.0, 1e-300, 30.0):
        sizes = np.exp(scale * rng.standard_normal(k))
        PFA((), (sizes / sizes.sum()).tolist(), [])
        PFA((), (sizes / sum(sizes.tolist())).tolist(), [])
    row = np.zeros(k)
    row[0] = 1 + (2 * k + 8) * 2.0**-53
    with pytest.raises(InputError, match=r"initial: the probabilities must sum to 1, got 1\.0000"):
        PFA((), row, [])


@pytest.mark.parametrize(
    "initial, tables, sentence",
    [
        (
            [1, 0],
            [[["1/2", "2/5"], [0, 1]]],
            "state 0, symbol 'a': the probabilities must sum to 1, got 9/10",
        ),
        (
            [1, 0],
            [[[0, 1], ["-1/2", "3/2"]]],
            "state 1, symbol 'a': the probability of state 0 must not be negative, got -1/2",
        ),
        (
            [1, 0],
            [[[0, 1], [-0.5, 1.5]]],
            "state 1, symbol 'a': the probability of state 0 must not be negative, got -0.5",
        ),
        ([1, 0], [[[0, 1], [math.nan, 1]]], "the matrix of symbol 'a': .* must be finite numbers, got nan"),
        ([1, 0], [[[0, 1], [math.inf, 1]]], "the matrix of symbol 'a': .* must be finite numbers, got inf"),
        (
            [1, 0],
            [[[0.5, 0.5], [0.5, 0.4999999]]],
            "state 1, symbol 'a': the probabilities must sum to 1, got 0.99999",
        ),
        ([math.nan, 1], [[[0, 1], [0, 1]]], "initial: .* must be finite numbers, got nan"),
        ([1, 1], [[[0, 1], [0, 1]]], "initial: the probabilities must sum to 1, got 2"),
        ([], [np.zeros((0, 0))], "initial: the probabilities must sum to 1, got 0"),
        (
            [1],
            [[[1, 0]]],
            re.escape("tables must have shape (1, 1, 1) for 1 symbols and 1 states, got (1, 1, 2)"),
        ),
        ([1], [[[1]], [[1]]], re.escape("for 1 symbols and 1 states, got (2, 1, 1)")),
        ([1], [[1]], r"tables must have 3 dimension\(s\), got 2"),
    ],
)
def test_a_malformed_pfa_is_refused(initial, tables, sentence):
    with pytest.raises(InputError, match=sentence):
        PFA("a", initial, tables)


def test_unknown_symbols_and_states_are_refused():
    for read in (
        LOSSY.distribution,
        LOSSY.most_probable().dfa.run,
        lambda x: LOSSY.sample(x, np.random.default_rng(0)),
    ):
        with pytest.raises(
            InputError, match=r"string index 1: symbol 'c' is not in the alphabet \['a', 'b'\]"
        ):
            read("ac")
    with pytest.raises(InputError, match="final: a state must be between 0 and 2, got 3"):
        LOSSY.to_wfsa([3])
    with pytest.raises(InputError, match="the symbols of the alphabet must be distinct, got 'a' twice"):
        PFA("aa", [1], [[[1]], [[1]]])
    with pytest.raises(AttributeError, match="immutable"):
        LOSSY.exact = False
    with pytest.raises(ValueError, match="read-only"):
        LOSSY.tables[0, 0, 0] = 1


def test_a_drawing_shows_probabilities_and_reports_omitted_transitions():
    pfa = PFA("ab", [0.995, 0.005], [[[0.93, 0.07], [0.004, 0.996]], [[0.93, 0.07], [1.0, 0.0]]])
    text = dot(pfa, names=["S", 7], final=[1])
    assert r'1 [label="7", shape=doublecircle];' in text and "start1" not in text
    assert '0 -> 0 [label="a, b / 0.93", penwidth=2.36];' in text
    assert '0 -> 1 [label="a, b / 0.07", penwidth=0.64];' in text
    assert '1 -> 0 [label="b / 1", penwidth=2.50];' in text
    assert '1 -> 1 [label="a / >0.99", penwidth=2.49];' in text
    assert (
        'label="2 transitions below 0.01 omitted: 0.009 in all, at most 0.005 of a state and symbol"' in text
    )
    full = dot(pfa, min_probability=0)
    assert "omitted" not in full and r'1 -> 0 [label="a / <0.01\nb / 1"' in full and "start1 -> 1" in full
    assert ">a / " in svg(pfa) and "omitted" in svg(pfa)


@some_cases(pfas(exact=False), st.sampled_from([0, 0.01, 0.2]))
def test_a_drawing_omits_exactly_the_less_probable_transitions(pfa, least):
    text = dot(pfa, min_probability=least)
    small = [p for p in [*pfa.initial, *pfa.tables.flat] if 0 < p < least]
    told = re.search(r'label="(\d+) transitions? below', text)
    assert (int(told[1]) if told else 0) == len(small)
    drawn = {(int(p), int(q)) for p, q in re.findall(r"^  (\d+) -> (\d+) ", text, re.MULTILINE)}
    large = (pfa.tables > 0) & (pfa.tables >= least)
    assert drawn == {(int(p), int(q)) for _, p, q in np.argwhere(large)}


def test_a_pfa_hides_dead_states_when_it_has_final_ones():
    pfa = PFA("a", [1, 0, 0], [[["1/2", "1/4", "1/4"], [0, 1, 0], [0, 0, 1]]])
    text = dot(pfa, hide_dead=True, final=[1])
    assert '1 [label="1", shape=doublecircle]' in text and "2 [label" not in text and "-> 2" not in text
    with pytest.raises(InputError, match="hide_dead needs the final states of the PFA"):
        dot(pfa, hide_dead=True)
    with pytest.raises(InputError, match="min_probability must be between 0 and 1, got 2"):
        dot(pfa, min_probability=2)


@given(st.floats(0, 1))
def test_a_probability_is_never_rounded_to_zero_or_one(p):
    text = probability_text(p)
    assert (text == "1") == (p == 1) and (text == "0") == (p == 0)
    assert text[0] in "<>" or abs(float(text) - p) <= 0.005 + 2.0**-53


def test_a_pfa_of_one_state_is_the_dfa_that_accepts_everything():
    assert PFA("a", [1], [[[1]]]).most_probable([0]).dfa == DFA(("a",), 0, ((0,),), frozenset({0}))
