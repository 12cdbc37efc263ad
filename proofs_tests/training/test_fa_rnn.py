"""Training FA-RNNs: sentences drawn from rules, runs that can be stopped, and rules read back."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled, loads
from automata.rules.rule_set import rule_set
from automata.rules.strategies import rules
from neural import checkpoints
from neural.fa_rnn import files
from neural.fa_rnn.classifier import Classifier
from neural.fa_rnn.sentences import Sentences
from ratproof.main import run
from training.fa_rnn import experiment
from training.fa_rnn.checkpoints import KIND
from training.fa_rnn.drawn import RuleSentences
from training.fa_rnn.experiment import Experiment
from training.fa_rnn.read_back import covering, own_states, reached, read_back
from training.fa_rnn.rules_read import before_training, rules_of
from training.fa_rnn.trainer import encoded
from training.fa_rnn.vectors import find, vectors
from training.kept import difference

WORDS = ("a", "b", "c", "7")
SEVERAL = st.lists(st.tuples(st.sampled_from("xyz"), rules(("a", "b"), leaves=4)), min_size=1, max_size=3)
RULES = "[light]\n$ * lamp $ *\n[music]\n$ * play $ *\n"
SAID = {
    "light": [
        "turn the lamp on",
        "the lamp please",
        "it is dark",
        "so dark here",
        "lamp",
        "dark in the hall",
        "make the lamp red",
    ],
    "music": [
        "play jazz",
        "please play it",
        "some jazz here",
        "louder jazz",
        "play it in the hall",
        "jazz",
        "jazz please",
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with rules and sentences, some of which say things that no rule has."""
    folder = tmp_path / "home"
    folder.mkdir()
    lines = [f"{label}\t{text}" for label, texts in SAID.items() for text in texts]
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv").write_text("\n".join(lines * (3 if part == "train" else 1)))
    (folder / "home.config").write_text(RULES)
    return folder


def settings_for(data: Path, folder: Path, **changes: object) -> Experiment:
    wanted = {
        "beta": 0.3,
        "rate": 0.02,
        "readout_rate": 0.02,
        "epochs": 12,
        "patience": 12,
        "drawn": 10,
        **changes,
    }
    return Experiment(data, data / "home.config", 0, 1.0, Path("one-hot"), wanted, 10, folder)


@given(SEVERAL, st.integers(0, 100))
@settings(max_examples=60)
def test_drawn_sentences_match_a_rule(several: list[tuple[str, object]], seed: int) -> None:
    rules = rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS)  # type: ignore[arg-type]
    drawn, rng = RuleSentences(rules, [("BOS", "a", "c", "EOS")]), random.Random(seed)
    if drawn.starts:
        assert all(matches(rules, [drawn.draw(rng) for _ in range(5)]).any(axis=1))
    else:  # then no sentence of up to four words matches, either
        some = [("BOS", *inside, "EOS") for n in range(4) for inside in product(WORDS, repeat=n)]
        assert not matches(rules, some).any()
        with pytest.raises(InputError, match="none can be drawn"):
            drawn.draw(rng)


def test_a_run_that_is_stopped_goes_on_as_if_it_had_not_been(data: Path, tmp_path: Path) -> None:
    """Bit by bit: the same weights, and the same report but for the seconds."""
    whole = experiment.run(settings_for(data, tmp_path / "whole"))
    calls = iter(range(10**6))
    stopped = experiment.run(settings_for(data, tmp_path / "parts"), stop=lambda: next(calls) > 20)
    assert stopped.outcome == "interrupted" and stopped.epochs < whole.epochs
    again = experiment.run(settings_for(data, tmp_path / "parts"), resume=True)
    assert again.outcome == whole.outcome == "trained"
    one, other = ((tmp_path / name / "network.safetensors").read_bytes() for name in ("whole", "parts"))
    assert one[one.index(b"}", 10) :][-1000:] == other[-1000:]
    assert {**whole.to_json(), "seconds": 0} == {**again.to_json(), "seconds": 0}


def test_it_learns_what_the_rules_lack(data: Path, tmp_path: Path) -> None:
    report = experiment.run(settings_for(data, tmp_path / "run", epochs=60, patience=60))
    assert report.dev_start < 1 and report.dev == 1
    assert report.default in ("light", "music", None)


