"""Tests of parentheses and palindromes: strings match their columns, losses are independent of batches, and
runs can be resumed.
"""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from automata.languages import parentheses as language_of
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.layers import SRCell
from proofs_tests.training.command_line import command_line
from proofs_tests.training.small_runs import ratproof, train
from training.data_folder import Data
from training.engine import results
from training.engine.noise import _STEP, Noise, _hashed
from training.engine.run import RunOptions
from training.experiments import run, settings_for
from training.language_recognition import languages, palindromes, parentheses
from training.language_recognition.dyck_paths import dyck_paths
from training.language_recognition.network import STATE_MARGIN, TrainedAcceptor, gates, untrained
from training.language_recognition.paper import paper
from training.language_recognition.settings import MODELS, Recognition
from training.language_recognition.strings import Strings
from training.language_recognition.task import RecognitionTask

__all__ = ["command_line"]

SEEDS = st.integers(0, 10**6)
TINY = {"size": "small", "units": 4, "steps": 3, "batch": 8, "test_strings": 10, "epochs": 4, "growth": 3.0}


def _rows(strings: Strings) -> list[list[int]]:
    return [
        row[:length].tolist() for row, length in zip(strings.tokens, strings.lengths.tolist(), strict=True)
    ]


@given(SEEDS, st.integers(1, 12), st.integers(0, 20))
def test_a_path_has_its_height_and_its_length(seed, height, more):
    (path,) = dyck_paths([(height, height + more)], np.random.default_rng(seed))
    heights = np.cumsum(1 - 2 * path.astype(int))
    assert len(path) == 2 * (height + more) and heights.max() == height
    assert heights.min() >= 0 and heights[-1] == 0


def test_paths_of_one_size_are_equally_likely():
    drawn = dyck_paths([(2, 4)] * 7000, np.random.default_rng(0))
    _, counts = np.unique(np.array(drawn), axis=0, return_counts=True)
    # of the 14 paths with 4 pairs, 1 has height 1, 7 have height 2, 5 have height 3, and 1 has height 4
    assert len(counts) == 7
    assert ((counts - 1000) ** 2 / 1000).sum() < 22.5  # chi-squared, 6 degrees of freedom: p < 0.001


@given(SEEDS, st.sampled_from([parentheses.TRAINING, parentheses.DEV, *parentheses.COLUMNS[:2]]))
def test_parentheses_are_labelled_as_by_the_pushdown_automaton(seed, column):
    oracle = language_of.balanced_to_all_depths(parentheses.LETTERS)
    strings = parentheses.draw(column, 3, 4, np.random.default_rng(seed))
    assert (len(strings), int(strings.labels.sum())) == (7, 3)
    for tokens, label, kind in zip(_rows(strings), strings.labels.tolist(), strings.kinds, strict=True):
        text = [parentheses.ALPHABET[token] for token in tokens]
        assert oracle.accepts(text) == label == (kind == "balanced")
        assert len(tokens) <= column.lengths[1]
        if label:
            heights = np.cumsum([0] + [(x == "(") - (x == ")") for x in text])
            assert column.depths[0] <= heights.max() <= column.depths[1]


@given(SEEDS, st.sampled_from(sorted(parentheses.CHANGES)))
def test_a_near_miss_is_one_change_away(seed, name):
    rng = np.random.default_rng(seed)
    (tokens,) = _rows(parentheses.draw(parentheses.ParenthesesColumn("some", (1, 4), (8, 30)), 1, 0, rng))
    changed = parentheses.CHANGES[name](list(tokens), rng)
    assert changed is not None and abs(len(changed) - len(tokens)) == (name == "dropped")
    counts = [sum(x == token for x in changed) for token in (parentheses.OPEN, parentheses.CLOSE)]
    assert (counts[0] == counts[1]) == (name in ("moved", "exchanged"))
    assert not parentheses.is_balanced(changed)


@given(SEEDS, st.sampled_from(palindromes.COLUMNS[:1] + palindromes.COLUMNS[3:4]))
def test_palindromes_and_other_strings(seed, column):
    strings = palindromes.draw(column, 3, 4, np.random.default_rng(seed))
    for tokens, label, kind in zip(_rows(strings), strings.labels.tolist(), strings.kinds, strict=True):
        assert (tokens == tokens[::-1] and len(tokens) % 2 == 0) == label == (kind == "palindrome")
        if kind == "exchanged":  # a property that an alternating sum of letters cannot detect
            assert sum(tokens[::2]) == sum(tokens[1::2])


