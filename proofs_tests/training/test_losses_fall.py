"""Tests that training with each preset reduces the loss within 50 steps.

The criterion was fixed before it was first applied: the mean training loss of the last fifth of the steps is
below that of the first tenth, with seed 1. The data are small sets in the published formats or, if
``RATPROOF_DATA`` is set, the published sets. Only the widths of slow presets and the drawn sets of strings
are smaller. Equal recipes run once. Epochs are not measured: each counts as an improvement.

An FA-RNN runs for 200 steps, because on the small sets 50 steps are not enough. It starts with the rules, so
that in 50 steps its loss decreases by less than the difference between batches. On the published sets, 50
steps are enough.

In a language model, 50 steps mainly train the biases of the words, because torch's initial weights reduce the
norm of an RRNN(F)'s outputs to a tenth per layer.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import ratproof
from proofs_tests.training.images_and_reviews import write_articles, write_images, write_reviews
from proofs_tests.training.sentences import write_rule_sets, write_sets, write_text
from training.classification_with_rules.settings import FA
from training.data_folder import Data
from training.engine.loop import Loop
from training.engine.processes import fabric_for
from training.engine.settings import Settings
from training.engine.task import Task
from training.experiment_list import RECORDS, Experiment, record_of
from training.experiments import settings_for
from training.language_recognition import palindromes, parentheses
from training.state_regularized import strings
from training.state_regularized.languages import language_of
from training.state_regularized.settings import Recipe
from training.state_regularized.task import LearningTask

STEPS, OF_RULES, SEED = 50, 200, 1
UNTRAINED = "zero-shot"
MODELS = {"plain": "bigru", "taught": "bigru+kd", "cnn": "cnn"}
"""The models of the presets that apply only to some models, keyed by the end of the preset's name."""
FAMILIES = {
    **dict.fromkeys(("subj", "cr", "amazon"), "sst2"),
    **dict.fromkeys(("fa-rnn", "atis", "qc", "sms"), "re2rnn"),
    "fashion-mnist": "mnist",
}
"""For experiments that share their data with others: the key of the data in ``WRITERS``."""
WIDTHS: dict[str, dict[str, int]] = {
    "ptb": {"hidden": 64},
    "wikipedia": {"hidden": 64, "k": 50},
    "imdb": {"hidden": 64},
    "mnist": {"hidden": 32},
    "fashion-mnist": {"hidden": 32},
}
"""The smaller widths of presets whose steps are slow."""
OPTIONS: dict[str, dict[str, Any]] = {
    "tomita": {"grammar": 1},
    "dfa": {"file": "even.json"},
    "mnist": {"model": "lstm"},
    "fashion-mnist": {"model": "lstm"},
    "imdb": {"model": "lstm"},
}
"""Options that the presets do not set."""
PALINDROMES = ((11504, 11494), (2500, 2500))
PARENTHESES = {"large": ((1302, 926), (358, 312)), "small": parentheses.SIZES["small"]}
"""A tenth of the paper's numbers of strings."""


def settings_of(record: Experiment, preset: str, **more: object) -> Settings:
    """Return the settings of a preset, for a model to which it applies."""
    own = {"model": MODELS.get(preset.rpartition("-")[2], record.settings().model)}
    options = {**own, "seed": SEED, **WIDTHS.get(record.name, {}), **OPTIONS.get(record.name, {}), **more}
    return settings_for(record.name, preset, options, preset)


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield the experiment, the preset and the model of each distinct recipe that trains."""
    seen = set()
    for record in RECORDS:
        for preset in record.presets:
            if preset != UNTRAINED:
                settings = settings_of(record, preset)
                recipe = FAMILIES.get(record.name, record.name), settings
                if recipe not in seen:
                    seen.add(recipe)
                    yield record.name, preset, settings.model


def write_rules(folder: Path) -> None:
    """Write sentences with rules and word vectors, also in the folder of a user's own sentences."""
    write_rule_sets(folder, 2000, ragged=True)
    shutil.copytree(folder / "glove", folder / "re2rnn/TREC/glove")


WRITERS: dict[str, Callable[[Path], object]] = {
    "sst2": lambda folder: write_sets(folder, 3200),
    "re2rnn": write_rules,
    "ptb": lambda folder: write_text(folder, 9000),
    "imdb": lambda folder: write_reviews(folder, 3600),
    "mnist": lambda folder: write_images(folder, 3900, border=4),
    "wikipedia": lambda folder: write_articles(folder, 9000),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return a function that returns the data of an experiment, and writes them in the first call."""
    root = tmp_path_factory.mktemp("data")

    def of(experiment: str) -> Data:
        name = FAMILIES.get(experiment, experiment)
        own = Path(os.environ.get("RATPROOF_DATA", root / name))
        if name not in WRITERS:
            return Data(Path(ratproof.__file__).parent / "examples")
        if not own.exists():
            WRITERS[name](own)
        return Data(own / "re2rnn/TREC") if experiment == "fa-rnn" else Data(own, any_size=True)

    return of


def task_of(record: Experiment, settings: Settings, data: Data) -> Task:
    if isinstance(settings, Recipe):
        language = language_of(settings, data.folder)
        drawn = strings.draw(language, settings.seed, settings.near_misses)
        return LearningTask(language.alphabet, settings, *drawn)
    run = record.start(settings, data, test=False)
    run.read()
    return run.build()


def losses(
    record: Experiment, settings: Settings, data: Data, steps: int, monkeypatch: pytest.MonkeyPatch
) -> list[float]:
    result: list[float] = []
    task, scores = task_of(record, settings, data), count()
    monkeypatch.setattr(task, "measure", lambda network: (float(next(scores)), {"dev": 0.0}))
    loop = Loop(task, settings, fabric_for(settings.device, settings.precision))
    outcome = loop.run(stop=lambda: len(result) == steps, progress=lambda step: result.append(step.loss))
    assert len(result) == steps or (outcome == "trained" and task.finished)
    return result


@pytest.mark.parametrize(("experiment", "preset", "model"), list(cases()))
def test_the_loss_falls(experiment, preset, model, data, monkeypatch):
    monkeypatch.setattr(palindromes, "SIZES", PALINDROMES)
    monkeypatch.setattr(parentheses, "SIZES", PARENTHESES)
    record = record_of(experiment, model)
    assert record is not None
    settings = settings_of(record, preset)
    every = losses(record, settings, data(experiment), OF_RULES if model in FA else STEPS, monkeypatch)
    assert mean(every[-len(every) // 5 :]) < mean(every[: len(every) // 10]), every
