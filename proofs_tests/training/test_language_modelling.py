"""Language modelling: the state goes from window to window, over an interruption too, and into no other
column.
"""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch

from automata.errors import FormatError, InputError
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write, write_text
from ratproof import main
from training.engine.noise import Noise
from training.engine.results import KEYS
from training.engine.sampler import share_of
from training.language_modelling import corpus, task
from training.language_modelling.network import LanguageModel
from training.language_modelling.settings import MODELS, PRESETS, TABLE_3, LanguageModelling, paper
from training.language_modelling.task import LanguageTask

__all__ = ["command_line"]

PLAIN = {"input_dropout": 0.0, "output_dropout": 0.0, "vertical_dropout": 0.0, "recurrent_dropout": 0.0}
TINY = LanguageModelling(hidden=4, batch=3, window=5, epochs=2, rate=0.1, precision="64-true")
RATIONAL = [model for model in MODELS if model != "lstm"]


def task_of(folder: Path, how: LanguageModelling) -> LanguageTask:
    text = corpus.load(write_text(folder), any_size=True)
    return LanguageTask(LanguageModel(how, len(text.words)).double(), text)


def losses_of(
    some: LanguageTask, rank: int = 0, processes: int = 1, begin: int = 0, end: int | None = None
) -> torch.Tensor:
    """Summed over an epoch, or some of its windows, of each of the columns that a process has."""
    total: torch.Tensor | float = 0.0
    for step, batch in list(enumerate(some.batches(0)))[begin:end]:
        mine = share_of(batch, rank, processes)
        total = total + some.losses(some.network, mine, Noise(0, step, mine)).detach()
    assert isinstance(total, torch.Tensor)
    return total


@pytest.mark.parametrize("model", MODELS)
def test_windows_give_the_losses_of_the_whole_text(tmp_path: Path, model: str) -> None:
    how = replace(TINY, model=model, **PLAIN)
    some = task_of(tmp_path, how)
    whole = task_of(tmp_path, replace(how, window=10**4))
    assert len(some.batches(0)) > 10 and len(whole.batches(0)) == 1
    # sums of about a hundred numbers below ten, in another order
    assert torch.allclose(losses_of(some), losses_of(whole), rtol=1e5 * 2.0**-53)


def test_an_epoch_begins_without_the_state_of_the_last(tmp_path: Path) -> None:
    some = task_of(tmp_path, replace(TINY, **PLAIN))
    assert torch.equal(losses_of(some), losses_of(some))


def test_processes_that_share_the_columns_have_the_losses_of_one(tmp_path: Path) -> None:
    one = losses_of(task_of(tmp_path, TINY))
    two = [losses_of(task_of(tmp_path, TINY), rank, 2) for rank in range(2)]
    assert torch.allclose(one[[0, 2]], two[0], rtol=1e5 * 2.0**-53) and two[1].shape == (1,)
    assert torch.allclose(one[1:2], two[1], rtol=1e5 * 2.0**-53)


def test_perplexity_does_not_depend_on_how_much_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = task_of(tmp_path, TINY)
    before = some.loss(some.network, "dev")
    monkeypatch.setitem(task.AT_ONCE, "cpu", 7)
    assert some.loss(some.network, "dev") == pytest.approx(before, rel=1e5 * 2.0**-53)


def test_the_vectors_are_the_softmax_too(tmp_path: Path) -> None:
    some = task_of(tmp_path, replace(TINY, model="lstm"))
    words, d = len(some.corpus.words), TINY.hidden
    gates = 4 * (d * d + d * d + 2 * d)  # torch's LSTM has two biases
    assert sum(p.numel() for p in some.network.parameters()) == words * d + words + TINY.layers * gates


def test_the_rate_is_the_papers(tmp_path: Path) -> None:
    some = task_of(tmp_path, LanguageModelling(**PRESETS["paper-10m"]))
    assert [some.next_rate(epoch, 1.0) for epoch in (1, 149, 150, 300)] == [1.0, 1.0, 0.98, 0.98]


def test_the_papers_figures_stand_beside_networks_of_its_sizes() -> None:
    assert TABLE_3[2]["rrnn-f"] == (69.5, 66.3)
    found = paper(LanguageModelling(**PRESETS["paper-24m"]))
    assert found is not None and found["test_perplexity"] == 63.1
    assert paper(LanguageModelling(layers=1)) is None and paper(LanguageModelling(model="lstm")) is None
    assert paper(LanguageModelling(**PRESETS["small"])) is None  # two layers, and another size


# Text.


