"""Tests that rules of all kinds have the same language after writing, reading, compiling and elimination."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.io import files
from automata.rules import rule_files
from automata.rules.compiling import compiled, least
from automata.rules.elimination import rule_of
from automata.rules.parser import parse
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from automata.rules.syntax import Rule, Sequence, Word
from automata.rules.vocabulary import vocabulary
from automata.rules.words import letters, pseudo_letters
from automata.semirings import BOOLEAN
from automata.testing.strategies import symbols
from automata.wfsa import WFSA
from proofs_tests.automata.commands import command
from proofs_tests.automata.examples import some_cases

OF_RULES = st.sampled_from(
    [
        "$",
        "%",
        "&",
        "//",
        "//x",
        "a//",
        "[a]",
        "[",
        "\\",
        "\\\\",
        "(",
        ")",
        "|",
        "*",
        "+",
        "?",
        "{2}",
        "}",
        "$1",
        "BOS",
        "EOS",
    ]
)
WORDS = (OF_RULES | symbols(encodable=True)).filter(lambda word: word.split() == [word] and "\0" not in word)


@st.composite
def rules_over_words(draw: st.DrawFn) -> tuple[Rule, tuple[str, ...]]:
    """Draw a rule, and a vocabulary that may lack some of its words."""
    words = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    return draw(rules(words, leaves=5)), tuple(words[draw(st.integers(0, 1)) :]) or ("a",)


@some_cases(rules_over_words())
def test_a_rule_with_any_words_is_parsed_as_it_is_written(case):
    rule, words = case
    assert least(parse(str(rule)), letters([rule], words)) == compiled(rule, words)


@some_cases(
    st.lists(rules_over_words(), min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]), st.booleans()
)
def test_so_it_is_in_a_file(cases, end, headed):
    lines = [
        *(["[a label]"] if headed else []),
        *(f"  {rule}  // {words[0]}\u2028x" for rule, words in cases),
    ]
    read = rule_files.loads(end.join(lines))
    assert [line.line for line in read] == [line_number + headed for line_number in range(1, len(cases) + 1)]
    for line, (rule, words) in zip(read, cases, strict=True):
        assert least(line.rule, letters([rule], words)) == compiled(rule, words)


@some_cases(rules_over_words())
def test_an_automaton_is_written_as_a_rule_that_parses_to_its_language(case):
    automaton = compiled(*case)
    written = rule_of(automaton)
    if written is None:
        assert automaton.states == 0
    else:
        assert compiled(parse(str(written)), case[1]) == automaton


@pytest.mark.parametrize("symbol", ["New York", "a\u00a0b", " ", "a\n"])
def test_an_automaton_over_symbols_that_are_not_words_has_no_rule(symbol):
    with pytest.raises(InputError, match="symbols must be words without white space"):
        rule_of(WFSA(BOOLEAN, [True], [True], {symbol: [[True]]}))


@given(
    st.lists(WORDS, min_size=1, max_size=5, unique=True),
    st.sampled_from(["words", "words.json"]),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_a_vocabulary_is_read_as_it_is_written(words, name, end):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(
            json.dumps(words) if name.endswith(".json") else "\ufeff" + end.join(words) + end,
            encoding="utf-8",
            newline="",
        )
        assert vocabulary(str(path)) == tuple(words)


@some_cases(rules_over_words(), st.booleans())
def test_the_compile_command_gives_the_rules_automaton(case, begins):
    rule, words = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")
        (folder / "a.rules").write_text(str(rule) + "\n", encoding="utf-8", newline="")
        status, _, err = command(
            "compile",
            f"{folder}/a.rules",
            "-o",
            f"{folder}/a.json",
            "--vocabulary",
            f"{folder}/words.json",
            "--bos" if begins else "--no-bos",
        )
        if begins and "BOS" in str(rule).split():
            assert status == 2 and "must not contain BOS" in err
        else:
            true = rule_set([rule_files.Labelled(None, rule, 1)], words, begins).automaton
            assert status == 0 and files.read(folder / "a.json") == true


def test_a_word_and_a_wildcard_that_look_alike_are_not_letters_of_one_automaton():
    r"""``\$`` is a dollar sign and ``$`` is any word: as letters they would be indistinguishable."""
    with pytest.raises(InputError, match=r"the word '\$' clashes with the wildcard \$"):
        pseudo_letters([parse(r"\$ $")])
    with pytest.raises(InputError, match="the word '%' clashes with the wildcard %"):
        pseudo_letters([parse("a % b")], ["a", "%"])
    assert pseudo_letters([parse(r"\$ a")]).alphabet == ("$", "a")


@pytest.mark.parametrize(("text", "words"), [("show", ("show",)), ("and/or, .txt", ("and/or", ".txt"))])
def test_comma_separated_words_are_a_vocabulary_and_a_missing_file_is_reported(text, words):
    assert vocabulary(text) == words
    for name in ("there/is/none", "none.json", "none.txt"):
        with pytest.raises(FormatError, match=f"^{name}: a vocabulary must be a readable file"):
            vocabulary(name)


def test_a_vocabulary_given_twice_is_refused(tmp_path):
    (tmp_path / "v.json").write_text('{"vocab": ["a"], "vocab": ["b"]}')
    with pytest.raises(FormatError, match="'vocab' must occur once"):
        vocabulary(str(tmp_path / "v.json"))


@pytest.mark.parametrize("first", ["[a", "//a", "\ufeff", "\ufeffa"])
def test_a_word_at_the_start_of_a_file_is_not_a_header_comment_or_byte_order_mark(tmp_path, first):
    rule = Sequence((Word(first), Word("b]")))
    (tmp_path / "a.rules").write_text(str(rule), encoding="utf-8")
    assert [(line.label, line.rule) for line in rule_files.read(tmp_path / "a.rules")] == [(None, rule)]
