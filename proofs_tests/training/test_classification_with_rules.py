"""Tests of text classification with rules.

An untrained FA-RNN gives the labels of its rules, padding has no effect, rules are used only by the
documented networks, and interrupted runs give the same results.
"""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from neural.fa_rnn import files
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write_rule_sets
from proofs_tests.training.small_runs import ratproof
from training.classification_with_rules import copies as copied_texts
from training.classification_with_rules import experiment
from training.classification_with_rules.copies import bounds, without_copies
from training.classification_with_rules.data import RuledSentences, SentenceBatch, drawn_indices, load
from training.classification_with_rules.experiment import build
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.paper import SETS, TABLE_4, TABLE_5, TABLE_6, paper, variant
from training.classification_with_rules.plain_networks import Convolutional
from training.classification_with_rules.settings import ENHANCED, FA, MODELS, RuleClassification
from training.classification_with_rules.sources import SOURCES
from training.classification_with_rules.task import RuleTask
from training.data_folder import Data
from training.engine.checkpoint import MOST_OF_RATE
from training.engine.noise import Noise
from training.engine.results import KEYS, results_in
from training.engine.run import RunOptions
from training.experiment_list import record_of
from training.experiments import run, settings_for
from training.rules.read_report import report

__all__ = ["command_line"]

