"""Tests of runs of all experiments: an interrupted run gives the same results, results satisfy their schema,
and settings are chosen without the test set.
"""

import json
import math
from typing import Any

import pytest

from automata.errors import InputError
from proofs_tests.training.command_line import command_line
from proofs_tests.training.small_runs import OF, ratproof, result, same_networks, train
from training.data_folder import Data
from training.engine.loop import Loop
from training.engine.results import KEYS
from training.engine.run import RunOptions
from training.experiments import run, settings_for
from training.images.prototypes import GREYS
from training.language_modelling.settings import MODELS as TEXT
from training.language_recognition import palindromes, parentheses, reach
from training.sequences.settings import MODELS as LONG
from training.wikipedia.settings import MODELS as ARTICLES

__all__ = ["command_line"]
RULES = "--average 0.9 --schedule cosine --dropout 0.2 --recurrence-share 0.5"
STRINGS = "--model sr-lstm-p --epochs 4 --finish 2"


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize(
    ("experiment", "line"),
    [
        *(("ptb", f"--model {model}") for model in ("lstm", "rrnn-f", "rrnn-b-max-plus")),
        *((name, "--model sr-lstm-p") for name in ("mnist", "fashion-mnist", "imdb", "wikipedia")),
        ("sms", f"--model bifa-rnn --drawn 10 {RULES}"),
        ("sms", f"--model bigru+kd {RULES}"),
        ("tomita", "--model sr-lstm-p --epochs 4 --target-accuracy 0"),
        ("parentheses", f"{STRINGS} --target-accuracy 0"),
        ("parentheses", f"{STRINGS} --target-accuracy 1 --restart-after 1 --keep best"),
        ("palindromes", f"{STRINGS} --target-accuracy 0"),
    ],
)
def test_a_repeatedly_interrupted_run_equals_an_uninterrupted_one(experiment, line, tmp_path, monkeypatch):
    monkeypatch.setattr(palindromes, "SIZES", ((40, 40), (30, 30)))
    monkeypatch.setattr(reach, "LENGTHS", (120,))
    monkeypatch.setattr(parentheses, "DEEP", parentheses.COLUMNS[1])
    monkeypatch.setattr(parentheses, "COLUMNS", parentheses.COLUMNS[:1])
    assert train(tmp_path / "whole", experiment, line) == 0
    calls, cuts, more = iter(range(10**6)), 0, ""
    monkeypatch.setattr(Loop, "_agreed", lambda self, *answers: [next(calls) % 6 == 5, False])
    while train(tmp_path / "cut", experiment, f"{line} {more}") == 130:
        more, cuts = "--resume", cuts + 1
    assert cuts and result(tmp_path / "cut") == result(tmp_path / "whole")
    assert same_networks(tmp_path / "whole", tmp_path / "cut")


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize(
    ("experiment", "model"),
    [
        *((e, m) for e in ("mnist", "imdb") for m in LONG),
        *(("wikipedia", m) for m in ARTICLES),
        *(("ptb", m) for m in TEXT),
        ("fashion-mnist", "sr-gru"),
        ("sms", "bigru+io"),
        ("sst2", "lstm"),
        ("amazon", "rrnn-c"),
    ],
)
def test_a_result_has_the_documented_fields(tmp_path, experiment, model, capfd):
    folder = tmp_path / "run"
    assert train(folder, experiment, f"--model {model} --json") == 0
    trained = json.loads(capfd.readouterr().out)
    assert set(KEYS) <= set(trained) and (trained["experiment"], trained["model"]) == (experiment, model)
    assert ratproof("results", tmp_path) == 0
    shown = capfd.readouterr().out
    assert experiment in shown and model in shown
    assert train(folder, experiment, f"--model {model} --resume") == 0
    assert f"epoch {trained['best_epoch']} was best on the dev set" in capfd.readouterr().out
    write = OF[experiment][0]
    assert write is not None
    write(tmp_path / "data", seed=9)
    assert train(folder, experiment, f"--model {model} --resume") == 2  # it is done, with other data
    assert "result.json: must be a run with " in capfd.readouterr().err
    _require_figures(trained, shown)


