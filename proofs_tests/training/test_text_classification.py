"""Tests of text classification.

They test the format of the files, that padding has no effect, that a search does not read the test set, and
that trained units equal their automata.
"""

import json
import lzma
from pathlib import Path

import pytest
import torch

import training
from automata.errors import FormatError, InputError
from proofs_tests.training.command_line import command_line
from proofs_tests.training.sentences import write, write_sets
from proofs_tests.training.small_runs import ratproof
from ratproof.evidence.counterexample import Disagreement
from training.data_folder import Data
from training.engine import results
from training.engine.labelled import LabelledTexts, standard_error
from training.engine.noise import Noise
from training.engine.results import ARCHIVE, read_archive, write_archive
from training.engine.run import RunOptions
from training.experiments import run, settings_for
from training.rational_recurrences import data, decided, search
from training.rational_recurrences.classifier import SentenceClassifier
from training.rational_recurrences.experiment import SentenceRun
from training.rational_recurrences.settings import MODELS, PRESETS, TABLE_5, Classification
from training.rational_recurrences.task import EncodedTexts

__all__ = ["command_line"]

TINY = Classification(hidden=5, batch=8, epochs=2, rate=0.01)
KEPT = read_archive(Path(training.__file__).parent / "results/text")["cr-rrnn-b-max-plus-seed-0.json"]
RATIONAL = [model for model in MODELS if model != "lstm"]


# The network.


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("noisy", [False, True])
def test_a_sentences_prediction_does_not_depend_on_padding(model, noisy):
    network = SentenceClassifier(Classification(model=model, hidden=5), 3).double()
    vectors, lengths = torch.randn(9, 4, 3, dtype=torch.float64), torch.tensor([9, 4, 1, 0])
    noise = Noise(0, 0, torch.arange(4)) if noisy else None
    other = vectors.clone()
    for column, length in enumerate(lengths.tolist()):
        other[length:, column] = 7 * torch.randn(9 - length, 3, dtype=torch.float64)
    assert torch.equal(network(vectors, lengths, noise), network(other, lengths, noise))
    alone = Noise(0, 0, torch.tensor([1])) if noisy else None
    short = network(vectors[:4, 1:2], lengths[1:2], alone)
    # Other shapes cause other orders of summation, with at most some dozens of roundings of values near 1.
    assert torch.allclose(network(vectors, lengths, noise)[1:2], short, rtol=0, atol=1e3 * 2.0**-53)


@pytest.mark.parametrize("model", MODELS)
def test_each_dropout_is_active_only_in_training(model):
    vectors, lengths, noise = torch.randn(6, 8, 3), torch.full((8,), 6), Noise(0, 0, torch.arange(8))
    none = {"vertical_dropout": 0.0, "recurrent_dropout": 0.0, "embedding_dropout": 0.0}
    plain = SentenceClassifier(Classification(model=model, hidden=5, **none), 3)
    assert torch.equal(plain(vectors, lengths), plain(vectors, lengths, noise))
    for name in none:
        network = SentenceClassifier(Classification(model=model, hidden=5, **{**none, name: 0.5}), 3)
        assert torch.equal(network(vectors, lengths), plain(vectors, lengths))
        assert not torch.equal(network(vectors, lengths, noise), plain(vectors, lengths))


@pytest.mark.parametrize("model", MODELS)
def test_a_linear_classifier_is_affine_in_the_last_state(model):
    """The authors' program has a linear classifier. An MLP with the same weights is not affine."""
    network = SentenceClassifier(Classification(model=model, hidden=5, classifier="linear"), 3)
    vectors, lengths = torch.randn(6, 8, 3), torch.full((8,), 6)
    last = network.layers[1](network.layers[0](vectors)[0])[0][-1]
    scores = last @ network.out.weight.T + network.out.bias
    assert torch.allclose(network(vectors, lengths), scores, atol=1e-6)
    assert {name.split(".")[0] for name, _ in network.named_parameters()} == {"layers", "out"}
    mlp = SentenceClassifier(Classification(model=model, hidden=5), 3)
    mlp.out.load_state_dict(network.out.state_dict())
    assert not torch.allclose(mlp(vectors, lengths), mlp.out(last), atol=1e-6)


