"""Tests that the definitions of the Tomita grammars and of balanced parentheses agree with the DFAs on all
strings.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.drawing import dot
from automata.errors import InputError
from automata.hankel import shortlex
from automata.languages.parentheses import balanced, is_balanced
from automata.languages.tomita import tomita
from automata.testing.strategies import strings
from proofs_tests.automata.examples import few_cases

each = pytest.mark.parametrize("number", range(1, 8))
BINARY = shortlex(("0", "1"), 12)


@each
def test_the_definition_and_the_dfa_agree_on_every_string_of_up_to_12_symbols(number):
    grammar = tomita(number)
    assert all(grammar.contains(x) == grammar.dfa.accepts(x) for x in BINARY)


@each
def test_the_dfa_is_minimal_and_canonically_numbered(number):
    grammar = tomita(number)
    assert grammar.number == number and grammar.dfa == grammar.dfa.minimal()


def test_the_dfas_have_the_published_sizes():
    """Complete with a dead state, they have 2, 3, 5, 4, 4, 3 and 5 states (Wang et al. 2018)."""
    assert [tomita(n).dfa.states for n in range(1, 8)] == [2, 3, 5, 4, 4, 3, 5]
    assert [len(tomita(n).dfa.dead) for n in range(1, 8)] == [1, 1, 1, 1, 0, 0, 1]


@pytest.mark.parametrize(
    "number, inside, outside",
    [
        (1, ["", "1", "111"], ["0", "110"]),
        (2, ["", "10", "1010"], ["1", "01", "100"]),
        (
            3,
            ["", "1", "11", "0", "110", "100", "10011", "011000", "1000011"],
            ["10", "101", "1000", "11010", "1110", "100111000"],
        ),
        (4, ["", "00", "10010"], ["000", "10001"]),
        (5, ["", "0101", "1100", "0000"], ["0", "1", "01", "00011"]),
        (6, ["", "10", "111", "000", "11110"], ["1", "0", "110", "1100110"]),
        (7, ["", "0101", "1", "0011", "11100011"], ["01010", "10101010"]),
    ],
)
def test_well_known_strings(number, inside, outside):
    grammar = tomita(number)
    assert all(map(grammar.contains, inside)) and not any(map(grammar.contains, outside))


@each
@few_cases(strings(("0", "1"), 30, run=80))
def test_long_strings_too(number, x):
    assert tomita(number).contains(x) == tomita(number).dfa.accepts(x)


def test_unknown_grammars_and_symbols_are_refused():
    for number in (0, 8, "4", True):
        with pytest.raises(InputError, match="the number of a Tomita grammar must be between 1 and 7, got"):
            tomita(number)
    with pytest.raises(InputError, match=r"string index 1: symbol '2' is not in the alphabet \['0', '1'\]"):
        tomita(1).contains("12")


def test_figure_8_is_drawn():
    """The drawing has four accepting states with the names of centroids and no dead state."""
    text = dot(tomita(7).dfa, names=[3, 20, 11, 8, "dead"], hide_dead=True)
    assert text.count("doublecircle") == 4
    assert "dead" not in text
    assert '2 [label="11"' in text
    assert '2 -> 3 [label="1"]' in text
    assert '4 -> 4 [label="0, 1"]' in dot(tomita(7).dfa)


@pytest.mark.parametrize("depth", range(5))
def test_counting_and_the_dfa_agree_on_every_string_of_up_to_8_symbols(depth):
    dfa = balanced(depth)
    assert all(dfa.accepts(x) == is_balanced(x, depth) for x in shortlex("()a", 8))


@given(st.integers(0, 6), st.lists(st.sampled_from("((()))xy"), max_size=40))
def test_longer_strings_and_more_letters(depth, x):
    dfa = balanced(depth, letters="xy")
    assert dfa.alphabet == ("(", ")", "x", "y") and dfa.accepts(x) == is_balanced(x, depth)
    opened, closed = x.count("("), x.count(")")
    assert not is_balanced(x) or opened == closed


@pytest.mark.parametrize("letters", ["", "a", "xyz"])
@pytest.mark.parametrize("depth", range(8))
def test_the_dfa_is_minimal(depth, letters):
    dfa = balanced(depth, letters)
    assert dfa.states == depth + 2 == dfa.minimal().states
    assert dfa.isomorphic(dfa.minimal())
    assert dfa.dead == {depth + 1}


@given(st.integers(0, 8), st.integers(0, 8))
def test_two_depths_differ_first_at_the_limit_of_the_smaller(one, other):
    least = min(one, other) + 1
    assert balanced(one).shortest_difference(balanced(other)) == (
        None if one == other else tuple("(" * least + ")" * least)
    )


def test_an_invalid_depth_or_letter_is_refused():
    for depth in (-1, 1.5, True):
        with pytest.raises(InputError, match="the depth must be a nonnegative integer, got"):
            balanced(depth)
    with pytest.raises(InputError, match="the depth must be a nonnegative integer, got -1"):
        is_balanced("()", -1)
    with pytest.raises(InputError, match=r"the symbols of the alphabet must be distinct, got '\(' twice"):
        balanced(2, "a(")
