"""Groups of results that form a row of a table: runs with the same model, settings and data."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from statistics import mean
from typing import Any, TypeVar

from automata.errors import InputError
from training.engine.results import RATE
from training.engine.settings import Settings, option
from training.experiment_list import RECORDS, Experiment, record_of

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Table = tuple[str, list[str], list[list[str]]]
"""A table's title, header and rows, as text."""
NOT_A_RECIPE = ("model", "seed")
"""The settings that are not compared: the model has its own column, and a row has several seeds."""


@dataclass(frozen=True)
class RunGroup:
    """The runs of one recipe on the same data.

    Attributes:
        name: the experiment; for the user's own data, followed by the name of its folder.
        model: the model.
        data: the digest of the data.
        settings: all settings except the model and the seed.
        runs: the results, one for each seed, ordered by seed.
        disagreeing: the seeds that have several results with different metrics.
    """

    name: str
    model: str
    data: str
    settings: dict[str, Any]
    runs: tuple[dict[str, Any], ...]
    disagreeing: tuple[int, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """Return the seeds."""
        return tuple(run["seed"] for run in self.runs)

    def mean(self, metric: str) -> float:
        """Return the mean of a metric over the seeds; a missing value counts as 0."""
        return mean(run["metrics"].get(metric) or 0 for run in self.runs)

    @property
    def warning(self) -> str:
        """Return a sentence about the seeds whose results disagree, or the empty string."""
        seeds = ", ".join(map(str, self.disagreeing))
        return seeds and (
            f"{self.name} {self.model}: the results of seed {seeds} disagree; the first result of a seed is"
            " used"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the group as a JSON object."""
        return {
            "experiment": self.name,
            "model": self.model,
            "settings": self.settings,
            "data": self.data,
            "seeds": list(self.seeds),
            "disagreeing": list(self.disagreeing),
            "command": command_of(self.runs[0]),
        }


def name_of(result: dict[str, Any]) -> str:
    """Return the name of the experiment; for the user's own data, followed by the name of its folder.

    >>> name_of({"experiment": "fa-rnn", "data": {"folder": "home"}}), name_of({"experiment": "qc"})
    ('fa-rnn, home', 'qc')
    """
    folder = result.get("data", {}).get("folder")
    return f"{result['experiment']}, {folder}" if isinstance(folder, str) else str(result["experiment"])


def data_digest(result: dict[str, Any]) -> str:
    """Return a digest of the description of a result's data and of the automaton to learn."""
    described = json.dumps([result.get("data"), result.get("dfa")], sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()[:8]


def settings_of(result: dict[str, Any]) -> dict[str, Any]:
    """Return all settings of a result except the model and the seed.

    If a result is older than a setting, the setting has its default. Retired settings without an effect are
    omitted.
    """
    record = record_of(result["experiment"], result["model"])
    kind = Settings if record is None else record.settings
    every = ({} if record is None else _defaults(kind)) | result["configuration"]
    without_effect = {name for name, (other, value) in kind.retired.items() if every.get(other) != value}
    return {
        name: every[name] for name in sorted(every) if name not in NOT_A_RECIPE and name not in without_effect
    }


def groups_of(results: Iterable[dict[str, Any]]) -> list[RunGroup]:
    """Group results by experiment, model, settings and data; each seed counts once.

    The groups are ordered by their first results.
    """
    every: dict[tuple[str, str, str, str], list[dict[str, Any]]] = {}
    for one in results:
        key = (name_of(one), one["model"], data_digest(one), repr(settings_of(one)))
        every.setdefault(key, []).append(one)
    return [_group(name, model, data, runs) for (name, model, data, _), runs in every.items()]


def by_unique_key(items: Iterable[T], key: Callable[[T], K]) -> dict[K, T]:
    """Return a dictionary that maps the key of each item, ``key(item)``, to the item.

    Raises:
        ValueError: If two items have the same key, because a table would omit one of them.
    """
    result: dict[K, T] = {}
    for item in items:
        if result.setdefault(key(item), item) is not item:
            raise ValueError(f"{key(item)}: a row must have one recipe and one set of data, got several")
    return result


def differing_settings(
    groups: Sequence[RunGroup], shown: Callable[[RunGroup], Hashable]
) -> list[dict[str, Any]]:
    """Return, for each group, the settings in which it differs from other groups.

    A group is compared with the groups for which the function ``shown`` returns the same value. If two of
    them differ only in the data, the settings include the digest of the data, as ``data``.
    """
    alike: dict[Hashable, list[RunGroup]] = {}
    for group in groups:
        alike.setdefault(shown(group), []).append(group)
    result = []
    for group in groups:
        others = [other for other in alike[shown(group)] if other is not group]
        settings = {
            name: value
            for name, value in group.settings.items()
            if any(name not in other.settings or other.settings[name] != value for other in others)
        }
        is_alone = all(other.settings != group.settings for other in others)
        result.append(settings if is_alone else settings | {"data": group.data})
    return result


def in_words(settings: dict[str, Any]) -> str:
    """Return settings as text, with floats rounded to three digits.

    >>> in_words({"hidden": 114, "rate": 0.0036000911, "order": "normal"})
    'hidden 114, rate 0.0036, order normal'
    """
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value or repr(value)}"
        for name, value in settings.items()
    )


def with_settings(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], differing: Sequence[dict[str, Any]]
) -> Table:
    """Return the table with the differing settings in an additional last column, if there are any."""
    if not any(differing):
        return title, list(header), [list(row) for row in rows]
    body = [[*row, in_words(settings)] for row, settings in zip(rows, differing, strict=True)]
    return title, [*header, "settings"], body