def test_word_vectors_have_the_requested_length_and_unknown_words_share_one(tmp_path):
    folder = write_sets(tmp_path)
    table, without = data.vector_table(data.find_vectors(folder), ["good", "zebra", "quagga"], 5.0)
    assert torch.allclose(table.norm(dim=1), torch.tensor(5.0)) and without == 2
    assert torch.equal(table[1], table[2]) and not torch.equal(table[0], table[1])


# The data.


def test_the_splits_are_fixed_and_have_the_sizes_of_table_4():
    full = LabelledTexts(tuple((str(i),) for i in range(3775)), tuple(i % 2 for i in range(3775)))
    parts = data.split(full)
    assert {name: len(part) for name, part in parts.items()} == {"train": 3019, "dev": 378, "test": 378}
    assert parts["test"].words[:5] == (("6",), ("18",), ("22",), ("23",), ("27",))
    assert sorted(word for part in parts.values() for word in part.words) == sorted(full.words)


def test_amazons_last_fifth_is_its_dev_part_and_its_labels_are_separate(tmp_path):
    """The fifths of the file contain different products, in the file's order."""
    reviews = "".join(f"w{i} caf\xe9\n" for i in range(10))
    write(tmp_path / "amazon/elec-25k-train.txt.tok", reviews.encode("latin-1"))
    write(tmp_path / "amazon/elec-25k-train.cat", "1\n2\n" * 5)
    write(tmp_path / "amazon/elec-test.txt.tok", "good\n\n")
    write(tmp_path / "amazon/elec-test.cat", "2\n1\n")
    parts = data.load("amazon", tmp_path, any_size=True)
    assert parts["train"].words == tuple((f"w{i}", "café") for i in range(8))
    assert parts["train"].labels == (0, 1) * 4 and parts["dev"].words[0] == ("w8", "café")
    assert parts["test"] == LabelledTexts((("good",), ()), (1, 0))
    assert "test" not in data.load("amazon", tmp_path, any_size=True, test=False)
    with pytest.raises(FormatError, match="must have 25,000 sentences, like the published file, got 10"):
        data.load("amazon", tmp_path)
    assert settings_for("amazon", "paper", {}, "here").to_json()["batch"] == 16


@pytest.mark.parametrize(("epochs", "shown"), [(1, "1 epoch,"), (2, "2 epochs,")])
def test_one_epoch_is_counted_in_the_singular(epochs, shown):
    result = {"experiment": "cr", "model": "lstm", "seed": 0, "best_epoch": 1, "epochs": epochs, "seconds": 0}
    _, text = SentenceRun("cr", Classification(), Data(Path())).title(result)
    assert text.startswith(f", seed 0: {shown}")


def test_the_standard_error_of_378_sentences_is_two_points():
    assert standard_error(0.835, 378) == pytest.approx(0.0191, abs=1e-4)


def test_subj_as_published_is_latin_1_with_a_next_line_character(tmp_path):
    write_sets(tmp_path)
    write(
        tmp_path / "subj/subj.all",
        "".join(f"{i % 2} caf\xe9 {i} a\x85b\n" for i in range(20)).encode("latin-1"),
    )
    parts = data.load("subj", tmp_path, any_size=True)
    assert sum(map(len, parts.values())) == 20 and parts["train"].words[0][0] == "café"


def test_an_empty_sentence_is_one_as_in_cr(tmp_path):
    write_sets(tmp_path)
    write(tmp_path / "cr/custrev.all", "0 \n1 good\n" * 10)
    assert () in data.load("cr", tmp_path, any_size=True)["train"].words


def test_too_few_sentences_one_label_or_no_vectors_are_refused(tmp_path):
    write_sets(tmp_path)
    write(tmp_path / "cr/custrev.all", "0 bad\n1 good\n")
    with pytest.raises(FormatError, match="enough sentences to be split"):
        data.load("cr", tmp_path, any_size=True)
    write(tmp_path / "cr/custrev.all", "0 bad\n" * 20)
    with pytest.raises(FormatError, match="must have the labels 0 and 1, got one"):
        data.load("cr", tmp_path, any_size=True)
    (tmp_path / "glove/glove.tiny.txt").unlink()
    with pytest.raises(InputError, match="must have word vectors"):
        data.find_vectors(tmp_path)


# Runs.