def test_gzipped_text_is_the_text(tmp_path: Path) -> None:
    plain = corpus.load(write_text(tmp_path), any_size=True)
    path = tmp_path / "ptb/ptb.train.txt"
    write(tmp_path / "ptb/ptb.train.txt.gz", gzip.compress(path.read_bytes()))
    path.unlink()
    zipped = corpus.load(tmp_path, any_size=True)
    assert zipped.words == plain.words and torch.equal(zipped.parts["train"], plain.parts["train"])
    assert zipped.files[0] == "ptb.train.txt.gz" and plain.words[0] == corpus.END


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("ptb.train.txt", None, "cannot be read: No such file"),
        ("ptb.valid.txt", b"caf\xe9\n", "is no UTF-8 text (byte 3 is wrong)"),
        ("ptb.test.txt", "the film", "line 1: has no line feed"),
        ("ptb.test.txt", "\n", "has no words"),
        ("ptb.test.txt", "the zebra\n", "'zebra' is no word of the training part"),
        ("ptb.test.txt", "the\0film\n", "is binary"),
        ("ptb.train.txt.gz", gzip.compress(b"the film\n", mtime=0)[:-9], "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_named_with_its_format_and_where_it_is_published(
    tmp_path: Path, file: str, text: str | bytes | None, says: str
) -> None:
    write_text(tmp_path)
    (tmp_path / "ptb" / file.removesuffix(".gz")).unlink()
    if text is not None:
        write(tmp_path / "ptb" / file, text)
    with pytest.raises(FormatError) as error:
        corpus.load(tmp_path, any_size=True)
    assert all(words in str(error.value) for words in (file, says, corpus.FORMAT, corpus.WHERE))
    write_text(tmp_path)
    with pytest.raises(FormatError, match="was it cut"):
        corpus.load(tmp_path)


# Runs.


def train(folder: Path, model: str, *more: str) -> int:
    data = folder.parent / "data"
    if not data.exists():
        write_text(data)
    small = [
        "--hidden",
        "4",
        "--batch",
        "3",
        "--window",
        "5",
        "--epochs",
        "2",
        "--rate",
        "0.1",
        "--any-size",
        "--no-tensorboard",
    ]
    return main.run(["train", "ptb", "--model", model, "--data", str(data), *small, "-o", str(folder), *more])


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("model", ["lstm", "rrnn-f", "rrnn-b-max-plus"])
def test_a_run_that_was_interrupted_in_an_epoch_is_the_run_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    from training.engine.loop import Loop

    assert train(tmp_path / "whole", model) == 0
    calls = iter(range(10**6))
    monkeypatch.setattr(Loop, "_agreed", lambda self, *answers: [next(calls) == 9, False])
    assert train(tmp_path / "cut", model) == 130
    monkeypatch.undo()
    assert train(tmp_path / "cut", model, "--resume") == 0
    one, other = (safetensors.torch.load_file(tmp_path / n / "network.safetensors") for n in ("whole", "cut"))
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("model", MODELS)
def test_a_result_has_what_the_contract_says(
    tmp_path: Path, model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path / "run", model, "--json") == 0
    said = json.loads(capfd.readouterr().out)
    assert main.run(["results", str(tmp_path)]) == 0
    assert f"{said['metrics']['test_perplexity']:.1f}" in capfd.readouterr().out
    assert set(KEYS) <= set(said) and said["experiment"] == "ptb" and said["model"] == model
    metrics, history = said["metrics"], said["history"]
    assert metrics["dev_perplexity"] == pytest.approx(min(one["dev_perplexity"] for one in history))
    assert 1 < metrics["test_perplexity"] < math.inf and metrics["tokens_per_second"] > 0
    assert (said["decided"] is None) if model == "lstm" else said["decided"]["units"] == 8
    assert train(tmp_path / "run", model, "--resume") == 0
    assert f"epoch {said['best_epoch']} was best on the dev part" in capfd.readouterr().out
    write_text(tmp_path / "data", seed=1)
    assert train(tmp_path / "run", model, "--resume") == 2  # it is done, of another text
    assert "result.json: is a run with train {" in capfd.readouterr().err


def test_a_score_reads_as_a_perplexity(tmp_path: Path) -> None:
    assert task_of(tmp_path, TINY).in_words(-math.log(120)) == "perplexity 120.0"


def test_a_run_that_one_process_kept_is_gone_on_with_in_several(tmp_path: Path) -> None:
    """Each takes the state of its columns."""
    whole, kept = task_of(tmp_path, TINY), task_of(tmp_path, TINY)
    losses_of(kept, end=3)
    losses_of(whole, end=3)
    right = losses_of(whole, begin=3)
    for rank in range(2):
        some = task_of(tmp_path, TINY)
        some.network.load_state_dict(kept.network.state_dict())
        some.carry(kept.carried())
        torch.testing.assert_close(losses_of(some, rank, 2, begin=3), right[rank::2])


def test_a_run_that_is_kept_at_an_epochs_end_has_no_state(tmp_path: Path) -> None:
    """Several processes know a part of it each, and the next epoch begins anew."""
    some = task_of(tmp_path, TINY)
    losses_of(some, 1, 2)
    assert some.carried() == {}


def test_the_state_of_another_network_is_refused(tmp_path: Path) -> None:
    some = task_of(tmp_path, TINY)
    losses_of(some, end=3)
    kept = some.carried()
    assert set(kept) == {"0.0", "0.1", "1.0", "1.1"}
    for wrong in (
        {"0.0": kept["0.0"]},
        {**kept, "1.1": kept["1.1"][:, :1]},
        {**kept, "1.1": kept["1.1"].float()},
    ):
        with pytest.raises(InputError, match="is not that of this network"):
            some.carry(wrong)
