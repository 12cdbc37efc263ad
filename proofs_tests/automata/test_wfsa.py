"""Tests that an automaton is validated when it is constructed and is immutable."""

import math
import pickle
from collections import UserDict
from fractions import Fraction

import numpy as np
import pytest

from automata.errors import InputError, ShapeError, UnknownSymbol, WeightError
from automata.forward import score
from automata.operations import scale
from automata.regular_expressions import from_regex
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, REAL
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import some_cases

TABLE = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: WFSA(REAL, [1], [1, 0], {}), ShapeError, "final must have shape"),
        (lambda: WFSA(REAL, [1, 0], [1, 0], {"a": [[1]]}), ShapeError, "symbol 'a' must have shape"),
        (lambda: WFSA(REAL, [1, 0], [1, 0], {"a": [[1, 2], [3]]}), ShapeError, "rows of equal length"),
        (lambda: WFSA(REAL, [[1]], [1], {}), ShapeError, r"initial must have 1 dimension\(s\), got 2"),
        (
            lambda: WFSA(REAL, [1], [1], {"a": [[float("nan")]]}),
            WeightError,
            "'a': .* must be finite numbers, got nan",
        ),
        (
            lambda: WFSA(REAL, np.array([np.nan]), [1.0], {}),
            WeightError,
            "initial: .* must be finite numbers, got nan",
        ),
        (lambda: WFSA(REAL, [float("inf")], [1], {}), WeightError, "finite"),
        (lambda: WFSA(MAX_PLUS, [float("inf")], [0], {}), WeightError, "below infinity"),
        (lambda: WFSA(MAX_TIMES, [-1], [1], {}), WeightError, "not negative"),
        (lambda: WFSA(MAX_TIMES, np.array([-0.5]), [1.0], {}), WeightError, "not negative"),
        (lambda: WFSA(COUNTING, [Fraction(1, 2)], [1], {}), WeightError, "integers"),
        (lambda: WFSA(BOOLEAN, [1], [True], {}), WeightError, "true"),
        (lambda: WFSA(REAL, ["x"], [1], {}), WeightError, "a weight must be a number"),
        (lambda: WFSA(REAL, [None], [1], {}), WeightError, "None"),
        (lambda: WFSA(REAL, [1], [1], {"": [[1]]}), InputError, "epsilon"),
        (lambda: WFSA.from_edges(REAL, 1, {"a"}, [], [], []), InputError, "a set has no order, got {'a'}"),
        (lambda: WFSA(REAL, [1], [1], {}).over({"a"}), InputError, "a set has no order, got {'a'}"),
        (lambda: from_regex("a", {"a"}), InputError, "a set has no order, got {'a'}"),
        (lambda: scale(WFSA(LOG, [0], [0], {}), math.inf), WeightError, "below infinity"),
        (
            lambda: WFSA.from_edges(REAL, 1, "a", [(1, 1)], [], []),
            ShapeError,
            "must be between 0 and 0, got 1",
        ),
        (
            lambda: WFSA.from_edges(REAL, 2, "a", [], [], [(0, 2, "a", 1)]),
            ShapeError,
            "must be between 0 and 1, got 2",
        ),
        (lambda: WFSA.from_edges(REAL, 2, "a", [], [], [(0, 1, "b", 1)]), UnknownSymbol, "'b'"),
    ],
)
def test_a_malformed_automaton_is_refused(make, error, says):
    with pytest.raises(error, match=says) as raised:
        make()
    assert "\n" not in str(raised.value)


def test_it_is_immutable():
    automaton = WFSA(REAL, [1, 0], [0, 1], {"a": TABLE})
    with pytest.raises(AttributeError, match="immutable"):
        automaton.initial = np.zeros(2)
    with pytest.raises(ValueError, match="read-only"):
        automaton.matrices[0, 0, 0] = 5
    mine = np.array([1.0, 0.0])
    other = WFSA(REAL, mine, [0.0, 1.0], {"a": np.eye(2)})
    mine[0] = 7
    assert other.initial[0] == 1


def test_any_hashable_value_is_a_symbol():
    automaton = WFSA(COUNTING, [1], [1], {1: [[2]], ("b", 2): [[3]], None: [[5]]})
    assert score(automaton, [1, ("b", 2), None]) == 30