@pytest.mark.usefixtures("command_line")
def test_a_result_has_the_documented_fields(tmp_path, capfd):
    folder, run = write_sets(tmp_path / "data"), tmp_path / "run"
    line = f"train sst2 --model lstm --seed 3 --data {folder} --any-size --hidden 5 --preset ours --epochs 2"
    assert ratproof(line, "-o", run, "--json") == 0
    printed = json.loads(capfd.readouterr().out)
    trained = json.loads((run / "result.json").read_text())
    assert printed == {"schema_version": 2, **trained}
    ours = {**PRESETS["ours"], "model": "lstm", "seed": 3, "epochs": 2, "hidden": 5}
    assert trained["configuration"] == Classification(**ours).to_json() and trained["seed"] == 3
    assert trained["paper"]["test_accuracy"] == TABLE_5["lstm"]["sst2"][0] == 0.851
    accuracy = trained["metrics"]["test_accuracy"]
    assert trained["metrics"]["test_standard_error"] == standard_error(accuracy, 50)
    assert trained["decided"] is None
    assert list((run / "tensorboard").iterdir())
    assert ratproof("results", tmp_path) == 0
    table = capfd.readouterr().out
    assert "sst2: test accuracy in %, 50 test sentences" in table and f"{100 * accuracy:.1f}" in table


@pytest.mark.parametrize("model", RATIONAL)
def test_all_units_of_a_trained_network_are_decided(model, tmp_path):
    sentences = Data(write_sets(tmp_path / "data"), any_size=True)
    how = Classification(model=model, hidden=5, batch=8, epochs=2, rate=0.01)
    trained = run("cr", how, sentences, RunOptions(tmp_path / "run", tensorboard=False))
    assert isinstance(trained, dict)
    assert (trained["decided"]["verdict"], trained["decided"]["units"]) == ("equivalent", 10)
    assert [layer["symbols"] for layer in trained["decided"]["layers"]] == [14, 16]


@pytest.mark.parametrize(
    "damage",
    [
        {"epochs": "two"},
        {"best_epoch": None},
        {"epochs": ...},
        {"best_epoch": ...},
        {"decided": {"units": 10, "claim": "model-b"}},
        {"decided": {"units": 10, "layers": []}},
        {"decided": {"units": 10, "claim": "model-b", "layers": [{"symbols": 14}]}},
        {"paper": {"test_perplexity": "80"}},
        {"paper": {"errors": {"l 100": [0.5]}}},
        {"data": {"test": {"sentences": 10**400}}},
    ],
    ids=lambda damage: str(damage)[:60],
)
def test_a_damaged_result_is_ignored(damage, tmp_path):
    file = tmp_path / "result.json"
    damaged = {name: value for name, value in {**KEPT, **damage}.items() if value is not ...}  # is removed
    file.write_text(json.dumps(damaged))
    with pytest.raises(
        FormatError, match=r"in the result of a run, (decided must be null|epochs and|paper must|data must)"
    ):
        results.read(file)


def test_copies_of_a_result_count_once(tmp_path):
    """A result in a file and its copy in an archive also count once. An archive is ordered by name."""
    for number, seed in enumerate((0, 1, 0)):
        (tmp_path / f"result-{number}.json").write_text(json.dumps({**KEPT, "seed": seed}))
    (tmp_path / "z").mkdir()
    archived = {f"{seed}.json": {**KEPT, "seed": seed} for seed in (3, 2, 1)}
    write_archive(archived, tmp_path / "z")
    assert [one["seed"] for one in results.results_in(tmp_path)] == [0, 1, 2, 3]
    before = (tmp_path / "z" / ARCHIVE).read_bytes()
    write_archive(dict(reversed(archived.items())), tmp_path / "z")
    assert (tmp_path / "z" / ARCHIVE).read_bytes() == before


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (b'{"run": "a.json"}\n', "must contain compressed JSON lines with run and result"),
        (b"[]\n", "must contain compressed JSON lines"),
        (b'{"run": "a.json", "result": {}}\n', r"a\.json: the result of a run must have experiment"),
        (None, "must contain compressed JSON lines"),
    ],
)
def test_a_damaged_archive_gives_a_one_line_error(lines, says, tmp_path):
    data = b"cut" if lines is None else lzma.compress(lines)
    (tmp_path / ARCHIVE).write_bytes(data)
    with pytest.raises(FormatError, match=says):
        results.results_in(tmp_path)


