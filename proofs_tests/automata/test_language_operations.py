"""Tests of operations on automata, lists of strings and regexes, against the scores of all short strings."""

from __future__ import annotations

import inspect
import re
import sys
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import determinisation, enumeration
from automata.errors import InputError, LimitReached
from automata.forward import score
from automata.hankel import shortlex
from automata.languages.operations import complement, difference
from automata.regular_expressions import NOTHING, from_regex, to_regex
from automata.semirings import BOOLEAN, REAL, SEMIRINGS
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases

SHORT = ["".join(x) for x in shortlex("ab", 4)]
each = over(SEMIRINGS.values())
nfa = automata(BOOLEAN, epsilon="cyclic").map(lambda a: a.over("ab") if set(a.alphabet) <= set("ab") else a)


@some_cases(st.tuples(nfa, nfa))
def test_complement_and_difference_reject_the_accepted_strings(pair):
    a, b = (automaton.over(dict.fromkeys([*automaton.alphabet, *"ab"])) for automaton in pair)
    rest, less = complement(a), difference(a, b)
    for x in SHORT:
        assert score(rest, x) == (not score(a, x))
        assert score(less, x) == (score(a, x) and not score(b, x))


def test_a_difference_is_over_both_alphabets():
    a, b = from_regex("[abc]*"), from_regex("[bd]*")
    assert not score(difference(a, b), "bb") and score(difference(a, b), "ba")
    with pytest.raises(
        InputError, match="complement expects boolean automata, got one over the real semiring"
    ):
        complement(WFSA(REAL, [1], [1], {"a": [[1]]}))


@each
@few_cases(st.data())
def test_enumeration_lists_the_strings_whose_score_is_not_zero(k, data):
    automaton = data.draw(automata(k, epsilon="cyclic", extreme=False))
    short = [tuple(x) for x in shortlex(automaton.alphabet, 4)]
    expected = [(x, score(automaton, x)) for x in short if score(automaton, x) != k.zero]
    listed = [
        (x, w) for x, w in islice(enumeration.nonzero_strings(automaton), len(expected) + 1) if len(x) <= 4
    ]
    assert [x for x, _ in listed] == [x for x, _ in expected]
    assert [w for _, w in listed] == (
        pytest.approx([w for _, w in expected]) if k.float_only else [w for _, w in expected]
    )
    first = enumeration.shortest(automaton)
    assert expected == [] or (first is not None and first[0] == expected[0][0])


@each
@few_cases(st.data())
def test_the_total_weight_is_the_sum_over_the_strings_of_a_length(k, data):
    automaton = data.draw(automata(k, epsilon="cyclic", extreme=False))
    for length in range(4):
        scores = [score(automaton, x) for x in shortlex(automaton.alphabet, length) if len(x) == length]
        total = enumeration.total_weight(automaton, length)
        if k.is_boolean:
            assert total == sum(map(bool, scores))
        else:
            expected = k.zero
            for one in scores:
                expected = k.plus(expected, one)
            assert total == (pytest.approx(expected) if k.float_only else expected)


def test_scores_that_cancel_are_not_listed():
    """If paths of 1 and -1 cancel on every string except the empty string, the list ends."""
    cancels = WFSA(REAL, [1, 1, 1], [1, -1, 1], {"a": [[1, 0, 0], [0, 1, 0], [0, 0, 0]]})
    assert list(enumeration.nonzero_strings(cancels)) == [((), 1)]
    assert enumeration.shortest(cancels.replace(final=REAL.zeros(3, exact=True))) is None


def test_strings_of_a_cycle_are_listed_although_the_lengths_between_them_have_none():
    even = WFSA(REAL, [1, 0], [1, 0], {"a": [[0, 1], [1, 0]]})
    assert [len(x) for x, _ in islice(enumeration.nonzero_strings(even), 5)] == [0, 2, 4, 6, 8]


