"""Tests of FA-RNNs on a user's own rules and sentences: training, resuming and extracting rules."""

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled, loads
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from neural.fa_rnn import files
from neural.fa_rnn.classifier import Classifier
from neural.fa_rnn.sentences import Sentences
from proofs_tests.training.command_line import command_line
from proofs_tests.training.small_runs import ratproof, result, same_networks
from ratproof.checkers.table import judge
from training.classification_with_rules.drawn import RuleSentences
from training.classification_with_rules.settings import FEW, SOME, RuleClassification, preset_for, presets
from training.classification_with_rules.sources import OWN
from training.data_folder import Data
from training.engine.run import RunOptions
from training.experiments import run, settings_for
from training.kept import difference
from training.rules.read_back import covering, encoded, own_states, reached, read_back
from training.rules.read_report import trained_on
from training.rules.rules_read import before_training, rules_of

__all__ = ["command_line"]

WORDS = ("a", "b", "c", "7")
SEVERAL = st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), leaves=4)), min_size=1, max_size=3)
RULES = "[light]\n$ * lamp $ *\n[music]\n$ * play $ *\n"
SAID = {
    "light": "turn the lamp on|the lamp please|it is dark|so dark here|lamp|dark in the hall"
    "|make the lamp red",
    "music": "play jazz|please play it|some jazz here|louder jazz|play it in the hall|jazz|jazz please",
}
LEARNING = "--vectors one-hot --beta 0.3 --rate 0.02 --recurrence-share 1"
"""Settings with which a network learns words that no rule contains."""


@pytest.fixture
def data(tmp_path):
    """Write a folder with rules and sentences; some sentences have words that no rule contains."""
    folder = tmp_path / "home"
    folder.mkdir()
    lines = [f"{label}\t{text}" for label, texts in SAID.items() for text in texts.split("|")]
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv").write_text("\n".join(lines * (3 if part == "train" else 1)))
    (folder / "home.config").write_text(RULES)
    return folder


@pytest.fixture(autouse=True)
def _where(in_tmp_path, monkeypatch, command_line):
    monkeypatch.delenv("RATPROOF_DATA", raising=False)


def train(data: Path, folder: Path, *more: str) -> int:
    """Run ``train fa-rnn`` for a short time."""
    line = f"train fa-rnn --data {data} -o {folder} --drawn 10 --no-tensorboard {LEARNING}"
    return ratproof(line, *more)


@given(SEVERAL, st.integers(0, 100))
@settings(max_examples=60)
def test_drawn_sentences_match_a_rule(several, seed):
    rules = rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS)  # type: ignore[arg-type]
    drawn, rng = RuleSentences(rules, [("BOS", "a", "c", "EOS")]), random.Random(seed)
    if drawn.starts:
        assert all(matches(rules, [drawn.draw(rng) for _ in range(5)]).any(axis=1))
    else:  # then no sentence of up to four words matches
        some = [("BOS", *inside, "EOS") for n in range(4) for inside in product(WORDS, repeat=n)]
        assert not matches(rules, some).any()
        with pytest.raises(InputError, match="so no sentence can be drawn"):
            drawn.draw(rng)


def test_a_stopped_run_resumes_as_if_uninterrupted(data, tmp_path):
    """The resumed run has the same weights, bit by bit, and the same result except for the times."""
    settings = settings_for(OWN, "few", {"beta": 0.3, "epochs": 3}, "test")
    assert isinstance(settings, RuleClassification)
    here = Data(data, Path("one-hot"))
    full, parts = (RunOptions(tmp_path / name, tensorboard=False) for name in ("whole", "parts"))
    run(OWN, settings, here, full)
    looks = iter(range(100))
    assert run(OWN, settings, here, parts, lambda: next(looks) == 20) == "interrupted"
    assert 0 < len((parts.folder / "epochs.csv").read_text().splitlines()) - 1 < 3
    run(OWN, settings, here, replace(parts, resume=True))
    assert same_networks(full.folder, parts.folder)
    assert result(full.folder) == result(parts.folder)
    assert result(full.folder)["data"]["folder"] == "home"


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(("file", "says"), [("home.config", "rules"), ("dev.tsv", "dev")])
def test_a_run_on_other_data_does_not_resume(done, file, says, data, tmp_path, capsys):
    folder = tmp_path / "run"
    minutes = [] if done else ["--minutes", "1e-9"]
    assert train(data, folder, "--epochs", "1", *minutes) == (0 if done else 1)
    (data / file).write_text((data / file).read_text().replace("lamp", "light"))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert train(data, folder, "--epochs", "1", "--resume") == 2
    captured = capsys.readouterr()
    assert f"must be a run with {says if done else 'data'} {{" in captured.err
    assert captured.err.count("\n") == 1 and before == {path: path.read_bytes() for path in folder.iterdir()}