TINY = RuleClassification(hidden=5, batch=8, epochs=3, rate=0.01)
WITHOUT_GATES = ["fa-rnn", "bifa-rnn"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_rule_sets(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="module")
def data(folder):
    return load(SOURCES["sms"], Data(folder, any_size=True), 1.0, 0)


def task_of(settings: RuleClassification, data: RuledSentences, folder: Path) -> RuleTask:
    table, _ = experiment._word_vectors(SOURCES["sms"], data, settings, Data(folder))
    return RuleTask(build(data, settings, table), settings, data)


def where(folder: Path, resume: bool = False) -> RunOptions:
    return RunOptions(folder, resume=resume, tensorboard=False)


# Networks.


@pytest.mark.parametrize("name", ["atis", "sms"])
@pytest.mark.parametrize("model", WITHOUT_GATES)
def test_an_untrained_network_predicts_the_labels_of_the_rules(model, name, folder):
    """The default label may also have rules, and the rules of several labels may match."""
    settings = settings_for(name, "zero-shot", {"model": model}, "test")
    assert isinstance(settings, RuleClassification)
    data = load(SOURCES[name], Data(folder, any_size=True), 1.0, 0)
    assert data.default == {"atis": "none", "sms": "good"}[name]
    assert bool((data.hits["train"].sum(dim=1) > 1).any())
    task = task_of(settings, data, folder)
    for part in ("train", "dev", "test"):
        predicted, _ = task.predict(task.network, part)
        assert torch.equal(predicted, data.by_rules(part))
    with torch.no_grad():  # a network without one of the rules does not predict the labels
        for direction in task.network.directions:  # type: ignore[union-attr]
            direction.match[1] = 0  # type: ignore[index, operator]
    predicted, _ = task.predict(task.network, "test")
    assert not torch.equal(predicted, data.by_rules("test"))


def test_the_last_matching_label_wins_and_the_default_if_none_matches(data):
    matched = data.hits["test"]
    for row, answer in zip(matched.tolist(), data.by_rules("test").tolist(), strict=True):
        there = [column for column, hit in enumerate(row) if hit]
        assert answer == (there[-1] if there else data.labels.index(data.default))
    assert data.labels == ("good", "bad", "none")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("noisy", [False, True])
def test_a_sentences_prediction_does_not_depend_on_its_batch(model, noisy, data, folder):
    settings = replace(TINY, model=model, dropout=0.3 * noisy, vector_dropout=0.3 * noisy, beta=0.5)
    task = task_of(settings, data, folder)
    network = task.network.double()
    indices = torch.arange(12)
    noise = Noise(0, 3, indices) if noisy else None
    batch, _ = task.parts["train"].at(indices, torch.device("cpu"))
    together = network(batch, noise)
    for index in range(12):
        one = indices[index : index + 1]
        alone, _ = task.parts["train"].at(one, torch.device("cpu"))
        output = network(alone, Noise(0, 3, one) if noisy else None)
        # Other shapes cause other orders of summation, with at most some dozens of roundings of values near
        # 10.
        assert torch.allclose(together[index], output[0], rtol=0, atol=1e4 * 2.0**-53)


@pytest.mark.parametrize("model", MODELS)
def test_only_the_documented_networks_read_the_matches_of_rules(model, data, folder):
    task = task_of(replace(TINY, model=model), data, folder)
    batch, _ = task.parts["train"].at(torch.arange(9), torch.device("cpu"))
    other = SentenceBatch(batch.words, batch.mirrored, batch.lengths, 1 - batch.matches)
    same = torch.equal(task.network(batch), task.network(other))
    assert same != model.endswith(("+i", "+o", "+io"))


def test_matches_are_added_to_the_logits_with_a_weight_for_each_label(data, folder):
    network = task_of(replace(TINY, model="bigru+o"), data, folder).network
    zeros = torch.zeros(2, len(data.labels))
    words = torch.tensor([[0, 0], [1, 1]])
    lengths, one = torch.tensor([2, 2]), torch.tensor([[1.0, 0, 0], [0, 0, 1.0]])
    added = network(SentenceBatch(words, words, lengths, one)) - network(
        SentenceBatch(words, words, lengths, zeros)
    )
    assert torch.allclose(added, one, atol=1e-6)


@pytest.mark.parametrize("extra", [0, 3])
def test_the_saved_classifier_is_the_network(extra, data, folder):
    task = task_of(replace(TINY, extra=extra), data, folder)
    network = task.network
    assert isinstance(network, FANetwork)
    classifier = network.classifier(data)
    for part in data.parts.values():
        encoded = [torch.tensor([task.index[word] for word in words]) for words in part.words]
        for words, row in zip(part.words, encoded, strict=True):
            batch = SentenceBatch(row[:, None], row[:, None], torch.tensor([len(row)]), torch.zeros(1, 3))
            assert torch.allclose(classifier([words]), network(batch), atol=1e-4)


def test_random_weights_forget_the_rules(data, folder):
    task = task_of(replace(TINY, weights="random"), data, folder)
    rules = task_of(TINY, data, folder)
    for name, weights in rules.network.named_parameters():
        if name.endswith(("before", "after", "turn", "match", "out.weight")):
            other = dict(task.network.named_parameters())[name]
            assert float((weights - other).detach().abs().max()) > 0.1, name


@pytest.mark.parametrize(
    ("change", "named", "trained"),
    [
        ({}, "rules", False),
        ({"word_features": "trained"}, "rules", True),
        ({"tensor": "whole", "beta": 1.0}, "matrices", True),
    ],
)
def test_a_variant_trains_its_documented_parameters(change, named, trained, data, folder):
    task = task_of(replace(TINY, **change), data, folder)  # type: ignore[arg-type]
    names = [name for name, _ in task.network.named_parameters() if name.endswith(named)]
    assert bool(names) == trained
    losses = task.losses(task.network, torch.arange(20), Noise(0, 0, torch.arange(20)))
    losses.sum().backward()
    for name, parameter in task.network.named_parameters():
        if name in names:
            assert parameter.grad is not None and bool(parameter.grad.any())


def test_maxima_are_the_matches_of_a_viterbi_score(data, folder):
    settings = settings_for("sms", "zero-shot", {"scoring": "viterbi"}, "test")
    assert isinstance(settings, RuleClassification)
    task = task_of(settings, data, folder)
    predicted, _ = task.predict(task.network, "test")
    assert torch.equal(predicted, data.by_rules("test"))


# The loss.


@pytest.mark.parametrize("model", ["bigru+kd", "bigru+pr"])
def test_the_rules_are_imitated_if_they_match(model, data, folder):
    task = task_of(replace(TINY, model=model, imitation=0.3, confidence=2.0), data, folder)
    examples = torch.arange(30)
    batch, labels = task.parts["train"].at(examples, torch.device("cpu"))
    logits = task.network(batch)
    expected = []
    for row, label, hit in zip(logits, labels, batch.matches, strict=True):
        own = -row.log_softmax(0)[label]
        scores = torch.exp(2.0 * hit) * (row.softmax(0) if model == "bigru+pr" else 1)
        wanted = scores / scores.sum()
        imitated = -(wanted * row.log_softmax(0)).sum()
        expected.append(0.7 * own + 0.3 * imitated if hit.any() else own)
    losses = task.losses(task.network, examples, Noise(0, 0, examples))
    assert torch.allclose(losses, torch.stack(expected), atol=1e-5)
    assert not torch.allclose(losses, functional.cross_entropy(logits, labels, reduction="none"), atol=1e-2)


def test_rare_labels_count_more_and_the_mean_weight_is_one(data, folder):
    task = task_of(replace(TINY, balance=0.5), data, folder)
    labels = task.parts["train"].labels
    counts = torch.bincount(labels)
    assert torch.allclose(task.weights[labels].mean(), torch.tensor(1.0))
    assert task.weights[counts.argmin()] == task.weights.max()


def test_sampled_sentences_match_rules_and_depend_only_on_the_epoch(data, folder):
    task = task_of(replace(TINY, drawn=20), data, folder)
    numbers = torch.cat(task.batches(4))
    assert sorted(numbers.tolist()) == list(range(len(task.lengths) + 20))
    rows = [row.tolist() for row in task.drawn.rows]  # type: ignore[union-attr]
    task.batches(5)
    assert [row.tolist() for row in task.drawn.rows] != rows  # type: ignore[union-attr]
    task.batches(4)
    assert [row.tolist() for row in task.drawn.rows] == rows  # type: ignore[union-attr]
    words = [[data.words[i] for i in row] for row in rows]
    assert all(set(sentence) & {"good", "fine", "great", "bad", "poor"} for sentence in words)


# Runs.


def test_the_running_mean_is_stored(folder, tmp_path):
    at = Data(folder, any_size=True)
    both = (replace(TINY, average=average) for average in (0.0, 0.99))
    trained = [run("sms", how, at, where(tmp_path / str(how.average))) for how in both]
    assert trained[0]["history"] != trained[1]["history"]  # type: ignore[index]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("share", [0.0, 0.25])
def test_each_model_has_a_result(model, share, folder, tmp_path):
    trained = run(
        "sms", replace(TINY, model=model, share=share), Data(folder, any_size=True), where(tmp_path)
    )
    assert isinstance(trained, dict) and set(KEYS) <= set(trained)
    assert trained["data"]["trained_on"] == 40 * share
    assert trained["epochs"] == (3 if share else 0)
    assert 0 <= trained["metrics"]["test_accuracy"] <= 1
    kept = json.loads((tmp_path / "result.json").read_text())
    assert kept == json.loads(json.dumps(trained))
    if model == "fa-rnn":
        classifier, about = files.load(tmp_path / "network.safetensors")
        assert about["configuration"]["share"] == share
        parts = load(SOURCES["sms"], Data(folder, any_size=True), 1.0, 0).parts
        pairs = zip(classifier.predict(parts["test"].words), parts["test"].labels, strict=True)
        right = [label == truth for label, truth in pairs]
        assert sum(right) / len(right) == pytest.approx(trained["metrics"]["test_accuracy"])


# Data and settings.


def test_a_share_is_drawn_with_the_seed():
    assert drawn_indices(10, 1, 0) == list(range(10)) and drawn_indices(10, 0, 0) == []
    assert drawn_indices(100, 0.1, 0) == drawn_indices(100, 0.1, 0) != drawn_indices(100, 0.1, 1)
    assert len(drawn_indices(1000, 0.01, 3)) == 10 and len(drawn_indices(3, 0.01, 3)) == 1


@pytest.mark.usefixtures("command_line")
def test_the_command_trains_and_reads_back(folder, tmp_path, capsys):
    assert ratproof(f"train sms --data {folder} --any-size --epochs 2 -o", tmp_path / "run") == 0
    assert "accuracy of the rules on the test sentences: " in capsys.readouterr().out
    classifier, _ = files.load(tmp_path / "run/network.safetensors")
    read, _, _ = report(classifier, load(SOURCES["sms"], Data(folder, any_size=True), 1.0, 0).parts)
    assert {row.system for row in read.rows} >= {"network", "rules, read back"}


# Copied texts.


def test_copied_texts_are_those_of_the_training_file(folder):
    data = load(SOURCES["sms"], Data(folder, any_size=True), 1.0, 0)
    assert all(set(data.copied) == {"dev", "test"} and bool(copied.any()) for copied in data.copied.values())
    for part, copied in data.copied.items():
        words = data.parts[part].words
        assert copied.tolist() == [words[i] in data.parts["train"].words for i in range(len(words))]
    few = load(SOURCES["sms"], Data(folder, any_size=True), 0.1, 0)  # the same texts for any training set
    assert all(torch.equal(few.copied[part], copied) for part, copied in data.copied.items())


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_a_run_records_accuracies_without_copied_texts(share, folder, tmp_path, capsys):
    how = replace(TINY, share=share)
    source = Data(folder, any_size=True)
    trained = run("sms", how, source, where(tmp_path))
    assert isinstance(trained, dict)
    data = load(SOURCES["sms"], source, 1.0, 0)
    classifier, _ = files.load(tmp_path / "network.safetensors")
    for part in ("dev", "test"):
        metrics, copied = trained["metrics"], data.copied[part].tolist()
        words, labels = data.parts[part].words, data.parts[part].labels
        for name, predicted in (
            ("", classifier.predict(words)),
            ("rules_", [data.labels[i] for i in data.by_rules(part).tolist()]),
        ):
            right = [
                a == b for a, b, is_copied in zip(predicted, labels, copied, strict=True) if not is_copied
            ]
            assert metrics[f"{name}{part}_accuracy_without_copies"] == pytest.approx(sum(right) / len(right))
            low, high = bounds(metrics[f"{name}{part}_accuracy"], len(words), sum(copied))
            assert low <= sum(right) / len(right) <= high
        assert metrics[f"{part}_copies"] == sum(copied)
    record = record_of("sms")
    assert record is not None
    record.start(how, source).show(trained, tmp_path)
    assert f"without the {metrics['test_copies']} test sentences" in capsys.readouterr().out


def test_an_accuracy_without_any_text_has_no_value():
    right = torch.tensor([True, False])
    assert without_copies(right, torch.tensor([True, True])) is None
    assert without_copies(right, torch.tensor([False, True])) == 1
    assert bounds(0.25, 8, 4) == (0, 0.5) and bounds(1, 8, 4) == (1, 1)


def test_the_counts_of_copied_texts_are_about_the_stored_results():
    counts = json.loads(copied_texts.KEPT.read_text())
    assert {name: {part: one["copied"] for part, one in by.items()} for name, by in counts.items()} == {
        "atis": {"dev": 111, "test": 16},
        "qc": {"dev": 0, "test": 8},
        "sms": {"dev": 43, "test": 62},
    }
    for result in results_in(copied_texts.KEPT.parent / "rules"):
        for part, one in counts[result["experiment"]].items():
            assert result["data"][part] == {"sentences": one["sentences"], "sha256": one["sha256"]}
            accuracy = result["metrics"].get(f"rules_{part}_accuracy")
            assert accuracy in (None, pytest.approx(one["rules_accuracy"]))


# The paper's tables.


def test_runs_are_listed_in_the_right_table():
    ours = RuleClassification()
    printed = paper("qc", replace(ours, share=0.1))
    assert printed is not None and printed["test_accuracy"] == 0.796 and "Table 5" in printed["source"]
    printed = paper("atis", replace(ours, share=0.0, beta=1.0))
    assert printed is not None and printed["test_accuracy"] == 0.8653 and "Table 4" in printed["source"]
    for name, (change, figures) in TABLE_6.items():
        settings = replace(ours, **({"beta": 1.0} if name == "F-O" else {}), **change)  # type: ignore[arg-type]
        assert variant(settings) == name
        for column, name_of_set in enumerate(SETS):
            printed = paper(name_of_set, settings)
            assert printed is not None and printed["test_accuracy"] == pytest.approx(figures[column] / 100)
    assert paper("atis", replace(ours, share=0.5)) is None
    assert set(TABLE_5) == set(MODELS) and set(TABLE_4) == set(FA + ENHANCED)


# Baselines for FA-RNNs.


@given(st.integers(0, 2**32 - 1), st.integers(3, 20))
def test_a_convolutional_network_initially_has_features_of_the_size_of_its_vectors(seed, words):
    """If each layer passed on smaller values, the network would learn only the most frequent label."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = Convolutional(100, 100)
    vectors = torch.randn(words, 8, 100, generator=generator)
    with torch.no_grad():
        features = network(vectors, torch.full((8,), words))
    assert 0.3 < features.std() < 3


def test_the_rates_of_the_cosine_schedule_can_be_resumed():
    """They begin above the initial rate."""
    settings = SimpleNamespace(schedule="cosine", rate=1e-3, epochs=60)
    rates = [RuleTask.next_rate(SimpleNamespace(settings=settings), epoch, 0.0) for epoch in range(61)]
    assert settings.rate < max(rates) <= MOST_OF_RATE * settings.rate