def test_a_long_search_is_a_limit(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_STEPS", 10)
    with pytest.raises(LimitReached, match="more than the limit of 10 prefixes"):
        list(islice(enumeration.nonzero_strings(from_regex("[ab]{9}")), 100))


ONE = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\w", r"\D", "()", "a?", "b{2}", "a{1,3}", "(?:a|)"])
REGEX = st.recursive(
    ONE,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        inner.map(lambda one: f"(?:{one})*"),
        inner.map(lambda one: f"(?P<name>{one})+?" if "name" not in one else one),
    ),
    max_leaves=5,
)


@some_cases(REGEX)
def test_a_regex_becomes_the_automaton_of_the_strings_that_python_matches(pattern):
    automaton = from_regex(pattern, "ab")
    assert automaton == determinisation.minimal(automaton)
    for x in SHORT:
        assert score(automaton, x) == (re.fullmatch(pattern, x) is not None)


@some_cases(nfa)
def test_the_regex_of_an_automaton_matches_the_accepted_strings(automaton):
    pattern = to_regex(automaton)
    for x in (x for x in SHORT if set(x) <= set(automaton.alphabet)):
        assert score(automaton, x) == (re.fullmatch(pattern, x) is not None), pattern
    again = from_regex(pattern, automaton.alphabet)
    assert again == determinisation.minimal(automaton)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6))
def test_special_characters_of_regexes_are_escaped(text):
    literal = from_regex(re.escape(text))
    assert score(literal, text) and re.fullmatch(to_regex(literal), text)
    one_of = from_regex("|".join(map(re.escape, text)))
    assert all(re.fullmatch(to_regex(one_of), letter) for letter in text)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        (r"(a)\1", "a backreference is not supported"),
        ("a(?=b)", "lookaround is not supported"),
        ("(?<!a)b", "lookaround is not supported"),
        ("a++", "a possessive repeat is not supported"),
        ("(?>a)", "an atomic group is not supported"),
        (r"a\bb", "an anchor inside is not supported"),
        ("(?i)a", "a flag other than s and x is not supported"),
        ("(?i:a)", "a flag inside is not supported"),
        ("a.", "list them with --alphabet"),
        ("a(", "missing \\), unterminated subpattern"),
        ("a{2000}", r"\{2000,2000\}: repetitions must be at most 1000"),
        ("a{2000,}", r"\{2000,\}: repetitions must be at most 1000"),
    ],
)
def test_regexes_beyond_regular_languages_are_refused(pattern, says):
    with pytest.raises(InputError, match=says):
        from_regex(pattern)


def test_a_negated_class_may_exclude_characters_outside_the_alphabet():
    assert from_regex("[^c]*", "ab") == from_regex("[^cd]*", "ab") == from_regex("[ab]*")


def test_a_dot_matches_a_line_feed_only_with_its_flag():
    assert not score(from_regex(".", "a\n"), "\n") and score(from_regex("(?s).", "a\n"), "\n")


def test_a_regex_with_too_many_nested_groups_is_not_written():
    """The automaton accepts all strings of at most 39 letters: (a(a(...)?)?)?."""
    ends = range(40)
    arrows = [(q, q + 1, "a", True) for q in ends[:-1]]
    chain = WFSA.from_edges(BOOLEAN, 40, "a", [(0, True)], [(q, True) for q in ends], arrows)
    deepest = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        with pytest.raises(LimitReached, match="groups of the automaton's regex would be nested too deeply"):
            to_regex(chain)
    finally:
        sys.setrecursionlimit(deepest)


def test_anchors_at_the_ends_and_a_regex_that_matches_nothing():
    assert from_regex("^ab$") == from_regex(r"\Aab\Z") == from_regex("ab")
    assert to_regex(from_regex(NOTHING, "ab")) == NOTHING
    with pytest.raises(InputError, match="'c' is not in --alphabet"):
        from_regex("abc", "ab")
    with pytest.raises(InputError, match="must be a single character, got 'New York'"):
        to_regex(WFSA(BOOLEAN, [True], [True], {"New York": [[True]]}))