def test_the_recipe_is_chosen_by_the_number_of_training_sentences(data, capsys):
    sizes = {1: "few", FEW - 1: "few", FEW: "some", SOME - 1: "some", SOME: "all"}
    assert {size: preset_for(size, "bifa-gru") for size in sizes} == sizes
    assert preset_for(FEW, "lstm") == "some-plain" and preset_for(0, "fa-rnn") == "zero-shot"
    for model, more in (("fa-rnn", ""), ("dan", "--vectors one-hot")):
        assert ratproof(f"train fa-rnn --data {data} --model {model} {more} --epochs 1 --json") == 0
        configuration = json.loads(capsys.readouterr().out)["configuration"]
        own = presets(OWN)[preset_for(42, model)] | {"epochs": 1}
        assert {name: configuration[name] for name in own} == own
        assert Path(f"trained/fa-rnn-home-{model}-0/result.json").exists()


def test_rules_of_another_file(data, tmp_path):
    (tmp_path / "other.rules").write_text("[music]\n$ * jazz $ *\n")
    assert train(data, tmp_path / "run", "--rules", str(tmp_path / "other.rules"), "--share", "0") == 0
    kept = result(tmp_path / "run")["data"]
    assert kept["rules"]["file"] == "other.rules" and kept["labels"] == ["music", "light"]


@given(
    SEVERAL,
    st.lists(
        st.lists(st.sampled_from(WORDS), max_size=5).map(lambda x: ("BOS", *x, "EOS")), min_size=1, max_size=6
    ),
)
@settings(max_examples=40)
def test_before_training_the_extracted_rules_are_the_original_ones(several, sentences):
    """The rules' automata, compiled again from their texts, are the thresholded tensor, and reach a label's
    states if it matches.
    """
    rules = rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS)  # type: ignore[arg-type]
    model = Classifier.of_rules(rules, ("x", "y", "z"), [str(rule) for _, rule in several])
    before = before_training(model)
    assert torch.equal(before, model.cell.tensor() > 0.5)
    assert not (before & ~own_states(model)).any()
    ends = reached(before, model.network.initial > 0.5, encoded(model, sentences))
    for column, states in enumerate(rules.labels.values()):
        assert ends[:, list(states)].any(dim=1).tolist() == matches(rules, sentences)[:, column].tolist()


def test_the_most_precise_rule_comes_first():
    """State 0 is correct on two of two sentences, and state 1 on three of four.

    State 2 is correct at most as often as the default label.
    """
    seen = torch.tensor(
        [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1], [0, 0, 1]], dtype=torch.bool
    )
    targets = torch.tensor([1, 1, 2, 2, 2, 0, 0])
    every = torch.ones(3, 3, dtype=torch.bool)
    assert covering(seen, targets, every, 1, default=0)[:2] == [(0, 1), (1, 2)]
    assert covering(seen, targets, every, 3, default=0)[:1] == [(1, 2)]
    assert covering(seen, targets, every & False, 1, default=0) == []


def test_an_extracted_rule_contains_the_learned_words():
    """The rule that is read back contains a word that the network learned in training, marked as new."""
    written = "$ * play $ *"
    rules = rule_set(loads(f"[music]\n{written}"), ("play", "jazz", "lamp"))
    model = Classifier.of_rules(
        rules, ("light", "music"), [written], default="light", embeddings=torch.eye(5), beta=0.3
    ).eval()
    index = model.network.index
    assert model.cell.turn is not None
    with torch.no_grad():
        model.cell.turn[index["jazz"]] = model.cell.rules[index["play"]]
    texts = ("play", "jazz", "lamp", "lamp lamp", "lamp lamp lamp")
    part = Sentences(
        tuple(("BOS", *text.split(), "EOS") for text in texts), ("music", "music", "light", "light", "light")
    )
    system = read_back(model, part, part, separate_rules=True)
    assert system.dev == 1 and system.rules == ((model.blocks[0].final[0], "music"),)
    (rule,) = rules_of(model, system, write=True)
    assert rule.rule == "$ * ( jazz | play ) $ *"
    assert {arrow.came for arrow in rule.arrows if arrow.came} == {("jazz",)}


def test_a_null_field_that_the_task_lacks_is_a_difference():
    assert difference({"seed": 1, "more": None}, {"seed": 1}) == "must be a run with more None, got None"
    assert "seed 2, got 1" in difference({"seed": 1}, {"seed": 2}) and "an object" in difference([], {})


def test_a_classifier_with_other_rules_is_refused(tmp_path):
    rules = rule_set(loads("[x]\n$ * a $ *"), WORDS)
    model = Classifier.of_rules(rules, ("x",), ["a b c"])
    with pytest.raises(InputError, match="the rules of 'x' must have 2 states as in the classifier, got 4"):
        before_training(model)
    assert trained_on({"configuration": {"share": 0.25, "seed": 3}}, "m.safetensors") == (0.25, 3)
    assert trained_on({"configuration": {"share": 0.0, "seed": 3}}, "m.safetensors") == (1.0, 3)
    with pytest.raises(FormatError, match="its configuration must have the share and the seed"):
        trained_on({"configuration": {"share": 2, "seed": 0}}, "m.safetensors")


