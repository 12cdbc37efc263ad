"""Tests of the conversion of affine recurrences to automata, and of the rejection of all others."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.recurrences.affine import NotAffine, read_affine
from automata.recurrences.forms import Form
from automata.semirings import REAL
from automata.testing.strategies import strings, weights
from proofs_tests.automata.examples import few_cases, some_cases

numbers = weights(REAL)


@st.composite
def linear_networks(draw):
    """Draw a linear network h_t = h_{t-1} T_x + t_x with one to three components."""
    d = draw(st.integers(1, 3))

    def array(*shape):
        flat = draw(st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
        return np.array(flat, dtype=object).reshape(shape)

    return {x: (array(d, d), array(d)) for x in "ab"}, array(d), array(d)


@few_cases(linear_networks(), strings("ab", longest=5, run=8))
def test_the_scores_are_the_readout_of_the_network_after_every_prefix(network, x):
    steps, start, shows = network

    def step(c, symbol):
        return c @ steps[symbol][0] + steps[symbol][1]

    (automaton,) = read_affine(start, step, lambda c: (c @ shows + 1,), "ab")
    state, seen = start, [start @ shows + 1]
    for symbol in x:
        state = step(state, symbol)
        seen.append(state @ shows + 1)
    assert prefix_scores(automaton, x).tolist() == seen and automaton.states == len(start) + 1


@some_cases(st.data(), st.lists(numbers, min_size=2, max_size=2))
def test_a_quadratic_step_is_refused_with_two_states_as_evidence(data, start):
    i, j = data.draw(st.sampled_from([(0, 0), (0, 1), (1, 1)]))
    w = data.draw(numbers.filter(bool))

    def step(c, symbol):
        return [c[0] + (w * c[i] * c[j] if symbol == "b" else 0), 2 * c[1]]

    with pytest.raises(NotAffine, match="the step on 'b' is not affine") as refused:
        read_affine(start, step, tuple, "ab")
    x, y = refused.value.pair
    both, zero = [a + b for a, b in zip(x, y, strict=True)], [Fraction(0)] * 2
    left, right = (
        [a + b for a, b in zip(step(p, "b"), step(q, "b"), strict=True)] for p, q in ((x, y), (both, zero))
    )
    assert refused.value.symbol == "b" and left != right


def on(f):
    return read_affine(Fraction(0), lambda c, x: f(c), lambda c: (c,), "a")


@pytest.mark.parametrize(
    "f",
    [
        lambda c: c * c,
        lambda c: max(c, 0),
        lambda c: abs(c),
        lambda c: c if c < 40 else c + 1,
        lambda c: 1 / (c + 7),
        lambda c: c**3,
        lambda c: c * (c - 1) * (c - 2),
        lambda c: int(c),
        lambda c: c // 1,
    ],
    ids=["square", "relu", "abs", "a step at 40", "hyperbola", "cube", "zero at 0, 1, 2", "int", "floor"],
)
def test_a_step_that_is_not_affine_is_refused(f):
    with pytest.raises(NotAffine) as refused:
        on(f)
    pair = refused.value.pair
    if pair is not None:
        (x,), (y,) = pair
        assert f(x) + f(y) != f(x + y) + f(Fraction(0))


def test_a_step_that_is_affine_only_on_the_sampled_states_is_refused():
    with pytest.raises(NotAffine, match="is not shown to be affine") as refused:
        on(lambda c: c + 1 if c != Fraction(12345678901, 7) else c)
    assert refused.value.pair is None


@pytest.mark.parametrize(
    "f",
    [
        lambda c: c if isinstance(c, Form) else c * c,
        lambda c: c if isinstance(c, Form) else max(c, 0),
        lambda c: relu(c) - 1,
    ],
    ids=["square", "relu", "relu by trial"],
)
def test_a_step_that_cheats_on_affine_forms_is_refused(f):
    """The step is correct on 0, on 1 and on affine forms, but the extra random pairs detect the error."""
    with pytest.raises(NotAffine, match="is not affine"):
        on(f)


def relu(c):
    try:
        return max(c, 0)
    except TypeError:
        return c


@pytest.mark.parametrize(
    ("start", "f"),
    [
        (((1, 2), (3,)), lambda c: ((c[0][0],), (c[1][0], c[0][-1]))),
        (np.array([[1, 2]]), lambda c: c.T),
        ((0,), lambda c: (c[0], c[0])),
        (0, lambda c: (c,)),
        ([0, 1], lambda c: [[c[0], c[1]]]),
    ],
)
def test_a_step_that_changes_the_shape_of_the_state_is_refused(start, f):
    with pytest.raises(
        InputError, match="the step on 'a' must return a state with the shape of the first state"
    ):
        read_affine(start, lambda c, x: f(c), lambda c: (0,), "a")


@pytest.mark.parametrize(
    "f",
    [
        lambda c: 1 / c,
        lambda c: c / (c * 0),
        lambda c: (c - 1) ** -1,
        lambda c: [0][c],
        lambda c: None,
        lambda c: "1",
    ],
)
def test_a_step_that_fails_or_returns_a_non_number_is_refused(f):
    with pytest.raises(
        InputError, match=r"the step on 'a' fails on the state|must be numbers|first state's shape"
    ):
        on(f)


def test_a_readout_of_changing_length_is_refused():
    with pytest.raises(InputError, match="always return the same number of values"):
        read_affine(0, lambda c, x: c, lambda c: [0] if isinstance(c, Form) or c != -1 else [0, 0], "a")
    with pytest.raises(InputError, match="always return the same number of values, got 1 and 2"):
        read_affine(0, lambda c, x: c, lambda c: (c,) * (1 if c == 0 else 2), "a")


@some_cases(numbers, numbers)
def test_all_affine_arithmetic_is_read(a, b):
    for f in (
        lambda c: +c,
        lambda c: c**1,
        lambda c: c + 1 / (c * 0 + 1),
        lambda c: a * c + (c * 0 + b) ** 2,
    ):
        (automaton,) = on(f)
        assert automaton.matrix("a").tolist() == [[1, f(Fraction(0))], [0, f(Fraction(1)) - f(Fraction(0))]]


def test_a_readout_that_is_not_affine_is_refused():
    with pytest.raises(NotAffine, match="the output is not affine"):
        read_affine(0, lambda c, x: c, lambda c: (c * c,), "a")


@given(numbers, numbers, numbers.filter(bool))
def test_forms_compute_as_their_values_do(c, a, b):
    form = Form(Fraction(0), {0: Fraction(1)})

    def at(result):
        return result.constant + result.weights.get(0, 0) * c

    for f in (
        lambda v: a + v * b - v / b,
        lambda v: a - v,
        lambda v: -(v - a) * b,
        lambda v: v + v - v,
        lambda v: (v - v + a) * v,
    ):
        assert at(f(form)) == f(Fraction(c))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_that_are_not_numbers_are_refused(bad):
    with pytest.raises(InputError, match=r"the values of the network must be finite, got (nan|inf)"):
        read_affine(bad, lambda c, x: c, lambda c: (c,), "a")
    with pytest.raises(InputError, match=r"the values of the network must be finite, got (nan|inf)"):
        read_affine(0, lambda c, x: c + bad, lambda c: (c,), "a")


@pytest.mark.parametrize(
    "f", [lambda c: 0.1 * c, lambda c: c + 0.5, lambda c: np.float64(0.1) * c, lambda c: 0.5]
)
def test_a_step_that_computes_in_floats_is_refused_because_it_rounds(f):
    with pytest.raises(
        InputError,
        match=r"the step on 'a' must not use float arithmetic, which rounds; .* Fraction\(w\) is exact",
    ):
        on(f)


@given(st.floats(-4, 4), st.floats(-4, 4))
def test_float_weights_are_converted_to_exact_fractions(f, u):
    assume(f and u)
    (automaton,) = read_affine(0.5, lambda c, x: Fraction(f) * c + Fraction(u), lambda c: (c,), "a")
    assert automaton.matrix("a").tolist() == [[1, Fraction(u)], [0, Fraction(f)]]
    assert automaton.initial[1] == Fraction(1, 2)


def test_a_step_that_treats_forms_differently_is_not_shown_to_be_affine():
    """The step agrees with an affine function on every number that is tried, but not on affine forms."""
    with pytest.raises(
        NotAffine,
        match=r"(numbers differently from|must compute the same result on numbers and) affine forms",
    ):
        read_affine(1, lambda c, x: 2 * c if isinstance(c, Form) else c, lambda c: (c,), "a")


@pytest.mark.parametrize("component", range(8))
def test_large_numbers_of_every_component_are_tested(component):
    """The step is the identity on affine forms, and clamps one component of numbers."""

    def clamped(c, x):
        return tuple(min(w, 90) if i == component and not isinstance(w, Form) else w for i, w in enumerate(c))

    with pytest.raises(NotAffine):
        read_affine((0,) * 8, clamped, lambda c: c, "a")
