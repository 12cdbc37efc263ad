"""Tests that training with each preset reduces the loss.

They run the preset's own network, sizes and lengths on small data, with batches that fit these data.
Presets with equal recipes run once: those of SST-2 also stand for Subj and CR, those of ATIS for TREC, SMS
and the user's own sentences, and those of MNIST for Fashion-MNIST.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import ratproof
from proofs_tests.training.images_and_reviews import write_images, write_reviews
from proofs_tests.training.sentences import GOOD, OTHER, write, write_rule_sets, write_sets
from training.data_folder import Data
from training.engine.names import STEPS
from training.engine.run import Where
from training.experiment_list import RECORDS, Experiment, record_of
from training.experiments import settings_for


def write_repetitions(folder: Path) -> Path:
    """Write a folder with ptb and wikipedia, in which half of the words are equal."""
    text = 20 * (" ".join((*OTHER, *len(OTHER) * GOOD[:1])) + "\n")
    for part in ("train", "valid", "test"):
        write(folder / f"ptb/ptb.{part}.txt", text)
        write(folder / f"wikipedia/{part}.txt", text)
    return folder


DATA: dict[str, Callable[[Path], Path]] = {
    "sst2": write_sets,
    "amazon": write_sets,
    "ptb": write_repetitions,
    "atis": write_rule_sets,
    "mnist": write_images,
    "imdb": write_reviews,
    "wikipedia": write_repetitions,
}
SAME = {"subj": "sst2", "cr": "sst2", "qc": "atis", "sms": "atis", "fa-rnn": "atis", "fashion-mnist": "mnist"}
"""The experiments that have the recipes of another one."""
UNTRAINED = "zero-shot"
TOO_SLOW = "paper-24m"
"""Three layers, which stay at the frequencies of words for more than 60 steps of half a second."""
STEPS_OF: dict[str | tuple[str, str], int] = {
    "ptb": 15,
    "wikipedia": 10,
    "mnist": 10,
    ("atis", "few"): 600,
    ("atis", "some"): 300,
    ("ptb", "small"): 50,
}
"""The number of steps of slow networks, and of networks that know the rules at first; the others run 50."""
LONG = {"epochs": 10**6, "patience": 10**6, "halve_after": 10**6}
"""Small data have many epochs in few steps."""
LESS: dict[str, dict[str, Any]] = {
    "ptb": {"batch": 2, "decay_after": 10**6},
    "wikipedia": {"batch": 4, "decay_after": 10**6},
    "mnist": {"batch": 30},
    "atis": {"share": 1.0, "batch": 32},
    "tomita": {"grammar": 1},
    "dfa": {"file": "even.json"},
}
"""Batches of small data, all of their sentences, and languages that are learned fast."""
MODELS = {"plain": ("bigru",), "taught": ("bigru+kd",), "cnn": ("cnn",)}
"""The models of presets for some models only, by the end of the preset's name."""


def models_of(record: Experiment, preset: str) -> tuple[str, ...]:
    """Return the models to train with a preset."""
    if record.name in ("mnist", "imdb") and preset.startswith("paper"):
        return ("lstm", "sr-lstm-p")
    if record.name in ("palindromes", "exchanges"):
        return ("lstm",)  # models with centroids need more steps
    return MODELS.get(preset.rpartition("-")[2], (record.only_model or record.settings().model,))


CASES = [
    (record.name, preset, model)
    for record in RECORDS
    if record.name not in SAME
    for preset in record.presets
    if preset not in (UNTRAINED, TOO_SLOW)
    for model in models_of(record, preset)
]


class Enough(Exception):
    """Raised to end a run."""


def losses(experiment: str, preset: str, model: str, folder: Path) -> list[float]:
    """Return the losses of the first steps of a run, without the last one."""
    data, steps, calls = folder / "data", STEPS_OF.get((experiment, preset), STEPS_OF.get(experiment, 50)), 0
    if experiment in DATA:
        DATA[experiment](data)
    else:
        data = Path(ratproof.__file__).parent / "examples"
    record = record_of(experiment, model)
    assert record is not None
    settings = settings_for(experiment, preset, {**LONG, **LESS.get(experiment, {}), "model": model}, preset)

    def stop() -> bool:
        nonlocal calls
        calls += 1
        if calls > steps:
            raise Enough
        return False

    run = record.start(settings, Data(data, any_size=True))
    with suppress(Enough):
        run.run(Where(folder / "run", keep_every=0, log_every=1, tensorboard=False), stop)
    with (folder / "run" / STEPS).open() as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("experiment", "preset", "model"), CASES)
def test_the_loss_falls(experiment: str, preset: str, model: str, tmp_path: Path) -> None:
    """The losses of the last steps are below those of the first steps, for three quarters of the pairs."""
    every = losses(experiment, preset, model, tmp_path)
    few = max(2, len(every) // 5)
    assert mean(one > other for one in every[:few] for other in every[-few:]) > 0.75


def test_equal_recipes_have_equal_presets() -> None:
    for name, other in SAME.items():
        own, others = (record_of(one) for one in (name, other))
        assert own is not None and others is not None and own.run == others.run