@pytest.mark.parametrize("model", RATIONAL)
def test_a_network_that_differs_from_its_automata_is_detected(model, tmp_path, monkeypatch):
    """The network is compared with a misprint of the paper or, if none applies, with other units' gates."""
    how, sentences = Classification(model=model, hidden=5), Data(write_sets(tmp_path), any_size=True)
    ready = SentenceRun("cr", how, sentences)
    ready.read()
    ready.task = ready.build()
    if model == "rrnn-f":
        monkeypatch.setattr(decided, "READING", "printed-equation-26g")
        with pytest.raises(Disagreement):
            ready.decide()
        return
    layer = decided.LayerComparison
    weights = layer.claim_weights
    monkeypatch.setattr(layer, "claim_weights", lambda self, unit: weights(self, (unit + 1) % 5))
    with pytest.raises(Disagreement):
        ready.decide()


# Settings.


def test_the_search_is_over_table_6():
    trials = search.drawn(8)
    assert trials == search.drawn(8) != search.drawn(8, seed=1) and trials == search.drawn(9)[:8]
    for trial in trials:
        assert Classification(**trial)
        assert all(least <= trial[name] <= most for name, (_, least, most) in search.SPACE.items())


def test_the_best_trial_is_known_only_when_all_are_done(tmp_path):
    journal, trials = tmp_path / "journal", search.drawn(3)
    for number, score in ((2, 0.7), (0, None), (3, 0.9)):  # number 3 belongs to a longer search
        search.record(journal, "sst2 rrnn-f", number, trials[number % 3], score)
    assert search.best(journal, "sst2 rrnn-f", 3) is None
    search.record(journal, "sst2 rrnn-f", 1, trials[1], 0.7)
    assert search.best(journal, "sst2 rrnn-f", 3) == trials[1]
    search.record(journal, "sst2 rrnn-f", 0, trials[0], 0.99)  # repeated with other settings
    assert search.best(journal, "sst2 rrnn-f", 3) == trials[0]
    assert search.best(journal, "sst2 lstm", 3) is None
    for number in (0, 1):
        search.record(journal, "sst2 lstm", number, trials[number], None)
    with pytest.raises(InputError, match="sst2 lstm: at least one trial must converge, got 2"):
        search.best(journal, "sst2 lstm", 2)


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("--model gru", "--model must be lstm or"),
        ("--vertical-dropout 1", "--vertical-dropout must be a number"),
        ("--rate nan", "--rate must be a number"),
        ("--batch 0", "--batch must be an integer"),
        ("--preset best", "the preset must be one of paper, ours, got 'best'"),
        ("--minutes 0", "--minutes must be a positive number, got 0.0"),
        ("--device tpu", "--device must be cpu or cuda, got 'tpu'"),
        ("--vectors none.npz", "none.npz"),
    ],
)
def test_a_wrong_option_gives_a_one_line_error(more, says, tmp_path, capfd):
    line = f"train cr --data {write_sets(tmp_path / 'data')} --any-size {more}"
    assert ratproof(line, "-o", tmp_path / "run") == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1 and says in err and not (tmp_path / "run").exists()


@pytest.mark.usefixtures("command_line")
def test_every_listed_experiment_can_be_run(capfd):
    assert ratproof("train --list --json") == 0
    listed = {one["name"]: one for one in json.loads(capfd.readouterr().out)["experiments"]}
    text, rules = {"ptb", "sst2", "subj", "cr", "amazon", "imdb", "wikipedia"}, {"atis", "qc", "sms"}
    languages, images = {"tomita", "parentheses", "palindromes", "exchanges"}, {"mnist", "fashion-mnist"}
    assert set(listed) == text | rules | languages | images
    for one in listed.values():
        assert one["runs"] and one["data"] and one["cost"]
        assert ratproof(one["command"], "--help") == 0
    assert ratproof("train --list") == 0
    assert "ratproof train palindromes" in capfd.readouterr().out


def test_a_batch_of_empty_sentences_has_one_step():
    part = EncodedTexts(LabelledTexts(((), ()), (0, 1)), {})
    vectors, lengths, _ = part.at(torch.tensor([0, 1]), torch.ones(1, 3))
    network = SentenceClassifier(Classification(model="rrnn-f", hidden=5), 3)
    assert vectors.shape == (1, 2, 3) and lengths.tolist() == [0, 0]
    assert network(vectors, lengths).isfinite().all()