@pytest.mark.parametrize(("change", "says"), [({"seed": 1}, "seed"), ({"beta": 0.5}, "recipe")])
def test_another_run_is_not_gone_on_with(
    data: Path, tmp_path: Path, change: dict[str, object], says: str
) -> None:
    folder = tmp_path / "run"
    experiment.run(settings_for(data, folder, epochs=1))
    other = Experiment(
        data,
        data / "home.config",
        1,
        1.0,
        Path("one-hot"),
        settings_for(data, folder, epochs=1).changes,
        10,
        folder,
    )
    with pytest.raises(FormatError, match=says):
        experiment.run(
            other if "seed" in change else settings_for(data, folder, epochs=1, **change), resume=True
        )
    with pytest.raises(InputError, match="has a run in it"):
        experiment.run(settings_for(data, folder, epochs=1))


@given(
    SEVERAL,
    st.lists(
        st.lists(st.sampled_from(WORDS), max_size=5).map(lambda x: ("BOS", *x, "EOS")), min_size=1, max_size=6
    ),
)
@settings(max_examples=40)
def test_before_training_what_is_read_back_is_the_rules(
    several: list[tuple[str, object]], said: list[tuple[str, ...]]
) -> None:
    """The rules' automata, compiled anew from their texts, are the thresholded tensor, and reach a label's
    states where it matches.
    """
    rules = rule_set([Labelled(label, rule, 1) for label, rule in several], WORDS)  # type: ignore[arg-type]
    model = Classifier.of_rules(rules, ("x", "y", "z"), [str(rule) for _, rule in several])
    before = before_training(model)
    assert torch.equal(before, model.cell.tensor() > 0.5)
    assert not (before & ~own_states(model)).any()
    ends = reached(before, model.network.initial > 0.5, encoded(model, said))
    for column, states in enumerate(rules.labels.values()):
        assert ends[:, list(states)].any(dim=1).tolist() == matches(rules, said)[:, column].tolist()


def test_the_surest_rule_comes_first() -> None:
    """State 0 is right on two of two, state 1 on three of four; state 2 never more often than the default
    label.
    """
    seen = torch.tensor(
        [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 1], [0, 0, 1]], dtype=torch.bool
    )
    targets = torch.tensor([1, 1, 2, 2, 2, 0, 0])
    every = torch.ones(3, 3, dtype=torch.bool)
    assert covering(seen, targets, every, 1, default=0)[:2] == [(0, 1), (1, 2)]
    assert covering(seen, targets, every, 3, default=0)[:1] == [(1, 2)]
    assert covering(seen, targets, every & False, 1, default=0) == []


def test_a_rule_that_was_read_back_has_the_words_that_it_learned() -> None:
    """A word that does in part what another one does; the rule is written with it, and says that it came."""
    written = "$ * play $ *"
    rules = rule_set(loads(f"[music]\n{written}"), ("play", "jazz", "lamp"))
    model = Classifier.of_rules(
        rules, ("light", "music"), [written], default="light", embeddings=torch.eye(5), beta=0.3
    ).eval()
    place = model.network.index
    assert model.cell.turn is not None
    with torch.no_grad():
        model.cell.turn[place["jazz"]] = model.cell.rules[place["play"]]
    said = ("play", "jazz", "lamp", "lamp lamp", "lamp lamp lamp")
    part = Sentences(
        tuple(("BOS", *text.split(), "EOS") for text in said), ("music", "music", "light", "light", "light")
    )
    system = read_back(model, part, part, apart=True)
    assert system.dev == 1 and system.rules == ((model.blocks[0].final[0], "music"),)
    (rule,) = rules_of(model, system, write=True)
    assert rule.rule == "$ * ( jazz | play ) $ *"
    assert {arrow.came for arrow in rule.arrows if arrow.came} == {("jazz",)}


