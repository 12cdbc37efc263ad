"""Tests of propositional rules: their conversion to clauses, and the soft layer with the same logic."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.rules.logic import DEEPEST, MOST_CLAUSES, parse, read
from neural.fa_rnn.aggregation import SoftLogic

NAMES = ("a", "b", "c")
FORMULAS = st.recursive(
    st.sampled_from(NAMES),
    lambda inside: st.one_of(
        inside.map(lambda f: f"!({f})"),
        st.tuples(inside, st.sampled_from("&|"), inside).map(lambda f: f"({f[0]}) {f[1]} ({f[2]})"),
    ),
    max_leaves=6,
)


def by_python(text: str, matched: dict[str, bool]) -> bool:
    """Return the value of the same formula, evaluated as a Python expression."""
    return bool(eval(text.replace("!", " not ").replace("&", " and ").replace("|", " or "), {}, matched))


@given(FORMULAS)
def test_the_clauses_and_the_soft_layer_equal_the_formula(text):
    """They agree for all truth values, and for counts that represent true."""
    formula = parse(text)
    layer = SoftLogic({"x": formula}, NAMES)
    for values in product((False, True), repeat=len(NAMES)):
        matched = dict(zip(NAMES, values, strict=True))
        truth = by_python(text, matched)
        assert formula.holds(matched) == truth
        for count in (1.0, 7.0):
            with torch.no_grad():
                assert layer(torch.tensor([[count * value for value in values]])).tolist() == [[float(truth)]]


@given(FORMULAS)
def test_a_formula_is_read_as_it_is_written(text):
    formula = parse(text)
    if formula.clauses and all(formula.clauses):
        assert parse(str(formula)) == formula


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a &", "column 4: expected .*, got the end"),
        ("a b", "column 3: expected .*, got 'b'"),
        ("(a", "got the end"),
        ("", "column 1: expected .*, got the end"),
        ("a | & b", "column 5: expected .*, got '&'"),
    ],
)
def test_bad_formulas(text, says):
    with pytest.raises(FormatError, match=says):
        parse(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a & b", r"line 1: a formula must follow a \[label\]"),
        ("[x]\na\n[x]\nb", "line 3: the label 'x' must have one header"),
        ("[x]\n// none\n", "must have a formula for 'x'"),
        ("", "must have a formula"),
        ("[x]\na &", "line 2: column 4"),
    ],
)
def test_bad_files(text, says):
    with pytest.raises(FormatError, match=says):
        read(text)


def test_scores_below_zero_count_as_zero():
    layer = SoftLogic({"x": parse("a | b"), "y": parse("!a")}, NAMES)
    with torch.no_grad():
        assert layer(torch.tensor([[-3.0, 1.0, 0.0]])).tolist() == [[1.0, 1.0]]


def test_a_name_that_no_rule_has():
    with pytest.raises(InputError, match="must use the names a, b, c, got 'd'"):
        SoftLogic({"x": parse("a & d")}, NAMES)


def test_only_nested_operators_count_as_depth():
    deepest = "(" * DEEPEST + "a" + ")" * DEEPEST
    assert parse(f"(!a) & {deepest} & " + "(b) & " * DEEPEST + "(b)") == parse("!a & a & b")
    for before in ("", "(a) & " * DEEPEST, "!(!a) & " * DEEPEST):
        with pytest.raises(
            FormatError, match=rf"column {len(before) + DEEPEST + 1}: the nesting depth must be at most"
        ):
            parse(f"{before}({deepest})")


def test_products_that_simplify_to_one_clause_are_expanded():
    """The expansion of a squared conjunction has many products but few distinct clauses, and only clauses are
    limited.
    """
    names = " & ".join(f"x{i}" for i in range(140))
    assert MOST_CLAUSES < 140**2
    assert len(parse(f"({names}) | ({names})").clauses) <= 140 * 141 // 2
