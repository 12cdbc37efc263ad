"""Tests of rules and of the untrained networks that are built from them, on labelled sentences."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.batch import scores
from automata.rules.compiling import compiled
from automata.rules.matching import matched, mirrored
from automata.rules.rule_files import Labelled, loads
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from neural.fa_rnn import sentences
from neural.fa_rnn.bidirectional import mirror
from neural.fa_rnn.sentences import Sentences
from ratproof.main import run
from training.rules.zero_shot import zero_shot

WORDS = ("a", "b", "7", "?")
SENTENCES = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=5).map(lambda inside: ("BOS", *inside, "EOS")),
    min_size=1,
    max_size=5,
)
SEVERAL = st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), leaves=4)), min_size=1, max_size=4)
RULES = """[fare]
$ * cost $ *
$ * how much $ *
[city]
$ * what city $ *
[late]
$ * late EOS
"""
TEST = """fare\tBOS how much is it EOS
city\twhat city
late\tBOS what city so late EOS
fare\tBOS hello EOS
"""


@given(SEVERAL, SENTENCES)
def test_the_rule_system_equals_its_separate_rules(several, sentences):
    labelled = [Labelled(label, rule, 1) for label, rule in several]
    matches = matched(rule_set(labelled, WORDS), sentences)
    for sentence, labels in zip(sentences, matches, strict=True):
        letters, inside = [*WORDS, "EOS"], [sentence[1:]]
        assert set(labels) == {x for x, rule in several if scores(compiled(rule, letters), inside)[0]}


@given(SEVERAL, SENTENCES)
def test_mirrored_rules_match_mirrored_sentences(several, sentences):
    labelled = [Labelled(label, rule, 1) for label, rule in several]
    back = [Labelled(label, mirrored(rule), 1) for label, rule in several]
    forth = matched(rule_set(labelled, WORDS), sentences)
    assert matched(rule_set(back, WORDS), [mirror(sentence) for sentence in sentences]) == forth


@given(SEVERAL, SENTENCES, st.sampled_from(["first", "last"]))
def test_at_beta_1_the_networks_predict_the_rules_label_for_every_sentence(several, sentences, ties):
    labelled = tuple(Labelled(label, rule, 1) for label, rule in several)
    test = Sentences(tuple(sentences), tuple("x" for _ in sentences))
    report = zero_shot(labelled, WORDS, test, "first" if ties == "first" else "last")
    assert [row.system for row in report.rows] == ["rules", "FA-RNN", "BiFA-RNN", "FA-GRU", "BiFA-GRU"]
    assert all(row.agrees == 1 for row in report.rows[:3])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules.config").write_text(RULES)
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.tsv").write_text(TEST)
    return tmp_path


@pytest.mark.parametrize(
    ("more", "right"), [([], 0.75), (["--ties", "first"], 0.5), (["--unmatched", "fare"], 1.0)]
)
def test_the_command(folder, capsys, more, right):
    line = f"rules zero-shot --rules {folder / 'rules.config'} --data {folder} --json"
    assert run([*line.split(), *more]) == 0
    report = json.loads(capsys.readouterr().out)
    expected = [("rules", right, 1.0), ("FA-RNN", right, 1.0), ("BiFA-RNN", right, 1.0)]
    assert [(row["system"], row["accuracy"], row["agrees"]) for row in report["rows"][:3]] == expected
    first = report["rows"][0]
    assert (first["several"], first["unmatched"], report["missing"]) == (1, 1, ["cost"])


def test_it_reports_sentences_on_which_a_network_differs_from_its_rules(folder, capsys, monkeypatch):
    """The network has lost a column of its factors."""
    from neural.fa_rnn import network
    from neural.fa_rnn.factors import Factors, exact_factors

    def fewer(*arguments: object) -> Factors:
        factors = exact_factors(*arguments)  # type: ignore[arg-type]
        return Factors(
            factors.words[:, 1:], factors.before[:, 1:], factors.after[:, 1:], factors.apart, factors.stands
        )

    monkeypatch.setattr(network, "exact_factors", fewer)
    assert run(["rules", "zero-shot", "--rules", str(folder / "rules.config"), "--data", str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("4 sentences, 4 rules: ") and len(lines) == 7  # no line is wrapped


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fare a b", "line 1: the line must be label<TAB>words, got 'fare a b'"),
        ("", "at least one sentence"),
        ("x\ta BOS b", "BOS must not occur inside"),
    ],
)
def test_malformed_data(folder, capsys, text, says):
    (folder / "dev.tsv").write_text(text)
    assert run(["rules", "zero-shot", "--rules", str(folder / "rules.config"), "--data", str(folder)]) == 2
    error = capsys.readouterr().err
    assert "dev.tsv" in error and says in error and error.count("\n") == 1


def test_invalid_arguments_and_missing_files_are_refused(folder, capsys):
    arguments = ["rules", "zero-shot", "--rules", str(folder / "rules.config"), "--data", str(folder)]
    assert run([*arguments, "--unmatched", "nothing"]) == 2
    assert "must be a label of" in capsys.readouterr().err
    assert run([*arguments, "--ties", "middle"]) == 2 and "first or last" in capsys.readouterr().err
    (folder / "test.tsv").unlink()
    assert run(arguments) == 2 and "test.tsv: the path must be a file" in capsys.readouterr().err
    (folder / "rules.config").write_text("$ * cost $ *")
    (folder / "test.tsv").write_text(TEST)
    assert run(arguments) == 2 and "must have [label] headers" in capsys.readouterr().err


def test_sentences_have_one_bos_and_one_eos(tmp_path):
    (tmp_path / "a.tsv").write_text("x\ta b\n\ny\tBOS a EOS\nz\t\n")
    part = sentences.part_of(tmp_path / "a.tsv")
    assert part.words == (("BOS", "a", "b", "EOS"), ("BOS", "a", "EOS"), ("BOS", "EOS"))
    assert part.labels == ("x", "y", "z")
    assert sentences.vocabulary({"a": part}) == ("a", "b")
    assert matched(rule_set(loads("[x]\n( )"), WORDS), [("BOS",), ("BOS", "EOS")]) == [("x",), ()]
    assert matched(rule_set(loads("[x]\n( )"), WORDS), [()]) == [()]
    assert matched(rule_set(loads("[x]\na"), WORDS), []) == []
    assert matched(rule_set(loads("[x]\n( )"), WORDS, begins=False), [(), ("a",)]) == [("x",), ()]
