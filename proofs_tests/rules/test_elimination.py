"""Tests of the conversion of automata to rules: the language is preserved, and the rules are simple."""

from functools import reduce

import pytest
from hypothesis import given

from automata.errors import InputError
from automata.operations import sum_of
from automata.rules.compiling import compiled, least, together
from automata.rules.elimination import rule_of
from automata.rules.parser import parse
from automata.rules.simplify import simplified
from automata.rules.strategies import rules
from automata.rules.syntax import Either
from automata.rules.words import letters
from automata.semirings import REAL
from automata.wfsa import WFSA
from proofs_tests.automata.examples import some_cases

VOCABULARY = ("a", "b", "7", "?", "c", "12.5")
NAMED = ("a", "b", "7", "absent")


@given(rules(NAMED, leaves=8))
def test_simplifying_preserves_the_language(rule):
    """The words belong to wildcards or not, and simple rules stay unchanged."""
    known = letters([rule], VOCABULARY)
    assert least(simplified(rule), known) == least(rule, known)
    assert len(str(simplified(rule))) <= len(str(rule))


def test_repetitions_are_not_merged_into_one_of_more_than_the_limit() -> None:
    assert str(simplified(parse("ab {999} ab *"))) == "ab {999,}"
    assert str(simplified(parse("ab {1000} ab +"))) == "ab {1000,1000} ab +"


@some_cases(rules(NAMED))
def test_an_automaton_is_written_as_a_rule_of_its_language(rule):
    known = letters([rule], VOCABULARY)
    automaton = least(rule, known)
    written = rule_of(automaton)
    if written is None:
        assert automaton.states == 0
    else:
        again = letters([written], VOCABULARY)
        assert least(written, again) == automaton


@some_cases(rules(NAMED, leaves=4), rules(NAMED, leaves=4))
def test_a_nondeterministic_automaton_is_written_as_a_rule_of_its_language(one, other):
    known = letters([one, other], VOCABULARY)
    written = rule_of(
        reduce(sum_of, [part for part, _ in together([least(one, known), least(other, known)])])
    )
    union = least(Either((one, other)), known)
    assert (written is None and union.states == 0) or (
        written is not None and least(written, letters([written], VOCABULARY)) == union
    )


@pytest.mark.parametrize(
    "text",
    [
        "$ * a b $ *",
        "$ * ( a | b ) $ * c $ *",
        "$ * a & * $ ? b $ *",
        "$ * % $ *",
        "a {2} b",
        "( a b ) *",
        "( a | b c ) $ +",
        "$",
    ],
)
def test_handwritten_rules_are_recovered(text):
    """The result is identical: wildcards remain wildcards, and no word is repeated."""
    words = ["a", "b", "c", "7", "12.5", "?", "!", *(f"w{i}" for i in range(20))]
    rule = parse(text)
    back = str(rule_of(least(rule, letters([rule], words))))
    assert back == text.replace("a {2}", "a a")


def test_only_boolean_automata_have_rules():
    with pytest.raises(InputError, match="boolean"):
        rule_of(WFSA(REAL, [1], [1], {"a": [[1]]}))


def test_a_wildcard_for_numbers_and_others_is_not_the_number_wildcard():
    """In the first automaton, the letter ``$2`` stands for a number and a word, so ``%``, the wildcard for
    numbers, must not replace it. In the second automaton, it stands for two numbers, and ``%`` replaces it.
    """
    automaton = compiled(parse("$ * ( c | d ) $ *"), ["$2", "c", "d"])
    assert str(rule_of(automaton, {"$2": ("7", "b")})) == "$ * ( c | d ) $ *"
    assert (
        str(rule_of(compiled(parse("( $2 | d ) EOS"), ["$2", "d", "EOS"]), {"$2": ("7", "8")}))
        == "( % | d ) EOS"
    )