def _require_figures(trained: dict[str, Any], shown: str) -> None:
    metrics, experiment, model = trained["metrics"], trained["experiment"], trained["model"]
    if experiment in ("ptb", "wikipedia"):
        assert f"{metrics['test_perplexity']:.1f}" in shown
        assert metrics["dev_perplexity"] == pytest.approx(
            min(one["dev_perplexity"] for one in trained["history"])
        )
        assert 1 < metrics["test_perplexity"] < math.inf and metrics["tokens_per_second"] > 0
        rational = experiment == "ptb" and model != "lstm"
        assert trained["decided"]["units"] == 8 if rational else trained["decided"] is None
        return
    assert metrics["dev_accuracy"] == pytest.approx(max(one["dev_accuracy"] for one in trained["history"]))
    if experiment == "imdb":
        assert {"train_2_accuracy", "test_2_accuracy", "test_9_accuracy"} <= set(metrics)
    kept = trained.get("prototypes" if experiment != "imdb" else "words")
    assert (kept is not None) == model.startswith("sr-")
    if kept is not None and experiment == "imdb":
        for _, probabilities in kept["sentences"][0]:
            assert sum(probabilities) == pytest.approx(1, abs=0.002)
    elif kept is not None:
        assert len(kept["labels"]) == 10 and {len(one) for one in kept["labels"]} == {3}
        assert {len(p) for one in (*kept["labels"], *kept["images"]) for p in one} == {kept["side"] ** 2}
        for label in kept["labels"]:  # probabilities sum to 1, or to 0 if no image has the label
            sums = [sum(GREYS.index(letter) for letter in pixel) for pixel in zip(*label, strict=True)]
            assert all(abs(total - 63) <= 2 for total in sums) or set(sums) == {0}


@pytest.mark.parametrize(
    ("experiment", "options"),
    [
        ("sst2", {"hidden": 5, "batch": 8, "epochs": 2}),
        ("sms", {"hidden": 5, "batch": 8, "epochs": 2}),
        ("parentheses", {"size": "small", "units": 4, "steps": 3, "batch": 8, "epochs": 4, "growth": 3.0}),
    ],
)
def test_settings_are_chosen_without_the_test_part(experiment, options, tmp_path, monkeypatch):
    drawn, draw = list[str](), parentheses.draw
    monkeypatch.setattr(
        parentheses, "draw", lambda column, *more: [drawn.append(column.name), draw(column, *more)][1]
    )
    write, files = OF[experiment][0], Data(tmp_path / "data", any_size=True)
    if write is not None:
        write(files.folder)
    if experiment == "sst2":
        (files.folder / "sst2/stsa.binary.test").write_text("what is in here is never read")
    settings = settings_for(experiment, "paper", options, "test")
    trained = run(experiment, settings, files, RunOptions(tmp_path / "run", tensorboard=False), test=False)
    assert isinstance(trained, dict) and trained["paper"] is None
    assert not any("test" in name for name in trained["metrics"])
    assert experiment == "sms" or not set(trained["data"]) & {"test", *(c.name for c in parentheses.COLUMNS)}
    assert drawn == (["training", "dev"] if experiment == "parentheses" else [])
    again = RunOptions(tmp_path / "run", resume=True, tensorboard=False)
    assert run(experiment, settings, files, again, test=False) == trained
    if write is not None:
        write(files.folder)
    with pytest.raises(InputError, match=r"result\.json: the result must have metrics on the test set"):
        run(experiment, settings, files, again)


@pytest.mark.parametrize(
    ("experiment", "options", "says"),
    [
        ("mnist", {"side": 13}, "--side must be .*got 13"),
        ("mnist", {"model": "sr-gru", "head": "c"}, "no cell state"),
        ("mnist", {"order": "reversed"}, "normal or permuted"),
        ("imdb", {"measured_at": "100,none"}, "--measured-at"),
        ("imdb", {"measured_at": "0"}, "--measured-at"),
        ("wikipedia", {"model": "rrnn-f"}, "lstm-p"),
        ("atis", {"tensor": "whole"}, "--beta 1"),
        ("atis", {"tensor": "whole", "beta": 1.0, "model": "fa-gru"}, "--model fa-rnn"),
        ("atis", {"scoring": "viterbi", "model": "bifa-rnn"}, "--scoring viterbi requires --model fa-rnn"),
        ("atis", {"drawn": 5, "model": "bigru"}, "--drawn requires one of the models fa-rnn"),
        ("atis", {"share": 1.5}, "--share must be a number"),
        ("atis", {"model": "gpt"}, "got 'gpt'"),
        ("parentheses", {"clip": math.inf}, "--clip must be a number"),
        ("cr", {"seed": 2**31}, "--seed must be an integer from 0 to 2147483647, got 2147483648"),
        *(
            ("tomita", {"model": "sr-gru", name: value}, f"--{name}")
            for name, value in (("units", 0), ("centroids", 1), ("grammar", 8), ("noise", "loud"))
        ),
        *(("tomita", {"model": "sr-gru", "noise": noise}, "--noise") for noise in ("1,-1", "inf")),
        ("tomita", {"model": "sr-gru"}, "--grammar is missing; pass a number from 1 to 7"),
    ],
)
def test_a_wrong_setting_is_refused(experiment, options, says):
    from automata.errors import InputError

    with pytest.raises(InputError, match=says):
        settings_for(experiment, "paper", options, "here")