def test_symbols_with_the_same_matrix_object_share_it():
    automaton = WFSA(REAL, [1, 0], [0, 1], {**dict.fromkeys(range(10_000), TABLE), "b": [[0, 1], [0, 0]]})
    assert automaton.matrices.shape == (2, 2, 2)


def test_a_mapping_may_create_its_matrices_at_each_access():
    class Weights(UserDict):
        def __getitem__(self, symbol):
            return [[float(ord(symbol))]]

    automaton = WFSA(REAL, [1.0], [1.0], Weights.fromkeys("abcdefgh"))
    assert [score(automaton, [x]) for x in "abcdefgh"] == [float(ord(x)) for x in "abcdefgh"]


def test_edges_with_the_same_weights_share_one_matrix():
    words = [f"w{i}" for i in range(2000)]
    automaton = WFSA.from_edges(REAL, 2, words, [(0, 1)], [(1, 1)], [(0, 1, w, "1/2") for w in words])
    assert len(automaton.matrices) == 1 and score(automaton, [words[7]]) == Fraction(1, 2)


def test_repeated_weights_are_parallel_paths():
    automaton = WFSA.from_edges(
        REAL, 1, "a", [(0, 1), (0, 2)], [(0, 1)], [(0, 0, "a", 1), (0, 0, "a", "1/2")]
    )
    assert score(automaton, "a") == Fraction(9, 2)


def test_floats_become_exact_fractions():
    tenth = WFSA(REAL, [0.1], [1.0], {})
    assert not tenth.exact and score(tenth.to_exact(), "") == Fraction(0.1) != Fraction(1, 10)
    assert score(WFSA(REAL, ["0.1"], [1], {}), "") == Fraction(1, 10)


@some_cases(automata(MAX_PLUS, epsilon="acyclic"))
def test_it_survives_pickling(automaton):
    assert pickle.loads(pickle.dumps(automaton)) == automaton


@some_cases(automata(REAL))
def test_a_larger_alphabet_preserves_the_scores_and_adds_zeros(automaton):
    larger = automaton.over("cab")
    assert larger.alphabet == ("c", "a", "b")
    assert score(larger, "ab") == score(automaton, "ab") and score(larger, "acb") == 0
    with pytest.raises(UnknownSymbol):
        larger.over("ab")


def test_a_notebook_shows_it_drawn():
    shown = WFSA(LOG, [0.0], [0.0], {"a": [[-1.0]]})._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg") and "1 state" in shown["text/plain"]


@pytest.mark.parametrize(
    "build",
    [
        lambda: WFSA(REAL, [10**400], [0.5], {"a": [[1]]}),
        lambda: WFSA(LOG, [10**400], [0], {"a": [[0]]}),
        lambda: WFSA.from_edges(REAL, 1, "a", [(0, 10**400)], [(0, 0.5)], []),
        lambda: WFSA.from_edges(LOG, 1, "a", [(0, 10**400)], [], []),
        lambda: WFSA(MAX_PLUS, ["1e400"], [1], {"a": [[1]]}).to_float(),
        lambda: scale(WFSA(REAL, [0.5], [1], {"a": [[1]]}), Fraction(10) ** 400),
    ],
)
def test_a_weight_beyond_float64_is_refused_in_an_automaton_of_floats(build):
    with pytest.raises(WeightError, match=r"weight '10+\.\.\. must be in the range of float64"):
        build()


@pytest.mark.parametrize(
    ("k", "weight", "value"),
    [
        (LOG, "1/4", 0.25),
        (LOG, Fraction(1, 4), 0.25),
        (REAL, np.float32(0.25), 0.25),
        (REAL, np.int64(3), 3),
        (COUNTING, np.int64(3), 3),
    ],
)
def test_edges_accept_the_same_weights_as_matrices(k, weight, value):
    for weights in ([weight], [weight, weight]):
        edges = WFSA.from_edges(k, 1, "a", [(0, w) for w in weights], [], [])
        assert edges.initial.tolist() == [k.sum([value] * len(weights))]
    one = WFSA(k, [weight], [weight], {})
    assert one.initial.tolist() == [value]
    assert scale(one, weight).initial.tolist() == [k.times(value, value)]