def test_vectors_of_words_of_other_forms_and_of_none(tmp_path: Path) -> None:
    file = tmp_path / "glove.txt"
    file.write_text("a 1 0\nb 0 1\n")
    table = vectors(file, ("a", "A", "b,", "BOS", "zebra"))
    assert table.table[:3].tolist() == [[1, 0], [1, 0], [0, 1]] and table.without == 1
    assert table.table[4].tolist() == [0.5, 0.5]
    assert vectors("one-hot", ("a", "b")).table.tolist() == [[1, 0], [0, 1]]
    assert find(tmp_path) is None
    (tmp_path / "vocab_labels.json").write_text(json.dumps({"vocab": ["a", "b"]}))
    np.savez(tmp_path / "glove2.npz", emb=np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert find(tmp_path) == tmp_path / "glove2.npz"
    assert vectors(tmp_path / "glove2.npz", ("b", "c")).table.tolist() == [[3, 4], [2, 3]]


@pytest.mark.parametrize(
    ("emb", "beside", "says"),
    [
        (np.zeros((1, 2)), {"vocab": ["a", "b"]}, "has 1 vectors for the 2 words of vocab_labels.json"),
        (np.array([["x"], ["y"]]), {"vocab": ["a", "b"]}, "real numbers"),
        (np.zeros((2, 2)), {"vocab": ["a", {}]}, "vocab_labels.json: has no list of words"),
        (np.zeros((2, 2)), [], "vocab_labels.json: has no list of words"),
    ],
)
def test_published_vectors_that_are_none(tmp_path: Path, emb: np.ndarray, beside: object, says: str) -> None:
    (tmp_path / "vocab_labels.json").write_text(json.dumps(beside))
    np.savez(tmp_path / "glove.npz", emb=emb)
    with pytest.raises(FormatError, match=says):
        vectors(tmp_path / "glove.npz", ("a",))
    (tmp_path / "glove.npz").write_bytes((tmp_path / "glove.npz").read_bytes()[:100])
    with pytest.raises(FormatError, match="cannot be read as npz"):
        vectors(tmp_path / "glove.npz", ("a",))


def _tensors(name: str, change: object) -> object:
    def spoil(about: dict[str, object], tensors: dict[str, torch.Tensor]) -> None:
        if change is None:
            del tensors[name]
        else:
            tensors[name] = change(tensors)  # type: ignore[operator]

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        lambda about, tensors: about["progress"].update(best=[1.0]),
        lambda about, tensors: about["progress"].update(best=["1", 0.0]),
        lambda about, tensors: about["progress"].update(history=[1, 2]),
        lambda about, tensors: about["progress"].update(steps=-1),
        lambda about, tensors: about["progress"].update(best_epoch=7),
        lambda about, tensors: about["progress"].update(seconds=float("nan")),
        _tensors("optimiser.0", lambda tensors: torch.zeros(1)),
        _tensors("optimiser.x.step", lambda tensors: torch.zeros(1)),
        _tensors("optimiser.99.step", lambda tensors: torch.zeros(())),
        _tensors("optimiser.0.exp_avg", None),
        _tensors("optimiser.0.exp_avg", lambda tensors: tensors["optimiser.0.exp_avg"] * torch.nan),
        _tensors("optimiser.0.exp_avg_sq", lambda tensors: tensors["optimiser.0.exp_avg_sq"] - 1),
        _tensors("optimiser.0.step", lambda tensors: torch.zeros((), dtype=torch.int64)),
    ],
)
def test_a_run_with_something_wrong_inside_is_not_gone_on_with(
    data: Path, tmp_path: Path, spoil: object
) -> None:
    folder = tmp_path / "run"
    how = settings_for(data, folder, epochs=1)
    experiment.run(how)
    about, tensors = checkpoints.read(folder / experiment.RUN, KIND)
    spoil(about, tensors)  # type: ignore[operator]
    checkpoints.write(folder / experiment.RUN, KIND, about, tensors)
    with pytest.raises(FormatError, match="no training run that can go on"):
        experiment.run(how, resume=True)


def test_a_field_that_the_task_lacks_is_a_difference_though_it_is_null() -> None:
    assert (
        difference({"seed": 1, "more": None}, {"seed": 1})
        == "is a run with more None, where None is asked for"
    )
    assert "seed 1, where 2" in difference({"seed": 1}, {"seed": 2}) and "an object" in difference([], {})


def test_a_classifier_whose_rules_are_others_is_not_read_back(tmp_path: Path) -> None:
    rules = rule_set(loads("[x]\n$ * a $ *"), WORDS)
    model = Classifier.of_rules(rules, ("x",), ["a b c"])
    with pytest.raises(InputError, match="the rules of 'x' make 4 states, where the classifier has 2"):
        before_training(model)
    with pytest.raises(FormatError, match="its report has not the share and the seed"):
        experiment.trained_on({"report": 3}, "m.safetensors")


