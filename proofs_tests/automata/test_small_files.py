"""Tests that small files with large requirements are refused with a one-line error message, before any large
allocation.
"""

import json
from fractions import Fraction

import pytest

from automata import sampling
from automata.determinisation import TooManyStates, determinise, minimal
from automata.dfa import DFA
from automata.errors import FormatError, InputError, LimitReached, UnknownSymbol
from automata.io import att_format, json_format
from automata.rules import logic, matching, rule_files
from automata.rules.parser import parse
from automata.rules.rule_set import rule_set
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MIN_PLUS, REAL
from automata.text.number_text import parse_number, shorten, write_number
from automata.wfsa import WFSA

EMPTY = {"semiring": "real", "states": 1, "alphabet": [], "initial": [], "final": [], "transitions": []}
SHORT = 400
"""Maximum length of a readable error message, in characters."""


def refused(work, *arguments, kind=InputError):
    """Return the one-line message of the error that ``work`` raises."""
    with pytest.raises(kind) as error:
        work(*arguments)
    assert len(str(error.value)) < SHORT and "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("semiring", ["real", "boolean", "log", "counting", "max-plus"])
@pytest.mark.parametrize("states", [10**9, 10**300, int("9" * 4299)], ids=["1e9", "1e300", "4299 digits"])
def test_more_states_than_the_limit(semiring, states):
    text = json.dumps({**EMPTY, "semiring": semiring, "states": states})
    assert "at most" in refused(json_format.loads, text)


@pytest.mark.parametrize(
    "text", ["1e999999999", "1e9999999999999", "-1e-99999", "1" * 5000, "1/" + "3" * 5000]
)
def test_weights_with_too_many_digits_are_refused(text):
    assert "must have at most 4300 digits" in refused(parse_number, text)


@pytest.mark.parametrize("semiring", [REAL, MAX_PLUS, MIN_PLUS], ids=lambda k: k.name)
@pytest.mark.parametrize("weight", ["1e4300", "-1e4300", "1e-4300", "7" * 4290, "-1/" + "7" * 4290])
def test_att_text_has_the_same_limit_on_weights_as_json(semiring, weight):
    data = {**EMPTY, "semiring": semiring.name, "initial": [[0, "1"]], "final": [[0, weight]]}
    read = att_format.loads(f"0 {weight}\n", semiring)
    assert abs(read.final[0]) == abs(json_format.loads(json.dumps(data)).final[0])


@pytest.mark.parametrize("digits", [4299, 4301, 1_000_000])
def test_an_exact_score_is_written_with_all_digits(digits):
    number = 10**digits + 7
    assert write_number(number) == "1" + "0" * (digits - 1) + "7"
    assert write_number(Fraction(-1, number)) == "-1/" + write_number(number)


def test_anything_is_shown_shortened():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for value in (nested, 10**10_000, Fraction(1, 10**10_000), "x" * 10**7, [10**10_000]):
        assert len(shorten(value)) <= 60
    assert shorten(nested) == "<list>" and shorten("x" * 90, most=20) == "'" + "x" * 16 + "..."


def test_a_symbol_of_ten_million_signs():
    one = WFSA(REAL, [1], [1], {"x" * 10**7: [[1]]})
    assert "is not in the alphabet" in refused(one.matrix, "a", kind=UnknownSymbol)
    assert "is not in the alphabet" in refused(one.matrix, "y" * 10**7, kind=UnknownSymbol)


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_json_that_is_nested_too_deeply(text):
    assert "nested too deeply" in refused(json_format.loads, text, kind=FormatError)


def test_a_json_number_of_too_many_digits():
    text = json.dumps(EMPTY).replace('"states": 1', '"states": ' + "1" * 5000)
    assert refused(json_format.loads, text, kind=FormatError).endswith("number must have at most 4300 digits")


@pytest.mark.parametrize("depth", [*range(700, 1000, 20), 2000])
def test_json_nested_just_within_the_limit(depth):
    text = json.dumps(EMPTY).replace('"states": 1', '"states": ' + "[" * depth + "]" * depth)
    refused(json_format.loads, text, kind=FormatError)


