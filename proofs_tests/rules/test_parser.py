"""Rules as text: what is written is read again; errors say where, what stands there, and what would be
right.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.rules import rule_files
from automata.rules.parser import parse
from automata.rules.strategies import rules
from automata.rules.syntax import Either, Repeat, Rule, Sequence, Wildcard, Word, leaves

ODD_WORDS = (
    "a",
    "$1",
    "t&cs",
    "u.s.",
    "4*",
    "(",
    "a|b",
    "\\",
    "$",
    "%",
    "&",
    "{2}",
    "'s",
    "?",
    "//",
    "//x",
    "[x]",
)


def flat(rule: Rule) -> Rule:
    """Without parts of one kind directly in each other: as the parser makes them."""
    if isinstance(rule, Repeat):
        return Repeat(flat(rule.part), rule.least, rule.most)
    if isinstance(rule, Word | Wildcard):
        return rule
    parts = tuple(map(flat, rule.parts))
    return type(rule)(parts) if len(parts) != 1 else parts[0]


@given(rules(ODD_WORDS))
def test_a_rule_is_read_as_it_is_written(rule: Rule) -> None:
    """Words with signs in them, repetitions of repetitions, the empty sentence, all of it."""
    assert parse(str(rule)) == flat(rule)
    assert list(leaves(parse(str(rule)))) == list(leaves(rule))


@given(rules(ODD_WORDS, leaves=3), st.sampled_from(["x", "a header"]))
def test_a_rule_is_read_from_a_file_as_it_is_written(rule: Rule, label: str) -> None:
    labelled = rule_files.loads(f"// what this is\n[{label}]\n  ( {rule} )\t// such as this\n\n")
    assert [(one.label, one.rule, one.line) for one in labelled] == [(label, flat(rule), 3)]


@pytest.mark.parametrize(
    ("text", "is_"),
    [
        ("a b|c", Either((Sequence((Word("a"), Word("b"))), Word("c")))),
        ("$*a", Sequence((Repeat(Wildcard("$"), 0, None), Word("a")))),
        ("(a)(b)", Sequence((Word("a"), Word("b")))),
        ("a{2}", Repeat(Word("a"), 2, 2)),
        ("a { 2 , }", Repeat(Word("a"), 2, None)),
        ("a{0,3}", Repeat(Word("a"), 0, 3)),
        ("a|", Either((Word("a"), Sequence(())))),
        ("", Sequence(())),
        ("$1 t&cs %", Sequence((Word("$1"), Word("t&cs"), Wildcard("%")))),
        (r"\$ \\ \* \(x", Sequence((Word("$"), Word("\\"), Word("*"), Word("(x")))),
        ("a+?", Repeat(Repeat(Word("a"), 1, None), 0, 1)),
    ],
)
def test_how_signs_bind(text: str, is_: Rule) -> None:
    assert parse(text) == is_


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "$ * a ) $ *",
            (
                'line 7, column 15: found \')\', where a word, "*", "+", "?", "{m,n}", "(", "|" or the end is'
                " right"
            ),
        ),
        ("a (b |", 'line 7, column 15: ends, where a word, "(", ")" or "|" is right'),
        ("* a", 'line 7, column 9: found \'*\', where a word, "(", "|" or the end is right'),
        ("a {2", "line 7, column 11: found '{'"),
        ("a b{3,1}", "line 7, column 11: {3,1} repeats at least 3 and at most 1 times"),
        ("a{1001}", "repeats more than 1000 times"),
        ("a\n)", "line 8, column 1: found ')'"),
        ("(" * 300, "nested more than 200 deep"),
        ("a" + "*" * 500, "nested more than 400 deep"),
        ("a" + "*" * 5000, "nested more than 400 deep"),
        ("a{" + "9" * 5000 + "}", "more often than anything may be repeated"),
        ("a \\", "found '\\\\\\\\'"),
    ],
)
def test_what_is_no_rule(text: str, says: str) -> None:
    with pytest.raises(FormatError) as error:
        parse(text, "rules.txt", line=7, column=9)
    assert str(error.value).startswith("rules.txt: line ") and says.replace("\\\\\\\\", "\\\\") in str(
        error.value
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no rule"),
        ("// $ * a", "holds no rule"),
        ("[x\n$", "line 1: '\\[x' is no header"),
        ("[]\n$", "is no header"),
        ("[x]\na\n[x]\nb", "line 3: the label 'x' has a header already"),
        ("a\n[x]\nb", "line 1: a rule stands above the first"),
        ("\na\nb\n[x]\nb", "line 2: a rule stands above the first"),
        ("[x]\na\n  b | ( c", "line 3, column 10: ends"),
    ],
)
def test_what_is_no_file_of_rules(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        rule_files.loads(text)


def test_repetitions_that_are_none() -> None:
    with pytest.raises(InputError, match="at least 2 and at most 1"):
        Repeat(Word("a"), 2, 1)
