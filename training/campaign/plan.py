"""Parser for campaign files, which define runs, their order, and the searches on which they depend.

A campaign is a TOML file. Its parts run in the order of the file::

    name = "text"
    preset = "ours"

    [[part]]
    search = "sst2"
    models = ["rrnn-f", "lstm"]
    trials = 8

    [[part]]
    train = ["sst2", "subj", "cr"]
    models = ["rrnn-f", "lstm"]
    seeds = [0, 1, 2, 3, 4]
    searched = "sst2"

    [[part]]
    train = ["qc"]
    models = ["fa-rnn", "bigru"]
    seeds = [0, 1, 2]
    label = "10-percent"
    preset = "few"
    settings = { share = 0.1 }

If a part has ``searched``, its runs use the settings of the best trial of the search on that data set. The
best trial has the highest accuracy on the dev set. In a part, ``settings`` overrides single settings, and
``preset`` overrides the campaign's preset. If runs of one model on one data set differ in more than the seed,
their parts must have different labels.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError
from automata.io.files import read_text
from training.engine.settings import Settings
from training.experiments import settings_for

LABEL = re.compile(r"(?!seed-\d+$)[a-z0-9][a-z0-9.-]{0,99}")
NAME = re.compile(r"\w[\w .-]{0,99}")
"""The pattern of campaign names, which are also the default names of the campaigns' folders."""
KEYS = {
    "search": ("search", "models", "trials", "settings", "seed"),
    "train": ("train", "models", "seeds", "searched", "settings", "label", "preset"),
}


@dataclass(frozen=True)
class Job:
    """One run of a campaign.

    Attributes:
        name: the name of the run, which is also its folder below the campaign's folder.
        experiment, model, seed: the experiment, the model and the seed.
        trial: the number of the trial of a search; ``None`` for a run with a test.
        trials: the number of trials of the search to which the run belongs, or whose best settings it uses.
        searched: the data set of the search that must finish before the run.
        overrides: settings that override the preset's settings.
        preset: a preset that replaces the campaign's preset.
    """

    name: str
    experiment: str
    model: str
    seed: int
    trial: int | None = None
    trials: int = 0
    searched: str | None = None
    overrides: dict[str, Any] = field(default_factory=dict)
    preset: str | None = None

    @property
    def study(self) -> str:
        """Return the name of the hyperparameter search to which the run belongs, or whose result it uses."""
        return f"{self.searched or self.experiment} {self.model}"


@dataclass(frozen=True)
class Plan:
    """A campaign: its name, the preset of its runs, and the runs in order."""

    name: str
    preset: str
    jobs: tuple[Job, ...]

    def settings(self, job: Job, best: dict[str, Any] | None = None) -> Settings:
        """Return the settings of a run; ``best`` contains the settings of the best trial of its search."""
        overrides = {**(best or {}), **job.overrides, "model": job.model, "seed": job.seed}
        preset = self.preset if job.preset is None else job.preset
        return settings_for(job.experiment, preset, overrides, f"{self.name}, {job.name}")


def read(path: str | Path) -> Plan:
    """Read a campaign from a file.

    Raises :class:`~automata.errors.InputError` if the file is not a campaign; the message contains the part
    and the field.
    """
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: the file must be TOML ({' '.join(str(error).split()):.80})") from None
    strange = next((key for key in data if key not in ("name", "preset", "part")), None)
    if strange is not None:
        raise FormatError(f"{path}: a field must be name, preset or part, got {strange!r:.40}")
    name, preset, parts = data.get("name"), data.get("preset", "paper"), data.get("part")
    if not isinstance(name, str) or not isinstance(preset, str):
        raise FormatError(f"{path}: name must be present, and name and preset must be strings")
    if not NAME.fullmatch(name):
        raise FormatError(
            f"{path}: 'name' must be at most 100 letters, digits, spaces, _, - and ., beginning with a letter"
            f" or a digit, got {name!r:.40}"
        )
    if not isinstance(parts, list) or not parts:
        raise FormatError(f"{path}: the file must have at least one [[part]] table")
    jobs: dict[str, Job] = {}
    searches: dict[str, int] = {}
    for number, part in enumerate(parts, 1):
        for job in _jobs(part, f"{path}, part {number}", searches):
            if job.name in jobs:
                raise FormatError(
                    f"{path}, part {number}: the run {job.name} must not repeat a run of an earlier part;"
                    " give each part a label"
                )
            jobs[job.name] = job
    kept: dict[str, str] = {}
    for each in jobs:
        other = kept.setdefault(kept_name(each), each)
        if other != each:
            raise FormatError(
                f"{path}: the results of {other} and {each} must have different file names; change a label"
            )
    plan = Plan(name, preset, tuple(jobs.values()))
    for job in plan.jobs:
        plan.settings(job)  # report a wrong setting before anything runs
    return plan