def test_labels_and_rules_are_shown_verbatim(data, tmp_path, capsys):
    """Text in labels and rules that looks like markup is not interpreted."""
    rules = rule_set(loads("[[/x] :cat:]\n$ * [b] $ *"), ("[b]",))
    files.save(Classifier.of_rules(rules, ("[/x] :cat:",), ["$ * [b] $ *"]), tmp_path / "m.safetensors")
    assert ratproof("rules show", tmp_path / "m.safetensors") == 0
    assert "  1  [/x] :cat:: $ * [b] $ *\n" in capsys.readouterr().out


def test_the_commands(data, tmp_path, capsys):
    """Turn rules into a network and back into rules, then add and disable rules."""

    def run_json(line: str) -> Any:
        assert ratproof(f"{line} --json") == 0
        return json.loads(capsys.readouterr().out)

    folder, back = tmp_path / "run", tmp_path / "back"
    assert train(data, folder, "--epochs", "30", "--json") == 0
    trained = json.loads(capsys.readouterr().out)["metrics"]
    assert trained["dev_accuracy"] == 1 > trained["untrained_dev_accuracy"]
    kept = folder / "network.safetensors"
    systems = ["network", "automata, read back", "rules, read back", "first rules, as a list"]
    read = run_json(f"rules read-back {kept} --data {data} -o {back}")
    assert [row["system"] for row in read["rows"]] == systems
    names = ["automata.json", "read-back.json", "rules.json", "rules.txt"]
    assert sorted(path.name for path in back.iterdir()) == names
    assert [rule["label"] for rule in run_json(f"rules show {kept}")["rules"]] == ["light", "music"]
    (tmp_path / "more.config").write_text("[fan]\n$ * red EOS\n$ * zebra $ *\n")
    more, less = tmp_path / "more.safetensors", tmp_path / "less.safetensors"
    add = f"rules add {kept} --rules {tmp_path / 'more.config'}"
    added = run_json(f"{add} --weight 50 -o {more} --data {data}")
    assert "fan" in added["labels"] and "zebra" in added["notes"][1]
    assert added["test"]["after"] < added["test"]["before"]
    for weight in ("nan", "1e60"):
        assert ratproof(f"{add} --weight {weight} -o {less}") == 2
        assert "scale (--weight) must be" in capsys.readouterr().err and not less.exists()
    bare = tmp_path / "bare.config"
    bare.write_text("// lights\n$ * red $ *\n")
    assert ratproof(f"rules add {kept} --rules {bare} -o {less}") == 2
    says = f"{bare}: line 2: the rule '$ * red $ *' must have a [label] line above it"
    assert says in capsys.readouterr().err and not less.exists()
    again = run_json(f"rules disable {more} 3 -o {less} --data {data}")
    assert again["test"]["after"] == added["test"]["before"] and again["states"] == added["states"] - 3
    assert ratproof(f"rules disable {more} 3 -o {less}") == 0
    assert "removed 1 group of rules and 3 of" in capsys.readouterr().out
    none = tmp_path / "none.safetensors"
    assert ratproof(f"rules disable {less} 1 2 -o {none}") == 0
    assert ratproof(f"rules disable {none} 1 -o {tmp_path / 'x.safetensors'}") == 2
    assert "must have at least one rule" in capsys.readouterr().err
    (tmp_path / "one.config").write_text("[fan]\n$ * red EOS\n")
    one = run_json(f"rules add {kept} --rules {tmp_path / 'one.config'} -o {none}")
    assert one["notes"][0].startswith("1 rule added, ")
    certificates = tmp_path / "c"
    decide = f"rules decide --rules {data / 'home.config'} --data {data} --certificates {certificates}"
    assert run_json(decide)["exact"]
    for file in certificates.iterdir():
        assert judge(json.loads(file.read_text())).verdict == "accepted"


OWN_RULES = "rules decide --rules DATA/home.config"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("train fa-rnn --data nowhere", "train.tsv: the path must be a file"),
        ("train fa-rnn --data DATA --rules none.config", "none.config"),
        ("train fa-rnn --data DATA --share 2", "--share must be"),
        ("train fa-rnn --data DATA --preset paper", "must be one of zero-shot, few"),
        ("train fa-rnn --data DATA --beta 0.5", "--vectors one-hot needs none"),
        ("train fa-rnn --data DATA --beta 2 --vectors one-hot", "from 0 to 1"),
        ("train fa-rnn --data DATA --vectors one-hot", "--beta must be below 1"),
        ("train fa-rnn --data DATA --resume", "must contain a run to resume"),
        ("rules read-back none.safetensors --data DATA", "none.safetensors"),
        ("rules show DATA/home.config", "must be a complete checkpoint"),
        (OWN_RULES, "pass exactly one of --data and --vocabulary"),
        (f"{OWN_RULES} --vocabulary a,b --dtype float16", "--dtype"),
    ],
)
def test_bad_input_gives_a_one_line_error(data, tmp_path, capsys, line, says):
    assert ratproof(line.replace("DATA", str(data))) == 2
    captured = capsys.readouterr()
    assert says in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert not (tmp_path / "trained").exists()
