"""Tests of the conversion of recurrences over any semiring to automata, and of the rejection of nonlinear
ones.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import score
from automata.recurrences.linear import NotLinear, read_linear
from automata.semirings import MAX_PLUS, MAX_TIMES, MIN_PLUS
from automata.testing.strategies import strings, weights
from proofs_tests.automata.examples import over

NO_FIELDS = [MAX_PLUS, MIN_PLUS, MAX_TIMES]


@over(NO_FIELDS)
@given(st.data())
def test_the_automaton_scores_the_recurrence(k, data):
    weight = weights(k, extreme=False)
    f, u, start = (data.draw(st.fixed_dictionaries(dict.fromkeys("ab", weight))) for _ in range(3))

    def step(over, c, x):
        return over.plus(over.times(c[0], f[x]), u[x]), over.plus(c[0], c[1])

    first = (start["a"], start["b"])
    (unit,) = read_linear(k, lambda over: first, step, lambda over, c: (over.plus(c[0], c[1]),), "ab")
    for string in data.draw(st.lists(strings("ab", 5, 6), min_size=1, max_size=4)):
        c = first
        for x in string:
            c = step(k, c, x)
        assert score(unit, string) == k.plus(c[0], c[1])


@over(NO_FIELDS)
@given(st.data())
def test_the_automaton_scores_a_recurrence_with_modes(k, data):
    weight = weights(k, extreme=False)
    pair = st.fixed_dictionaries(dict.fromkeys(("aa", "ab", "ba", "bb"), weight))
    f, u, first = data.draw(pair), data.draw(pair), data.draw(weight)

    def step(over, state, x):
        last, c = state
        return x, (over.plus(over.times(c[0], f[last + x]), u[last + x]), *c)[: 2 if x == "a" else 1]

    (unit,) = read_linear(k, lambda over: ("b", (first,)), step, lambda over, s: (s[1][-1],), "ab", True)
    for string in data.draw(st.lists(strings("ab", 5, 6), min_size=1, max_size=4)):
        state = ("b", (first,))
        for x in string:
            state = step(k, state, x)
        assert score(unit, string) == state[1][-1]


def caught(over, c, x):
    try:
        return over.times(c, c)
    except NotLinear:
        return c


STEPS = {
    "a square": lambda over, c, x: over.times(c, c),
    "a square that is caught": caught,
    "a question": lambda over, c, x: over.one if c is MAX_PLUS.zero else c,
    "a comparison": lambda over, c, x: max(c, over.one),
    "a sum of numbers": lambda over, c, x: c + 1,
    "too few numbers": lambda over, c, x: (),
    "too many numbers": lambda over, c, x: (c, c),
}


MODES = {
    "a mode that is read from a component": lambda over, s, x: ("a" if s[1] == over.one else "b", s[1]),
    "a mode that depends on a component": lambda over, s, x: (s[1] is MAX_PLUS.zero, s[1]),
    "modes of different sizes": lambda over, s, x: ("a", (s[1], s[1])),
}


@pytest.mark.parametrize("step", MODES.values(), ids=MODES)
def test_a_recurrence_whose_modes_depend_on_its_components_is_refused(step):
    with pytest.raises(NotLinear):
        read_linear(MAX_PLUS, lambda over: ("a", over.zero), step, lambda over, s: (s[1],), "a", True)


def test_a_recurrence_with_too_many_modes_is_refused():
    with pytest.raises(InputError, match="at most 2,000 modes"):
        read_linear(
            MAX_PLUS,
            lambda over: (0, over.zero),
            lambda over, s, x: (s[0] + 1, s[1]),
            lambda over, s: (s[1],),
            "a",
            modes=True,
        )


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_recurrence_that_is_not_linear_is_refused(step):
    with pytest.raises(NotLinear):
        read_linear(MAX_PLUS, lambda over: over.zero, step, lambda over, c: (c,), "a")
