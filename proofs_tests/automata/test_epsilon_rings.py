"""Tests of long epsilon cycles: the closure by sparse elimination, and decisions that never construct it."""

import json
from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import strategies as st

from automata import epsilon
from automata.epsilon import Elimination, closure
from automata.equivalence import Equivalent, equivalent
from automata.errors import EpsilonCycle, LimitReached
from automata.forward import score
from automata.semirings import BOOLEAN, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
from automata.sparse_matrix import SMALL
from automata.wfsa import WFSA
from proofs_tests.automata.examples import over, some_cases
from ratproof.checkers import check_chain
from ratproof.checkers.table import judge

WEIGHTS = {
    REAL: [Fraction(1, 4), Fraction(-1, 5), Fraction(1, 7)],
    MAX_PLUS: [-1, -2, Fraction(-1, 2)],
    MIN_PLUS: [0, 1, Fraction(1, 2)],
    MAX_TIMES: [1, Fraction(1, 2), Fraction(2, 3)],
    BOOLEAN: [True],
}


def ring(states, last, first=0, weight="1/2"):
    """Return a ring of epsilon transitions over the reals in which each state has a loop on a."""
    half = Fraction(weight)
    edges = [(q, (q + 1) % states, "", half) for q in range(states)]
    edges += [(q, q, "a", half) for q in range(states)]
    return WFSA.from_edges(REAL, states, "ab", [(first, 1)], [(last, 1)], edges)


def edges_of(a):
    """Return the edges of a :func:`ring` with as many states as the automaton ``a``; all weights are 1/2."""
    return [(q, (q + 1) % a.states, "", "1/2") for q in range(a.states)] + [
        (q, q, "a", "1/2") for q in range(a.states)
    ]


@over(list(WEIGHTS))
@some_cases(st.data())
def test_elimination_is_the_closure(k, data):
    n = data.draw(st.integers(1, 5))
    entries = data.draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n))
    rows = {q: {} for q in range(n)}
    matrix = k.zeros(n, n, exact=True)
    for i, j in sorted(entries):
        rows[i][j] = matrix[i, j] = k.exact(data.draw(st.sampled_from(WEIGHTS[k])))
    try:
        expected = closure(k, matrix)
    except EpsilonCycle:
        with pytest.raises(EpsilonCycle):
            Elimination(k, rows)
        return
    eliminated = Elimination(k, rows)
    for q in range(n):
        row = eliminated.product({q: k.one})
        assert [row.get(r, k.zero) for r in range(n)] == expected[q].tolist()


@some_cases(st.data())
def test_useless_states_do_not_change_the_sums_of_epsilon_paths(data):
    """Large automata use the sparse closure, in which the weight of a state may cancel."""
    signs = st.sampled_from(["1/2", "-1/2"])
    edges = [(q, r, "", data.draw(signs)) for q, r in ((0, 1), (1, 0), (2, 0))]
    edges += [(0, 1, "a", 1), (1, 2, "a", 1)]
    initial = [(q, data.draw(st.integers(-2, 2))) for q in range(3)]
    small, large = (WFSA.from_edges(REAL, n, "a", initial, [(1, 1)], edges) for n in (3, SMALL + 1))
    assert [score(large, x) for x in ("", "a", "aa")] == [score(small, x) for x in ("", "a", "aa")]
    answer = equivalent(small, large)
    assert isinstance(answer, Equivalent)
    assert judge(answer.certificate.to_json()).why is None


@pytest.mark.parametrize("states", [2, SMALL + 1])
def test_epsilon_paths_that_cancel_leave_the_score_0(states):
    cycle = [(0, 1, "", "-1/2"), (1, 0, "", "1/2")]
    automaton = WFSA.from_edges(REAL, states, "a", [(0, 2), (1, 1)], [(1, 1)], cycle)
    assert score(automaton, "") == 0
    assert isinstance(equivalent(automaton, WFSA.from_edges(REAL, 0, "a", [], [], [])), Equivalent)


@over([REAL, MAX_PLUS])
def test_a_cycle_without_a_sum_is_refused(k):
    heavy = {REAL: 1, MAX_PLUS: Fraction(1, 9)}[k]
    edges = [(q, (q + 1) % 99, "", k.one if q else heavy) for q in range(99)]
    with pytest.raises(EpsilonCycle, match="the epsilon cycles through state"):
        WFSA.from_edges(k, 99, "a", [(0, k.one)], [(0, k.one)], edges)
    with pytest.raises(EpsilonCycle):  # the signed weights would have a sum
        ring(99, 1, weight=-1)


def test_an_elimination_that_exceeds_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(epsilon, "MOST_PRODUCTS", 97)
    with pytest.raises(LimitReached, match="more than 97 products"):
        ring(99, 1)


def test_the_scores_of_a_long_ring_are_those_of_a_geometric_series():
    turn = Fraction(1, 2) ** 99
    assert score(ring(99, 98), []) == Fraction(1, 2) ** 98 / (1 - turn)


@pytest.fixture
def unwritten():
    """Make the test fail if any code constructs the epsilon closure as a matrix."""
    with patch("automata.equivalence.epsilon_links.MOST_WORDS", 0):
        yield


@pytest.mark.usefixtures("unwritten")
def test_equal_rings_are_equal_with_epsilon_as_an_additional_symbol():
    answer = equivalent(ring(155, 1), ring(155, 2, first=1))
    data = json.loads(json.dumps(answer.certificate.to_json()))
    assert (answer.verdict, check_chain.verdict(data)) == ("equivalent", "equivalent")


@pytest.mark.usefixtures("unwritten")
def test_different_rings_are_distinguished_by_the_smallest_string():
    assert equivalent(ring(155, 1), ring(155, 2)).word == ()
    a = ring(155, 1)
    b = WFSA.from_edges(REAL, 155, "ab", [(0, 1)], [(1, 1)], [*edges_of(a), (0, 0, "b", 1)])
    assert equivalent(a, b).word == ("b",)


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize(
    "change", ["no bound", "a bound that does not shrink", "another epsilon", "it is left"]
)
def test_the_checker_refuses_links_with_epsilon_that_do_not_hold(change):
    data = json.loads(json.dumps(equivalent(ring(155, 1), ring(155, 2, first=1)).certificate.to_json()))
    first = data["links"][0]
    if change == "no bound":
        del first["bound"]
    elif change == "a bound that does not shrink":
        first["bound"] = ["1"] * 309 + ["9"]
    elif change == "another epsilon":
        silent = next(t for t in first["to"]["transitions"] if t[2] == "")
        silent[3] = "1/3"
    else:
        data["links"].pop()
    refusals = (
        "there are epsilon cycles, but no bound|epsilon paths do not converge|must satisfy"
        "|epsilon transitions are left"
    )
    with pytest.raises(ValueError, match=refusals):
        check_chain.verdict(data)