def test_labels_and_rules_are_shown_as_they_are(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What looks like markup in them is none."""
    rules = rule_set(loads("[[/x] :cat:]\n$ * [b] $ *"), ("[b]",))
    files.save(Classifier.of_rules(rules, ("[/x] :cat:",), ["$ * [b] $ *"]), tmp_path / "m.safetensors")
    assert run(["rules", "show", str(tmp_path / "m.safetensors")]) == 0
    assert "  1  [/x] :cat:: $ * [b] $ *\n" in capsys.readouterr().out


def test_a_share_of_the_sentences() -> None:
    part = Sentences(tuple((str(i),) for i in range(100)), tuple("xy"[i % 2] for i in range(100)))
    one, other = (experiment.taken(part, 0.1, seed) for seed in (0, 1))
    assert (
        len(one) == 10
        and one != other
        and experiment.taken(part, 0.1, 0) == one
        and experiment.taken(part, 1, 0) is part
    )


def test_the_commands(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From rules to a network, back to rules, and rules in and out."""
    folder = tmp_path / "run"
    options = ["--vectors", "one-hot", "--beta", "0.3", "--rate", "0.02", "--epochs", "30"]
    assert run(["train", "fa-rnn", "--data", str(data), "-o", str(folder), *options, "--json"]) == 0
    trained = json.loads(capsys.readouterr().out)
    assert trained["outcome"] == "trained" and trained["dev"] > trained["dev_start"]
    kept = str(folder / "network.safetensors")
    assert run(["rules", "read-back", kept, "--data", str(data), "-o", str(tmp_path / "back"), "--json"]) == 0
    back = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in back["rows"]] == [
        "network",
        "automata, read back",
        "rules, read back",
        "first rules, as a list",
    ]
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == [
        "automata.json",
        "read-back.json",
        "rules.json",
        "rules.txt",
    ]
    assert run(["rules", "show", kept, "--json"]) == 0
    assert [rule["label"] for rule in json.loads(capsys.readouterr().out)["rules"]] == ["light", "music"]
    (tmp_path / "more.config").write_text("[fan]\n$ * red EOS\n$ * zebra $ *\n")
    more, less = str(tmp_path / "more.safetensors"), str(tmp_path / "less.safetensors")
    assert (
        run(
            [
                "rules",
                "add",
                kept,
                "--rules",
                str(tmp_path / "more.config"),
                "--weight",
                "50",
                "-o",
                more,
                "--data",
                str(data),
                "--json",
            ]
        )
        == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert (
        "fan" in said["labels"]
        and "zebra" in said["notes"][1]
        and said["test"]["after"] < said["test"]["before"]
    )
    for weight in ("nan", "1e60"):
        assert (
            run(
                [
                    "rules",
                    "add",
                    kept,
                    "--rules",
                    str(tmp_path / "more.config"),
                    "--weight",
                    weight,
                    "-o",
                    less,
                ]
            )
            == 2
        )
        assert "a match adds" in capsys.readouterr().err and not Path(less).exists()
    assert run(["rules", "disable", more, "3", "-o", less, "--data", str(data), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["test"]["after"] == said["test"]["before"] and again["states"] == said["states"] - 3
    assert run(["rules", "disable", more, "3", "-o", less]) == 0
    assert "1 group of rules out, 3 of" in capsys.readouterr().out
    assert (
        run(
            [
                "rules",
                "decide",
                "--rules",
                str(data / "home.config"),
                "--data",
                str(data),
                "--certificates",
                str(tmp_path / "c"),
                "--json",
            ]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["exact"]
    for file in (tmp_path / "c").iterdir():
        assert run(["check-certificate", str(file)]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train", "fa-rnn", "--data", "nowhere"], "has 0 rule files"),
        (["train", "fa-rnn", "--data", "DATA", "--share", "2"], "--share is 2"),
        (["train", "fa-rnn", "--data", "DATA", "--beta", "0.5"], "--vectors FILE names some"),
        (["train", "fa-rnn", "--data", "DATA", "--beta", "2", "--vectors", "one-hot"], "from 0 to 1"),
        (["train", "fa-rnn", "--data", "DATA", "--beta", "nan"], "from 0 to 1"),
        (["train", "fa-rnn", "--data", "DATA", "--vectors", "one-hot"], "do not count at beta = 1"),
        (["train", "fa-rnn", "--data", "DATA", "--minutes", "nan"], "--minutes is nan"),
        (["train", "fa-rnn", "--data", "DATA", "--seed", "9" * 30], "--seed"),
        (["train", "fa-rnn", "--data", "DATA", "--resume"], "no run in it"),
        (["train", "fa-rnn", "--data", "DATA", "--rate", "0"], "--rate is 0"),
        (["rules", "read-back", "none.safetensors", "--data", "DATA"], "none.safetensors"),
        (["rules", "show", "DATA/home.config"], "no checkpoint"),
        (["rules", "decide", "--rules", "DATA/home.config"], "one of the two is right"),
        (
            ["rules", "decide", "--rules", "DATA/home.config", "--vocabulary", "a,b", "--dtype", "float16"],
            "--dtype",
        ),
    ],
)
def test_bad_input_is_one_sentence(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([argument.replace("DATA", str(data)) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert says in said.err and said.err.count("\n") == 1 and said.out == ""
    assert not (tmp_path / "trained").exists()