def test_the_number_of_notes_on_merged_transitions_is_limited():
    arrows = [[p, q, "a", "1"] for p in range(40) for q in range(40)] * 2
    data = {**EMPTY, "states": 40, "alphabet": ["a"], "transitions": arrows}
    with pytest.warns(UserWarning, match="occur") as notes:
        json_format.loads(json.dumps(data))
    assert len(notes) <= 10 and "more" in str(notes[-1].message)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("(" * 100_000 + "a" + ")" * 100_000, "the nesting depth must be at most 200"),
        ("a" + " *" * 100_000, "the nesting depth must be at most 400"),
        ("a" + " ?" * 401, "the nesting depth must be at most 400"),
        ("a" + " {2}" * 401, "the nesting depth must be at most 400"),
        ("( " * 150 + "a" + " * ) ? +" * 150, "the nesting depth must be at most 400"),
        ("a {0,1000000000}", "repetitions must be at most 1000"),
        ("a {" + "9" * 5000 + "}", "must have at most 20 digits"),
        ("a {3," + "9" * 5000 + "}", "must have at most 20 digits"),
    ],
)
def test_rules_with_large_requirements(rule, says):
    assert says in refused(parse, rule, kind=FormatError)


@pytest.mark.parametrize(
    "rule",
    [
        "(" * 200 + "a" + ")" * 200,
        "a" + " *" * 200,
        "(" * 100 + "a" + ") *" * 100,
        r"\( " * 300,
        r"\* " * 300,
    ],
)
def test_rules_nested_just_within_the_limit(rule):
    assert str(parse(rule))


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("( a ? ) {1000} {1000} {1000}", "at most 5,000 states"),
        ("( ( ) ) {1000} {1000} {1000}", "at most 1,000,000 parts"),
        (f"( {'( ) ' * 1000} ) {{1000}} {{2}}", "at most 1,000,000 parts"),
        (" | ".join(f"w{i}" for i in range(8_000)), "at most 5,000 states"),
        (" ".join(["a"] * 8_000), "at most 5,000 states"),
    ],
    ids=lambda text: text[:30],
)
def test_rules_whose_automaton_would_be_large(rule, says):
    message = refused(rule_set, [rule_files.Labelled(None, parse(rule), 7, "home.config")], None, False)
    assert message.startswith("home.config: line 7: the rule") and says in message


def test_a_rule_whose_wildcards_expand_to_many_letters():
    words = [f"w{i}" for i in range(1_500)]
    rule = rule_files.Labelled(None, parse(" ".join(["$"] * 3_000 + words)), 1)
    says = "the rule's automaton must have at most 4,194,304 transitions"
    assert says in refused(rule_set, [rule], words, False, kind=LimitReached)


@pytest.mark.parametrize(("join", "states"), [(" ", 4901), (" | ", 2)])
def test_thousands_of_words_need_no_dense_matrices(join, states):
    """As arrays, 4,900 matrices of 4,901 states would have 117,000,000,000 weights."""
    rule = parse(join.join(f"w{i}" for i in range(4900)))
    automaton = rule_set([rule_files.Labelled(None, rule, 1)], None, False).automaton
    assert (automaton.states, automaton.transitions) == (states, 4900)


def test_a_table_of_all_letters_and_states_that_would_be_large(monkeypatch):
    rules = rule_set(rule_files.loads("[x]\n$ * a\n[y]\n$ * b"), ["a", "b"])
    size = 4 * 6  # BOS, a, b and EOS
    monkeypatch.setattr("automata.rules.matching.MOST_STEPS", size)
    assert matching.matches(rules, [("BOS", "a")]).tolist() == [[True, False]]
    monkeypatch.setattr("automata.rules.matching.MOST_STEPS", size - 1)
    assert "4 letters times 6 states" in refused(matching.matches, rules, [()], kind=LimitReached)


