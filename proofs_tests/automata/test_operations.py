"""Tests of how operations on automata change scores."""

import pytest
from hypothesis import strategies as st

from automata import operations
from automata.epsilon import closure
from automata.errors import EpsilonCycle, InputError
from automata.forward import score
from automata.reachability import dead_states
from automata.semirings import COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, SEMIRINGS
from automata.testing.strategies import automata, strings, weights
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over

EXACT = [k for k in SEMIRINGS.values() if not k.float_only]
each = over(EXACT)
short = strings("ab", longest=4, run=6)


def silent(k):
    return automata(k, most_states=3, epsilon="cyclic")


LAWS = {
    "trim": lambda k, a, b, w, x: (score(operations.trim(a), x), score(a, x)),
    "reverse": lambda k, a, b, w, x: (score(operations.reverse(a), x[::-1]), score(a, x)),
    "sum": lambda k, a, b, w, x: (score(operations.sum_of(a, b), x), k.plus(score(a, x), score(b, x))),
    "product": lambda k, a, b, w, x: (score(operations.hadamard(a, b), x), k.times(score(a, x), score(b, x))),
    "scale": lambda k, a, b, w, x: (score(operations.scale(a, w), x), k.times(w, score(a, x))),
    "epsilon": lambda k, a, b, w, x: (score(operations.remove_epsilon(a), x), score(a, x)),
}


@over(SEMIRINGS.values())
@pytest.mark.parametrize("law", LAWS)
@few_cases(st.data())
def test_an_operation_has_the_specified_effect_on_scores(k, law, data):
    a, b = data.draw(silent(k)), data.draw(silent(k))
    left, right = LAWS[law](k, a, b, data.draw(weights(k)), data.draw(short))
    assert left == (pytest.approx(right) if k.float_only else right)


@each
@few_cases(st.data())
def test_operations_applied_twice(k, data):
    automaton = data.draw(silent(k))
    trimmed = operations.trim(automaton)
    assert trimmed.states <= automaton.states and operations.trim(trimmed) == trimmed
    assert not (dead_states(trimmed) | dead_states(operations.reverse(trimmed))).any()
    assert operations.reverse(operations.reverse(automaton)) == automaton
    assert operations.remove_epsilon(automaton).epsilon is None


@each
@few_cases(st.data())
def test_the_closure_solves_its_equation(k, data):
    automaton = data.draw(silent(k).filter(lambda a: a.epsilon is not None))
    star, eye = closure(k, automaton.epsilon), k.identity(automaton.states, exact=True)
    assert (star == k.plus(eye, k.matmul(automaton.epsilon, star))).all()


@pytest.mark.parametrize(
    ("k", "weight"),
    [
        (REAL, 1),
        (REAL, -1),
        (REAL, "-3/2"),
        (MAX_PLUS, 1),
        (MIN_PLUS, -1),
        (MAX_TIMES, 2),
        (LOG, 0.0),
        (COUNTING, 1),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_an_epsilon_cycle_without_a_sum_is_refused_with_its_state(k, weight):
    with pytest.raises(EpsilonCycle, match="epsilon cycles through state 1"):
        WFSA(k, [k.one, k.one], [k.zero, k.one], {}, epsilon=[[k.zero, k.zero], [k.zero, weight]])


def test_signed_cycles_must_converge_absolutely():
    """The powers of the epsilon matrix E have a sum, but those of |E| do not.

    The order of the paths is not fixed, so the scores are undefined.
    """
    with pytest.raises(EpsilonCycle):
        WFSA(REAL, [1, 0], [0, 1], {}, epsilon=[[1, -1], [1, -1]])
    with pytest.raises(
        EpsilonCycle, match="in absolute values"
    ):  # the powers of E have a sum, but those of |E| do not
        WFSA(REAL, [1, 0], [0, 1], {}, epsilon=[["1/2", "1/2"], ["-1/2", "1/2"]])


def test_automata_over_different_semirings_do_not_mix():
    with pytest.raises(InputError, match="must be over the same semiring, got real and max-plus"):
        operations.sum_of(WFSA(REAL, [1], [1], {}), WFSA(MAX_PLUS, [1], [1], {}))


def test_matrices_shared_by_symbols_stay_shared():
    words = [f"w{i}" for i in range(10_000)]
    wildcard = [[1.0, 0.5], [0.0, 1.0]]
    a = WFSA(REAL, [1, 0], [0, 1], {**dict.fromkeys(words, wildcard), "rare": [[0.0, 1.0], [0.0, 0.0]]})
    assert a.matrices.shape == (2, 2, 2)
    for result in (
        operations.sum_of(a, a),
        operations.hadamard(a, a),
        operations.reverse(a),
        operations.trim(a),
        a.to_exact(),
    ):
        assert len(result.matrices) == 2 and len(result.index) == 10_001
    assert score(operations.hadamard(a, a), words[:3]) == score(a, words[:3]) ** 2
