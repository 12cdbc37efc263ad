"""Tests of the conversion of recurrences over any semiring to automata, and of the rejection of nonlinear
ones.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_recurrence_that_is_not_linear_is_refused(step):
    with pytest.raises(NotLinear):
        read_linear(MAX_PLUS, lambda over: over.zero, step, lambda over, c: (c,), "a")
