"""Tests of rules as text: written rules are read back, and errors report position and tokens."""

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
    """Return the rule with nested parts of the same kind flattened, as the parser returns it."""
    if isinstance(rule, Repeat):
        return Repeat(flat(rule.part), rule.least, rule.most)
    if isinstance(rule, Word | Wildcard):
        return rule
    parts = tuple(map(flat, rule.parts))
    return type(rule)(parts) if len(parts) != 1 else parts[0]


@given(rules(ODD_WORDS))
def test_a_rule_is_read_as_it_is_written(rule):
    """Rules contain words with operators in them, nested repetitions, and the empty sentence."""
    assert parse(str(rule)) == flat(rule)
    assert list(leaves(parse(str(rule)))) == list(leaves(rule))


@given(rules(ODD_WORDS, leaves=3), st.sampled_from(["x", "a header"]))
def test_a_rule_is_read_from_a_file_as_it_is_written(rule, label):
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
def test_how_signs_bind(text, is_):
    assert parse(text) == is_


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "$ * a ) $ *",
            'line 7, column 15: expected a word, "*", "+", "?", "{m,n}", "(", "|" or the end, got \')\'',
        ),
        ("a (b |", 'line 7, column 15: expected a word, "(", ")" or "|", got the end'),
        ("* a", 'line 7, column 9: expected a word, "(", "|" or the end, got \'*\''),
        (
            "a {2",
            'line 7, column 11: expected a word, "*", "+", "?", "{m,n}", "(", "|" or the end, got \'{\'',
        ),
        ("a b{3,1}", "line 7, column 11: {3,1}: the maximum must be at least 3, got 1"),
        ("a{1001}", "repetitions must be at most 1000"),
        ("a\n)", 'line 8, column 1: expected a word, "*", "+", "?", "{m,n}", "(", "|" or the end, got \')\''),
        ("(" * 300, "the nesting depth must be at most 200"),
        ("a" + "*" * 500, "the nesting depth must be at most 400"),
        ("a" + "*" * 5000, "the nesting depth must be at most 400"),
        ("a{" + "9" * 5000 + "}", "must have at most 20 digits"),
        ("a \\", "got '\\\\\\\\'"),
    ],
)
def test_malformed_rules(text, says):
    with pytest.raises(FormatError) as error:
        parse(text, "rules.txt", line=7, column=9)
    assert str(error.value).startswith("rules.txt: line ")
    assert says.replace("\\\\\\\\", "\\\\") in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must have at least one rule"),
        ("// $ * a", "must have at least one rule"),
        ("[x\n$", "line 1: a header must be \\[label\\], got '\\[x'"),
        ("[]\n$", "a header must be"),
        ("[x]\na\n[x]\nb", "line 3: the label 'x' must have one header"),
        ("a\n[x]\nb", "line 1: a rule must follow a"),
        ("\na\nb\n[x]\nb", "line 2: a rule must follow a"),
        ("[x]\na\n  b | ( c", "line 3, column 10: expected .*, got the end"),
    ],
)
def test_malformed_files_of_rules(text, says):
    with pytest.raises(FormatError, match=says):
        rule_files.loads(text)


def test_invalid_repetitions():
    with pytest.raises(InputError, match="the maximum must be at least 2, got 1"):
        Repeat(Word("a"), 2, 1)
