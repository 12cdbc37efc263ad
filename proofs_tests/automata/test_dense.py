"""Tests on dense automata with random weights, drawn by NumPy.

Hypothesis draws few transitions and often the same small weights. It therefore seldom covers loops over many
states, or weights that distinguish the states.
"""

from fractions import Fraction

import numpy as np
import pytest

from automata import batch, operations
from automata.determinisation import minimal
from automata.dfa import DFA
from automata.equivalence import equivalent
from automata.equivalence.unambiguous import is_unambiguous
from automata.forward import prefix_scores, score
from automata.hankel import shortlex
from automata.minimise import minimise
from automata.moore import Moore
from automata.paths import score as sum_over_paths
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, SEMIRINGS
from automata.strings import prefixes
from automata.viterbi import viterbi
from automata.wfsa import WFSA
from proofs_tests.automata.examples import over

EXACT = [k for k in SEMIRINGS.values() if not k.float_only]
each = over(EXACT)
STRINGS = shortlex("ab", 3)


def weight(k, rng, light=1):
    """Draw a weight other than zero (over the booleans, one or zero), divided by ``light``."""
    size = Fraction(int(rng.integers(1, 30)), int(rng.integers(30, 60)) * light)
    if k is BOOLEAN:
        return bool(rng.random() < 0.4)
    if k is COUNTING:
        return int(rng.integers(1, 9))
    return {REAL: size * int(rng.choice([-1, 1])), MAX_PLUS: -size}.get(k, size)


def dense(k, states, seed, epsilon=False):
    """Draw an automaton over a and b with this many states, optionally with convergent epsilon cycles."""
    rng = np.random.default_rng([seed, states])
    all_of = lambda *shape, light=1: np.array(
        [weight(k, rng, light) for _ in range(int(np.prod(shape)))] + [None], dtype=object
    )[:-1].reshape(shape)
    epsilon_matrix = all_of(states, states, light=states) if epsilon else None
    if epsilon and k is COUNTING:
        epsilon_matrix = np.triu(epsilon_matrix, 1)
    tables = {symbol: all_of(states, states).tolist() for symbol in "ab"}
    parts = all_of(states).tolist(), all_of(states).tolist(), tables
    return WFSA(k, *parts, epsilon=None if epsilon_matrix is None else epsilon_matrix.tolist())


@each
def test_operations_have_the_specified_effect_on_scores(k):
    a, b = dense(k, 3, 0, epsilon=True), dense(k, 2, 1, epsilon=True)
    total, product = operations.sum_of(a, b), operations.hadamard(a, b)
    mirror, plain, factor = (
        operations.reverse(a),
        operations.remove_epsilon(a),
        weight(k, np.random.default_rng(2)),
    )
    scaled = operations.scale(a, factor)
    assert plain.epsilon is None and plain != a
    for x in STRINGS:
        one, other = score(a, x), score(b, x)
        assert score(total, x) == k.plus(one, other) and score(product, x) == k.times(one, other)
        assert score(mirror, x[::-1]) == one == score(plain, x)
        assert score(scaled, x) == k.times(factor, one)


@each
@pytest.mark.parametrize("states", [2, 3])
def test_forward_is_the_sum_over_all_paths(k, states):
    automaton = dense(k, states, 3)
    assert [score(automaton, x) for x in STRINGS] == [sum_over_paths(automaton, x) for x in STRINGS]


@each
def test_a_batch_scores_like_its_strings_one_by_one(k):
    automaton, strings = dense(k, 4, 4, epsilon=True), ["", "abba", "b", "aab", "babab", "a"]
    assert batch.scores(automaton, strings).tolist() == [score(automaton, x) for x in strings]
    if k.selective:
        assert [viterbi(automaton, x).score for x in strings] == batch.scores(automaton, strings).tolist()


@over([MAX_PLUS, MIN_PLUS, MAX_TIMES])
@pytest.mark.parametrize("states", [1, 2, 3, 6, 7])
def test_compiled_loops_agree_bit_for_bit_with_the_reference(k, states):
    """Even and odd numbers of states are tested, because the loops process two states at a time."""
    for seed in range(4):
        automaton, strings = dense(k, states, seed).to_float(), ["abbab", "", "ba", "aaaaaaab"]
        for x in strings:
            assert batch.scores(automaton, prefixes(x)).tolist() == prefix_scores(automaton, x).tolist()


def test_overflow_times_zero_stays_nan_in_a_compiled_loop():
    """As in NumPy, a later term does not replace the NaN that infinity times zero gives."""
    huge = WFSA(
        MAX_TIMES, [1e200, 1.0], [1.0, 1.0], {"a": [[1e200, 0.0], [0.0, 1.0]], "b": [[0.0, 0.0], [1.0, 1.0]]}
    )
    with np.errstate(over="ignore", invalid="ignore"):
        for x in ("aab", "aa", "aaba"):
            computed, expected = batch.scores(huge, prefixes(x)), prefix_scores(huge, x)
            assert np.array_equal(computed, expected, equal_nan=True)
            assert x == "aa" or np.isnan(expected[-1])


@pytest.mark.parametrize("symbols", [1, 2, 3])
def test_the_minimal_dfa_is_that_of_moores_algorithm(symbols):
    """Hopcroft's algorithm agrees with Moore's on DFAs of 2 to 40 states, with few and with many accepting
    states.
    """
    rng = np.random.default_rng(symbols)
    for n in range(2, 41):
        steps = rng.integers(n, size=(n, symbols))
        accepts = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
        if n % 2:  # the last state is dead, and many transitions lead to it
            steps[rng.random(steps.shape) < 0.3] = n - 1
            steps[-1], accepts[-1] = n - 1, False
        table = tuple(map(tuple, steps.tolist()))
        final = frozenset(np.flatnonzero(accepts).tolist())
        dfa = DFA(tuple("abc"[:symbols]), 0, table, final)
        moore = Moore(dfa.alphabet, 0, table, tuple(q in final for q in range(n))).minimal()
        least = dfa.minimal()
        assert (least.table, least.final) == (moore.table, frozenset(np.flatnonzero(moore.outputs).tolist()))
        assert minimal(dfa.to_wfsa()).states == least.states - len(least.dead)


def test_boolean_automata_are_equivalent_if_their_minimal_dfas_are():
    verdicts = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        a, b = (
            WFSA(
                BOOLEAN,
                [q == 0 for q in range(3)],
                (rng.random(3) < 0.5).tolist(),
                {s: (rng.random((3, 3)) < 0.35).tolist() for s in "ab"},
            )
            for _ in range(2)
        )
        answer, word = equivalent(a, b), DFA.from_wfsa(a).shortest_difference(DFA.from_wfsa(b))
        assert (answer.word if answer.verdict == "different" else None) == word
        verdicts.append(answer.verdict)
    assert min(map(verdicts.count, ("equivalent", "different"))) >= 3


@over([REAL, MAX_PLUS, MIN_PLUS, MAX_TIMES])
def test_several_paths_for_one_string_are_detected(k):
    assert not any(is_unambiguous(dense(k, n, 5)) for n in (2, 3, 4, 12))


def test_the_sum_of_an_automaton_and_itself_needs_no_more_states():
    """The sum doubles the scores, so the minimal automaton of the sum has as many states as the automaton."""
    for states in (2, 3, 4):
        one = dense(REAL, states, 6)
        least = minimise(operations.sum_of(one, one))
        assert least.automaton.states == states == len(least.certificate.prefixes)
        assert isinstance(least.certificate.prefixes[0], tuple)