def command_of(result: dict[str, Any]) -> str | None:
    """Return the command that repeats a run, or ``None`` if no command has all required options.

    The command names the preset that needs the fewest additional options.
    """
    record = record_of(result["experiment"], result["model"])
    main = next((one for one in RECORDS if one.name == result["experiment"] and one.does), None)
    if record is None or main is None:
        return None
    model, own = result["model"], settings_of(result)
    options = {name: _options_with(record, preset, model, own) for name, preset in record.presets.items()}
    preset = min(options, key=lambda name: len(options[name]))
    values = {"model": model} | {name: own[name] for name in main.required} | options[preset]
    values["seed"] = result["seed"]
    file = [str(values.pop("file"))] if main.file and "file" in values else []
    if not set(values) <= {one.name for one in fields(main.settings)}:
        return None
    data = ["--data", "DIR"] if "data" in main.options else []
    words = ["ratproof", *main.command.split(), *file, *data]
    words += ["--recipe" if main.recipes else "--preset", preset]
    for name, value in values.items():
        words += _as_option(name, value)
    return shlex.join(words)


def _defaults(settings: type[Settings]) -> dict[str, Any]:
    return {one.name: one.default for one in fields(settings)}


def _options_with(
    record: Experiment, preset: dict[str, Any], model: str, own: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings of a run that differ from a preset; a command with the preset must pass them."""
    base = _defaults(record.settings) | preset
    with suppress(InputError):  # the preset alone may not fit the model
        base = record.settings(**{**preset, "model": model}).to_json()
    return {name: value for name, value in own.items() if name not in base or base[name] != value}


def _as_option(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [option(name) if value else f"--no-{option(name)[2:]}"]
    return [option(name), str(value)]


def _group(name: str, model: str, data: str, every: list[dict[str, Any]]) -> RunGroup:
    by_seed: dict[int, list[dict[str, Any]]] = {}
    for run in every:
        by_seed.setdefault(int(run["seed"]), []).append(run)
    runs = tuple(by_seed[seed][0] for seed in sorted(by_seed))
    disagreeing = (seed for seed, own in by_seed.items() if any(_disagree(own[0], one) for one in own[1:]))
    return RunGroup(name, model, data, settings_of(every[0]), runs, tuple(sorted(disagreeing)))


def _disagree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether the metrics of two results differ; speeds are ignored."""
    a, b = one["metrics"], other["metrics"]
    return any(a[name] != b[name] for name in a.keys() & b.keys() if not name.endswith(RATE))