def _network(model: str, **settings: float) -> tuple[TrainedAcceptor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    options = {"k": 3} if model.startswith("sr-") else {}
    acceptor = Acceptor(tuple("ab()"), model, 5, **options).double()  # type: ignore[arg-type]
    tokens = torch.randint(4, (9, 5))
    return TrainedAcceptor(acceptor, Recognition(**settings)), tokens, torch.tensor([3, 9, 0, 5, 9])


@pytest.mark.parametrize("model", MODELS)
def test_it_is_trained_as_it_is_read(model):
    network, tokens, lengths = _network(model)
    assert torch.allclose(network(tokens, lengths).logits, network.acceptor(tokens, lengths), atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_a_strings_loss_does_not_depend_on_its_batch(model):
    network, tokens, lengths = _network(model, gate_noise=1.0, state_noise=1.0)
    many = network(tokens, lengths, Noise(0, 3, torch.arange(5)), margins=True)
    one = network(tokens[:5, 3:4], lengths[3:4], Noise(0, 3, torch.tensor([3])), margins=True)
    assert torch.allclose(one.logits, many.logits[3:4]) and torch.allclose(one.lacking, many.lacking[3:4])
    assert not torch.allclose(many.logits, network(tokens, lengths).logits)


@pytest.mark.parametrize("model", MODELS)
def test_recurrent_weights_are_in_the_loss_by_their_absolute_values(model):
    settings = settings_for("parentheses", "ours", TINY | {"model": model, "recurrent_decay": 0.0}, "test")
    strings = languages.language("parentheses", settings)
    parts = strings.training(), strings.dev()
    with_them = replace(settings, recurrent_decay=0.25)
    assert isinstance(settings, Recognition) and isinstance(with_them, Recognition)
    network, examples = untrained(strings.alphabet, settings), torch.arange(8)
    noise = Noise(0, 0, examples)
    less, more = (
        RecognitionTask(network, one, *parts).losses(network, examples, noise)
        for one in (settings, with_them)
    )
    added = 0.25 * network.cell.part.hidden.weight.abs().sum()
    torch.testing.assert_close(more - less, added.expand(8), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_gates_are_those_of_a_step(model):
    network, _, _ = _network(model)
    part = network.cell.part
    read = part.read(network.acceptor.embedding.weight[:3])
    before = tuple(torch.randn(3, 5, dtype=torch.float64) for _ in network.cell.sizes())
    inside, after = gates(part, read, before), part.step(read, before)
    if len(before) == 1:
        _, z, n = inside.split(5, dim=1)
        assert torch.allclose(after[0], torch.lerp(torch.tanh(n), before[0], torch.sigmoid(z)))
        return
    i, f, g, o = inside.split(5, dim=1)
    c = torch.sigmoid(f) * before[1] + torch.sigmoid(i) * torch.tanh(g)
    assert torch.allclose(after[1], c) and torch.allclose(after[0], torch.sigmoid(o) * torch.tanh(c))


def test_saturated_gates_lack_no_margin():
    network, tokens, lengths = _network("lstm")
    part = network.cell.part
    for parameter in part.parameters():
        torch.nn.init.zeros_(parameter)
    lacking = network(tokens, lengths, margins=True).lacking
    assert torch.allclose(
        lacking, torch.full_like(lacking, 2 * network.gate_margin)
    )  # inside the string, and at its end
    torch.nn.init.constant_(part.hidden.bias, network.gate_margin + 1)
    assert not network(tokens, lengths, margins=True).lacking.any()


@pytest.mark.parametrize("model", ["lstm-p", "sr-lstm", "sr-gru"])
def test_margins_are_those_of_each_prefix_of_a_string(model):
    network, tokens, lengths = _network(model)
    part, embedding = network.cell.part, network.acceptor.embedding.weight
    shortfalls = network(tokens, lengths, margins=True).lacking

    def short(token, state, ends):
        read = part.read(embedding[token : token + 1])
        shortfall = (network.gate_margin - gates(part, read, state).abs()).clamp(min=0).mean()
        u, *rest = part.step(read, state)
        if isinstance(network.cell, SRCell) and not ends:
            top = network.cell.component.similarities(u).topk(2).values[0]
            shortfall = shortfall + (STATE_MARGIN - (top[0] - top[1])).clamp(min=0)
            u = network.cell.component(u)[0]
        return shortfall, (u, *rest)

    for b, length in enumerate(lengths.tolist()):
        state, total = network.cell.start(1), torch.zeros(())
        for token in [4, *tokens[:length, b].tolist()]:
            shortfall, state = short(token, state, False)
            total = total + shortfall / (length + 1)
        assert torch.allclose(shortfalls[b], total + short(5, state, True)[0])


def test_the_hash_is_splitmix64():
    """Compare with the first numbers that its authors' program gives for the seed 0."""
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    hashed = _hashed(torch.arange(1, 4) * _STEP)
    assert [int(number) % (1 << 64) for number in hashed] == first


def test_gaussian_noise_is_gaussian_and_belongs_to_its_example():
    drawn = Noise(0, 7, torch.tensor([4, 9])).normal(0, (200, 500))
    assert abs(float(drawn.mean())) < 0.01 and abs(float(drawn.std()) - 1) < 0.01
    assert torch.isfinite(drawn).all() and abs(float((drawn.abs() < 1).double().mean()) - 0.6827) < 0.004
    assert torch.equal(Noise(0, 7, torch.tensor([9])).normal(0, (300, 500))[0, :200], drawn[1])


def test_the_finish_ends_the_run_and_the_last_weights_are_used(tmp_path):
    more = {"mastered": 0.0, "finish": 2, "epochs": 50, "growth": 20.0}
    settings = settings_for("parentheses", "ours", TINY | more, "test")
    trained = run("parentheses", settings, Data(Path()), RunOptions(tmp_path / "run", tensorboard=False))
    assert isinstance(trained, dict) and trained["best_epoch"] == trained["epochs"] < 50
    assert trained["metrics"]["curriculum_length"] == 100
    rates = [one["rate"] for one in trained["history"]]
    assert rates[-1] == pytest.approx(0.02 * rates[0])
    assert set(results.KEYS) <= set(trained)
    assert set(trained["errors"]) == set(trained["data"]) - {"train", "dev"}


def _task(more: dict[str, Any]) -> RecognitionTask:
    settings = settings_for("parentheses", "ours", TINY | more, "test")
    strings = languages.language("parentheses", settings)
    network = untrained(strings.alphabet, settings)
    return RecognitionTask(network, settings, strings.training(), strings.dev())


def _weights(task: RecognitionTask) -> Tensor:
    return torch.cat([one.detach().flatten() for one in task.acceptor.parameters()])


def test_a_stalled_curriculum_restarts_with_other_weights():
    # No untrained network is right on all short strings.
    task = _task({"mastered": 1.0, "restart_after": 3, "epochs": 12, "seed": 1})
    tried, again = [_weights(task)], []
    for _ in range(12):
        again.append(task.stepped())
        if again[-1]:
            tried.append(_weights(task))
        assert not task.stepped() and torch.equal(_weights(task), tried[-1])
        task.measure(task.acceptor)
        assert task.length == 4 and task.restarts == len(tried) - 1
    # The second half of the epochs is for the last attempt.
    assert [epoch for epoch, one in enumerate(again) if one] == [3, 6]
    assert not any(torch.equal(a, b) for a, b in combinations(tried, 2))


@pytest.mark.parametrize(("wanted", "again"), [(0.0, False), (1.0, True)])
def test_after_the_finish_it_restarts_if_the_dev_part_is_wrong(wanted, again):
    task = _task({"mastered": 0.0, "growth": 100.0, "finish": 2, "epochs": 50, "dev_wanted": wanted})
    while task.finishing <= 2:
        assert not task.finished and not task.stepped()
        task.measure(task.acceptor)
    assert task.finished is not again and task.stepped() is again
    assert (task.length, task.finishing, task.restarts) == ((4, 0, 1) if again else (100, 3, 0))


def test_a_run_that_is_resumed_within_the_epoch_of_a_restart_reads_the_same_batches():
    """After the restart, strings are shorter, but not those of the current epoch."""
    task = _task({"mastered": 0.0, "growth": 100.0, "finish": 2, "epochs": 50, "dev_wanted": 1.0})
    while task.finishing <= 2:
        task.measure(task.acceptor)
    batches = task.batches(task.epoch)
    assert task.stepped() and task.length < task.drawn[1]
    resumed = _task({"mastered": 0.0, "growth": 100.0, "finish": 2, "epochs": 50, "dev_wanted": 1.0})
    resumed.carry(task.carried())
    for epoch in (task.epoch, task.epoch + 1):
        ours, theirs = task.batches(epoch), resumed.batches(epoch)
        assert all(map(torch.equal, ours, theirs))
        assert all(map(torch.equal, ours, batches)) == (epoch == task.epoch)


def test_runs_are_listed_in_the_right_table():
    def errors(**options: object) -> object:
        printed = paper("parentheses", Recognition(**options))  # type: ignore[arg-type]
        return printed and (printed["errors"]["d 20, l 1000"], printed["source"][-2:].strip())

    assert errors(model="sr-lstm-p") == (0.020, "1")
    assert errors(model="lstm-p") == (0.496, "12") and errors(model="lstm-p", size="small") is None
    assert errors(model="sr-lstm-p", size="small", centroids=2) == (0.399, "2")
    assert errors(model="sr-lstm", centroids=7) is None and errors(model="lstm", centroids=7) == (0.543, "1")
    printed = paper("palindromes", Recognition(model="lstm-p"))
    assert printed is not None and printed["errors"] == {"l 100": 0.284, "l 200": 0.362, "l 500": 0.415}


@pytest.mark.usefixtures("command_line")
def test_the_commands(tmp_path, capfd):
    folder = tmp_path / "run"
    assert train(folder, "parentheses", "--model lstm --json") == 0
    trained = json.loads(capfd.readouterr().out)
    assert trained["experiment"] == "parentheses" and trained["model"] == "lstm"
    assert "r_squared" in trained["counter"]
    assert ratproof("results", tmp_path) == 0
    assert "parentheses, small set" in capfd.readouterr().out
    assert train(tmp_path / "other", "parentheses", "--model lstm --growth 1") == 2
    assert "--growth must be a number from" in capfd.readouterr().err and not (tmp_path / "other").exists()
