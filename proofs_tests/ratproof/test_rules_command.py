"""Tests of ``ratproof compile``: a rule or a file, over a vocabulary or with wildcards as letters."""

import json

import pytest

from automata.batch import scores
from automata.io import files
from proofs_tests.automata.commands import command
from ratproof.main import run

RULES = """[fare]
$ * cost $ *   // what is the cost
$ * how much $ *
[city]
// $ * town
$ * city EOS
"""


def test_a_rule_over_a_vocabulary(tmp_path, capsys):
    out = str(tmp_path / "a.json")
    assert run(["compile", "show $ * flights", "--vocabulary", "show,me,flights", "-o", out, "--json"]) == 0
    answer = {"schema_version": 2, "files": [out], "states": 3, "words": 3, "labels": {}, "missing": []}
    assert json.loads(capsys.readouterr().out) == answer
    expected = [True, False]
    assert [bool(x) for x in scores(files.read(out), [("show", "me", "flights"), ("show", "me")])] == expected


def test_a_rule_without_wildcards_needs_no_vocabulary(tmp_path):
    assert run(["compile", "a ( b | c )", "-o", str(tmp_path / "a.json")]) == 0
    assert set(files.read(tmp_path / "a.json").alphabet) == {"a", "b", "c"}


@pytest.mark.parametrize("kind", ["lines", "list", "vocab"])
def test_a_file_of_rules_and_one_of_words(tmp_path, capsys, kind):
    """Sentences under headers begin with BOS and end with EOS; missing words are reported."""
    rules, out = tmp_path / "rules.config", tmp_path / "a.json"
    rules.write_text(RULES)
    words = ["BOS", "what", "cost", "how", "city", "EOS"]
    vocabulary = tmp_path / ("words.txt" if kind == "lines" else "words.json")
    vocabulary.write_text(
        "\n".join(words) if kind == "lines" else json.dumps(words if kind == "list" else {"vocab": words})
    )
    assert run(["compile", str(rules), "--vocabulary", str(vocabulary), "-o", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    answer = json.loads(captured.out)
    assert answer["missing"] == ["much"] and "the vocabulary lacks 'much'" in captured.err
    machine = files.read(out)
    sentences = ("BOS what cost EOS", "BOS city EOS", "what cost EOS", "BOS city how EOS")
    matched = scores(machine, [tuple(sentence.split()) for sentence in sentences])
    assert [bool(x) for x in matched] == [True, True, False, False]
    assert set(answer["labels"]) == {"fare", "city"} and answer["states"] == machine.states


def test_the_pseudo_automaton_preserves_wildcards(tmp_path, capsys):
    rules, out = tmp_path / "rules.config", tmp_path / "a.json"
    rules.write_text(RULES)
    assert run(["compile", str(rules), "--pseudo", "--no-bos", "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == []
    assert set(files.read(out).alphabet) == {"$", "cost", "how", "much", "city", "EOS"}


def test_without_a_vocabulary_wildcards_stay_letters_with_a_note(tmp_path, capsys):
    out = str(tmp_path / "a.json")
    assert run(["compile", "$ * a", "-o", out]) == 0
    assert "'$' is compiled as a letter" in capsys.readouterr().err and files.read(out).alphabet == ("a", "$")
    assert run(["compile", "$ * a", "--pseudo", "-o", out]) == 0 and not capsys.readouterr().err


def test_the_pseudo_automaton_over_a_vocabulary(tmp_path, capsys):
    out = str(tmp_path / "a.json")
    assert run(["compile", "$ * ( a | z )", "--pseudo", "--vocabulary", "a,b,c", "-o", out]) == 0
    assert "lacks 'z'" in capsys.readouterr().err and files.read(out).alphabet == ("a", "b", "c", "$")
    assert [bool(x) for x in scores(files.read(out), [("$", "a"), ("b", "a")])] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a )"], "the rule: line 1, column 3: expected "),
        (["no/such.rules"], "no/such.rules: the argument must be an existing file with rules"),
        (["a $", "--vocabulary", "a,b,a"], "must occur once, got 'a' twice"),
        (["a $", "--vocabulary", "a,b c"], "word 2 must be a string without white space, got 'b c'"),
        (["a $", "--vocabulary", "no/such.txt"], "no/such.txt: a vocabulary must be a readable file"),
        (["BOS a", "--bos"], "must not contain BOS, which begins every sentence"),
    ],
)
def test_bad_input_gives_a_one_line_error(tmp_path, capsys, arguments, says):
    assert run(["compile", *arguments, "-o", str(tmp_path / "a.json")]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_rule_and_words_longer_than_a_file_name(tmp_path):
    words = [f"word{i}" for i in range(300)]
    out = tmp_path / "a.json"
    assert run(["compile", " | ".join(words), "--vocabulary", ",".join(words), "-o", str(out)]) == 0
    assert files.read(out).states == 2


def test_an_output_that_is_not_an_automaton_format(tmp_path, capsys):
    assert run(["compile", "a", "-o", str(tmp_path / "a.txt")]) == 2
    assert "the extension of an automaton to write must be one of" in capsys.readouterr().err


@pytest.mark.parametrize("text", ['{"words": ["a"]}', "[1]", '["a", ""]', "{", "[]"])
def test_malformed_vocabularies(tmp_path, capsys, text):
    (tmp_path / "words.json").write_text(text)
    assert (
        run(["compile", "a", "--vocabulary", str(tmp_path / "words.json"), "-o", str(tmp_path / "a.json")])
        == 2
    )
    assert str(tmp_path / "words.json") in capsys.readouterr().err


def test_many_rules_in_one_automaton(tmp_path, capsys):
    """Sixteen rules of two labels are compiled and compared with the same rules in another order, and the
    certificate is checked. As one deterministic automaton they are too large, which gives exit status 3.
    """
    rules = [f"$ * a{i} & * $ * b{i} $ *" for i in range(16)]
    orders = {"one": (rules[:8], rules[8:]), "other": (rules[7::-1], rules[:7:-1])}
    words = ",".join([*(f"{kind}{i}" for i in range(16) for kind in "ab"), "else", "."])
    for name, (first, second) in orders.items():
        text = "\n".join(["[x]", *first, "[y]", *second])
        (tmp_path / f"{name}.rules").write_text(text)
        arguments = ["--vocabulary", words, "-o", str(tmp_path / f"{name}.json")]
        assert run(["compile", str(tmp_path / f"{name}.rules"), *arguments]) == 0
    one, other, shown = (str(tmp_path / name) for name in ("one.json", "other.json", "shown.json"))
    assert files.read(one) != files.read(other)
    assert run(["equivalent", one, other, "--certificate", shown]) == 0
    assert run(["check-certificate", shown]) == 0
    capsys.readouterr()
    assert run(["minimise", one, "-o", str(tmp_path / "least.json")]) == 3
    out, err = capsys.readouterr()
    assert "the deterministic automaton has more than 16,384 states" in out + err
    assert (out + err).count("\n") == 1 and not (tmp_path / "least.json").exists()
    (tmp_path / "x.rules").write_text("\n".join(["[x]", *rules[:4]]))
    arguments = ["--vocabulary", words, "-o", one]
    assert run(["compile", str(tmp_path / "x.rules"), *arguments]) == 0
    assert run(["minimise", one, "-o", other]) == 0
    assert run(["equivalent", one, other, "--certificate", shown]) == 0
    assert run(["check-certificate", shown]) == 0


def test_decide_lists_words_that_the_vocabulary_lacks(tmp_path, capsys):
    rules = tmp_path / "rules.config"
    rules.write_text(RULES)
    assert run(["rules", "decide", "--rules", str(rules), "--vocabulary", "cost,city", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["missing"] == ["how", "much"]
    assert "the vocabulary lacks 'how', 'much'" in captured.err


def test_a_rule_beyond_the_limits_is_reported_with_file_and_line(tmp_path, capsys):
    rules = tmp_path / "rules.config"
    for line, says in (
        ("( a{1000} | b{1000} ) {4}", "must have at most 5,000 states"),
        ("BOS a", "must not contain BOS"),
    ):
        rules.write_text(f"[x]\na\n{line}\n")
        assert run(["rules", "decide", "--rules", str(rules), "--vocabulary", "a,b"]) == 2
        error = capsys.readouterr().err
        assert f"{rules}: line 3: " in error and says in error


@pytest.mark.parametrize(("rule", "sign"), [(r"\d+", r"\d"), ("[a-z]*", "[a-z]")])
def test_a_regular_expression_gets_a_hint_that_rules_are_over_words(rule, sign, tmp_path):
    status, _, err = command("compile", rule, "-o", str(tmp_path / "rule.json"))
    assert status == 0
    assert (
        err
        == f"ratproof: note: {sign} is part of a word, because rules are over words and not over characters\n"
    )


def test_a_group_with_options_is_refused_with_a_hint(tmp_path):
    status, _, err = command("compile", "(?:a)", "-o", str(tmp_path / "rule.json"))
    assert status == 2 and err.endswith("; rules are over words, not characters\n")