def test_a_dfa_whose_table_would_be_large(monkeypatch):
    monkeypatch.setattr("automata.dfa.MOST_PLACES", 2 * 9)
    assert DFA.from_wfsa(nth_from_the_end(3)).states == 8
    assert "17 states times 2 symbols" in refused(DFA.from_wfsa, nth_from_the_end(4), kind=LimitReached)


def test_a_subset_construction_that_would_have_2_to_the_40_states():
    assert "more than 16,384 states" in refused(minimal, nth_from_the_end(40), kind=TooManyStates)


def test_a_subset_construction_with_too_many_transitions(monkeypatch):
    monkeypatch.setattr("automata.determinisation.MOST_ARROWS", 2 * 64)
    assert determinise(nth_from_the_end(6)).states == 64
    assert "more than 128 transitions" in refused(determinise, nth_from_the_end(7), kind=TooManyStates)
    steps = [(q, q + 1, "a", True) for q in range(199)]
    chain = WFSA.from_edges(BOOLEAN, 200, "a", [(0, True)], [(199, True)], steps)
    assert determinise(chain).states == 200  # a deterministic automaton has exactly this number


@pytest.mark.parametrize(("few", "words"), [(0, 64 * 16 + 5 * (64 + 6 * 32)), (1024, 64 * 4)])
def test_a_subset_construction_whose_sets_are_large(monkeypatch, few, words):
    """64 sets contain the first state. Each of the six other states is in half of these sets."""
    monkeypatch.setattr("automata.determinisation.FEW_STATES", few)
    monkeypatch.setattr("automata.determinisation.MOST_WORDS", words)
    assert determinise(nth_from_the_end(6)).states == 64
    monkeypatch.setattr("automata.determinisation.MOST_WORDS", words - 1)
    says = f"use more than {words - 1:,} 8-byte words"
    assert says in refused(determinise, nth_from_the_end(6), kind=TooManyStates)


def nth_from_the_end(n):
    """Return the automaton of the strings whose n-th symbol from the end is a.

    An equivalent deterministic automaton has 2^n states.
    """
    steps = (
        [(0, 0, s, True) for s in "ab"]
        + [(0, 1, "a", True)]
        + [(i, i + 1, s, True) for i in range(1, n) for s in "ab"]
    )
    return WFSA.from_edges(BOOLEAN, n + 1, "ab", [(0, True)], [(n, True)], steps)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("(" * 100_000 + "a" + ")" * 100_000, "the nesting depth must be at most 200"),
        ("!" * 100_000 + "a", "the nesting depth must be at most 200"),
        ("!(" * 101 + "a" + ")" * 101, "the nesting depth must be at most 200"),
        (
            " | ".join(f"(x{i} & y{i})" for i in range(40)),
            "must have at most 10,000 clauses in conjunctive normal form",
        ),
        (
            "!(" + " & ".join(f"!(x{i} & y{i})" for i in range(40)) + ")",
            "must have at most 10,000 clauses in conjunctive normal form",
        ),
    ],
    ids=lambda text: text[:12],
)
def test_formulas_with_large_requirements(formula, says):
    assert says in refused(logic.parse, formula, kind=FormatError)


def test_formulas_under_one_label_that_are_large_together():
    text = "[x]\n" + "\n".join(f"x{i} & y{i}" for i in range(40))
    assert "must have at most 10,000 clauses in conjunctive normal form" in refused(
        logic.read, text, kind=FormatError
    )


def test_large_formulas_are_supported():
    names = [f"x{i}" for i in range(2000)]
    assert (
        len(logic.parse(" & ".join(names)).clauses) == len(logic.parse(" | ".join(names)).clauses[0]) == 2000
    )
    assert len(logic.parse(" | ".join(f"(x{i} & y{i})" for i in range(13))).clauses) == 2**13
    assert str(logic.parse("!" * 200 + "a")) == "a"


def test_more_samples_than_the_limit_are_refused():
    import numpy as np

    automaton = WFSA(LOG, [0.0], [0.0], {"a": [[-1.0]]})
    assert "at most" in refused(sampling.sample, automaton, 10**9, 20, np.random.default_rng(0))
