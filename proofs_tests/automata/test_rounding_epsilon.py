"""Tests of the rounding bounds if epsilon transitions are followed state by state, as in soft patterns."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.rounding.bounds import FLOAT32, Deviation, bound_table, prefix_bounds, share
from automata.semirings import MAX_PLUS, REAL
from automata.strings import encode
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.automata.examples import some_cases

each_semiring = pytest.mark.parametrize("semiring", [REAL, MAX_PLUS], ids=lambda k: k.name)


def no_deviation(automaton):
    n = automaton.states
    return Deviation(np.zeros(automaton.matrices.shape), np.zeros(n), np.zeros(n), np.zeros((n, n)))


def in_float32(automaton):
    """Return the automaton with each weight rounded to float32 and stored as an exact number."""

    def near(weights):
        return np.frompyfunc(lambda w: w if w == -np.inf else Fraction(float(np.float32(float(w)))), 1, 1)(
            weights
        ).astype(object)

    names = ("initial", "final", "matrices", *(() if automaton.epsilon is None else ("epsilon",)))
    return automaton.replace(**{name: near(getattr(automaton, name)) for name in names})


def computed(automaton, string, rng):
    """Compute the Forward scores in float32, each sum in a random order; epsilon leads from lower to higher
    states.
    """
    k, n = automaton.semiring, automaton.states
    times, plus = (np.add, np.maximum) if k is MAX_PLUS else (np.multiply, np.add)
    epsilon = None if automaton.epsilon is None else automaton.epsilon.astype(np.float32)

    def total(terms):
        terms = [t for t in terms if t != k.zero]
        value = np.float32(k.zero)
        for i, index in enumerate(rng.permutation(len(terms))):
            value = terms[index] if i == 0 else plus(value, terms[index])
        return value

    def closed(columns):
        after = []
        for q in range(n):
            below = [] if epsilon is None else [times(after[p], epsilon[p, q]) for p in range(q)]
            after.append(total([*columns[q], *below]))
        return after

    omega = closed([[w] for w in automaton.initial.astype(np.float32)])
    final = automaton.final.astype(np.float32)
    scores = [float(total([times(w, f) for w, f in zip(omega, final, strict=True)]))]
    for symbol in string:
        table = automaton.matrix(symbol).astype(np.float32)
        omega = closed([[times(omega[p], table[p, q]) for p in range(n)] for q in range(n)])
        scores.append(float(total([times(w, f) for w, f in zip(omega, final, strict=True)])))
    return scores


@each_semiring
@some_cases(st.data(), st.integers(0, 2**32 - 1))
def test_no_order_of_summation_exceeds_the_bound(semiring, data, seed):
    automaton = in_float32(data.draw(automata(semiring, epsilon="acyclic", least_states=1)))
    x = data.draw(strings("ab", longest=6, run=10))
    scores, bounds = prefix_bounds(automaton, x, FLOAT32, no_deviation(automaton))
    assert list(scores) == list(prefix_scores(automaton, x))
    with np.errstate(all="ignore"):
        assert share(computed(automaton, x, np.random.default_rng(seed)), scores, bounds) <= 1


@each_semiring
def test_some_computation_uses_much_of_the_bound(semiring):
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(40):
        a, b, c, d = (Fraction(float(np.float32(rng.random()))) for _ in range(4))
        arrows = [(0, 1, "a", a), (1, 1, "a", b), (0, 1, "", c), (1, 2, "", d), (0, 0, "a", semiring.one)]
        chain = WFSA.from_edges(semiring, 3, "a", [(0, semiring.one)], [(2, semiring.one)], arrows)
        sides = prefix_bounds(chain, "aaa", FLOAT32, no_deviation(chain))
        worst = max(worst, share(computed(chain, "aaa", rng), *sides))
    assert 0.3 < worst <= 1


@each_semiring
@some_cases(st.data())
def test_batches_and_float_weights_have_their_bounds(semiring, data):
    automaton = data.draw(automata(semiring, epsilon="acyclic", least_states=1))
    xs = data.draw(st.lists(strings("ab", run=8), min_size=1, max_size=4))
    for side in (automaton, automaton.to_float()):
        batch = encode(side.index, xs)
        scores, bounds = bound_table(side, batch, FLOAT32, no_deviation(side))
        for row, index in enumerate(batch.order.tolist()):
            one = prefix_bounds(side, xs[index], FLOAT32, no_deviation(side))
            length = len(xs[index]) + 1
            assert scores[row, :length].tolist() == one[0].tolist()
            assert bounds[row, :length].tolist() == pytest.approx(one[1].tolist(), rel=1e-9)


def test_deviations_of_epsilon_weights_are_in_the_bound():
    chain = WFSA(REAL, [1, 0], [0, 1], {}, epsilon=[[0, 1], [0, 0]])
    off = no_deviation(chain)
    off.epsilon[0, 1] = 1e-3
    assert prefix_bounds(chain, "", FLOAT32, no_deviation(chain))[1][0] == 0
    assert 1e-3 <= prefix_bounds(chain, "", FLOAT32, off)[1][0] < 1.1e-3


@pytest.mark.parametrize("entry", [(0, 0), (1, 0)])
def test_epsilon_leads_to_higher_states(entry):
    silent = np.zeros((2, 2))
    silent[entry] = 0.5
    back = WFSA(REAL, [1.0, 0.0], [0.0, 1.0], {}, epsilon=silent)
    with pytest.raises(InputError, match="every epsilon transition must lead to a higher-numbered state"):
        prefix_bounds(back, "", FLOAT32, no_deviation(back))
