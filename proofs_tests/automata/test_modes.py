"""Tests of the conversion of networks with finitely many modes; modes that depend on the components are
refused.
"""

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.recurrences.affine import NotAffine, read_affine
from automata.recurrences.modes import MOST_MODES, read_with_modes
from automata.testing.strategies import strings
from proofs_tests.automata.examples import few_cases

number = st.builds(Fraction, st.integers(-5, 5), st.integers(1, 3))


@st.composite
def machines(draw):
    """Draw a machine with three modes and two letters: an affine map of two components for each pair."""
    following = draw(st.fixed_dictionaries({(m, x): st.integers(0, 2) for m in range(3) for x in "ab"}))
    row = st.tuples(number, number, number)
    maps = draw(st.fixed_dictionaries({key: st.tuples(row, row) for key in following}))
    shows = draw(st.tuples(row, row, row))
    start = draw(st.tuples(number, number))

    def step(state, x):
        mode, c = state
        return following[mode, x], tuple(b + v * c[0] + w * c[1] for b, v, w in maps[mode, x])

    def out(state):
        b, v, w = shows[state[0]]
        return (b + v * state[1][0] + w * state[1][1],)

    return (0, start), step, out


@few_cases(machines(), strings("ab", longest=8, run=0))
def test_the_automaton_scores_the_output_of_the_network(machine, string):
    state, step, out = machine
    (automaton,) = read_with_modes(state, step, out, "ab")
    shown = [out(state)[0]]
    for x in string:
        state = step(state, x)
        shown.append(out(state)[0])
    assert prefix_scores(automaton, string).tolist() == shown


class Pair(NamedTuple):
    now: Fraction
    before: Fraction


def test_the_vector_of_a_mode_may_be_a_named_tuple():
    (automaton,) = read_with_modes(
        (None, Pair(Fraction(1), Fraction(0))),
        lambda s, x: (None, Pair(2 * s[1].now, s[1].now)),
        lambda s: (s[1].before,),
        "a",
    )
    assert prefix_scores(automaton, "aaa").tolist() == [0, 1, 2, 4]


@few_cases(machines())
def test_only_reachable_modes_have_states(machine):
    (mode, numbers), step, out = machine
    reached = {mode}
    for _ in range(3):
        reached |= {step((m, numbers), x)[0] for m in reached for x in "ab"}
    assert read_with_modes((mode, numbers), step, out, "ab")[0].states == 3 * len(reached)


def test_one_mode_is_an_affine_network():
    step = lambda c, x: 2 * c + (x == "a")
    (plain,) = read_affine(1, step, lambda c: (c,), "ab")
    (moded,) = read_with_modes((None, 1), lambda s, x: (None, step(s[1], x)), lambda s: (s[1],), "ab")
    assert plain == moded


def test_a_mode_that_depends_on_the_components_is_refused():
    with pytest.raises(InputError, match="depend on the vector"):
        read_with_modes(
            ("low", 0), lambda s, x: ("high" if s[1] > 1 else "low", s[1] + 1), lambda s: (s[1],), "a"
        )


def test_a_step_that_is_not_affine_in_one_mode_is_refused():
    with pytest.raises(NotAffine, match="mode 1"):
        read_with_modes((0, 1), lambda s, x: (1, s[1] * s[1] if s[0] else s[1]), lambda s: (s[1],), "a")


def test_infinitely_many_modes_are_refused():
    with pytest.raises(InputError, match=f"at most {MOST_MODES:,} modes"):
        read_with_modes((0, 1), lambda s, x: (s[0] + 1, s[1]), lambda s: (s[1],), "a")


def test_a_mode_has_its_own_number_of_components():
    """There is one component before the first symbol and two after it."""
    step = lambda s, x: (
        ("two", (s[1], 1 - s[1])) if s[0] == "one" else ("two", (s[1][0] + s[1][1], 2 * s[1][1]))
    )
    (automaton,) = read_with_modes(
        ("one", Fraction(1, 3)), step, lambda s: (s[1] if s[0] == "one" else s[1][0] - s[1][1],), "a"
    )
    assert automaton.states == 2 + 3
    state, shown = ("one", Fraction(1, 3)), [Fraction(1, 3)]
    for _ in range(5):
        state = step(state, "a")
        shown.append(state[1][0] - state[1][1])
    assert prefix_scores(automaton, "aaaaa").tolist() == shown


def test_a_mode_with_two_numbers_of_components_is_refused():
    with pytest.raises(InputError, match="must have vectors of the same shape"):
        read_with_modes(
            (0, (1, 2)), lambda s, x: (1, (s[1][0],) if x == "a" else s[1]), lambda s: (s[1][0],), "ab"
        )