def kept_name(name: str) -> str:
    """Return the name of the file that stores the result of this run."""
    return name.replace("/", "-") + ".json"


def _jobs(part: Any, where: str, searches: dict[str, int]) -> list[Job]:
    kind = next((kind for kind in KEYS if isinstance(part, dict) and kind in part), None)
    if kind is None:
        raise FormatError(f"{where}: 'search' or 'train' must be present")
    strange = next((key for key in part if key not in KEYS[kind]), None)
    if strange is not None:
        raise FormatError(f"{where}: a field must be one of {', '.join(KEYS[kind])}, got {strange!r:.40}")
    models, overrides = _words(part, "models", where), part.get("settings", {})
    if not isinstance(overrides, dict):
        raise FormatError(f"{where}: 'settings' must be a table")
    own = next((name for name in ("model", "seed") if name in overrides), None)
    if own is not None:
        raise FormatError(f"{where}: 'settings' must not have {own}; use {own}s of the part")
    if kind == "search":
        return _search(part, models, overrides, where, searches)
    seeds, searched = part.get("seeds"), part.get("searched")
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        raise FormatError(f"{where}: 'seeds' must be a list of integers, got {seeds!r:.40}")
    twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
    if twice is not None:
        raise FormatError(f"{where}: 'seeds' must not repeat a seed, got {twice} more than once")
    if searched is not None and not all(f"{searched} {model}" in searches for model in models):
        raise FormatError(
            f"{where}, searched: an earlier part must search this experiment for its models, got"
            f" {searched!r:.40}"
        )
    label, preset = part.get("label"), part.get("preset")
    if label is not None and not (isinstance(label, str) and LABEL.fullmatch(label)):
        raise FormatError(
            f"{where}: 'label' must be at most 100 lower-case letters, digits, - and ., got {label!r:.40}"
        )
    if preset is not None and not isinstance(preset, str):
        raise FormatError(f"{where}: 'preset' must be a name, got {preset!r:.40}")
    folder = "" if label is None else f"{label}/"
    return [
        Job(
            f"{experiment}/{model}/{folder}seed-{seed}",
            experiment,
            model,
            seed,
            trials=searches.get(f"{searched} {model}", 0),
            searched=searched,
            overrides=overrides,
            preset=preset,
        )
        for model in models
        for experiment in _words(part, "train", where)
        for seed in seeds
    ]


def _search(
    part: dict[str, Any], models: list[str], overrides: dict[str, Any], where: str, searches: dict[str, int]
) -> list[Job]:
    experiment, trials = part["search"], part.get("trials")
    if not isinstance(experiment, str) or type(trials) is not int or not 1 <= trials <= 10**4:
        raise FormatError(
            f"{where}: search must be the name of an experiment, and trials an integer from 1 to 10,000"
        )
    from training.experiment_list import RECORDS
    from training.rational_recurrences.search import SPACE, drawn

    searched = [record.name for record in RECORDS if record.searched]
    if experiment not in searched:
        raise FormatError(f"{where}: 'search' must be one of {', '.join(searched)}, got {experiment!r:.40}")

    seed = part.get("seed", 0)
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise FormatError(f"{where}: 'seed' must be an integer from 0 to 2^32 - 1, got {seed!r:.40}")
    both = next((name for name in overrides if name in SPACE), None)
    if both is not None:
        raise FormatError(f"{where}: 'settings' must not have {both}, which is searched")
    searches |= {f"{experiment} {model}": trials for model in models}
    return [
        Job(
            f"search/{experiment}/{model}/trial-{trial}",
            experiment,
            model,
            0,
            trial,
            trials,
            overrides={**params, **overrides},
        )
        for model in models
        for trial, params in enumerate(drawn(trials, seed))
    ]


def _words(part: dict[str, Any], key: str, where: str) -> list[str]:
    words = part.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise InputError(f"{where}: '{key}' must be a list of names, got {words!r:.40}")
    twice = next((word for word in words if words.count(word) > 1), None)
    if twice is not None:
        raise FormatError(f"{where}: '{key}' must not repeat a name, got {twice!r:.40} more than once")
    return words
