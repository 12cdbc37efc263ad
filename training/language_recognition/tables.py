"""The tables of language recognition; each group of :mod:`training.groups` forms one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean
from typing import Any

from training.groups import RunGroup, Table, differing_settings, groups_of, in_words
from training.language_recognition.settings import MODELS, PRESETS, Recognition

DEFAULTS = Recognition(model="lstm").to_json()
EXPERIMENTS = ("tomita", "parentheses", "palindromes", "exchanges")
METHODS = {True: "ours", False: "the paper's"}
FIRST = "first recipe"
PREFIX = "test_error "
OF_FINISH = " epochs of finish"


@dataclass(frozen=True)
class RecognitionRow:
    """A row: the runs of a model with one training method on one data set.

    Attributes:
        experiment, size, model: the experiment, the size of its data set, and the model.
        centroids: k; ``None`` for a model without centroids.
        method: ``ours``, possibly with another final phase of training (the finish), or ``the paper's``.
        seeds: the seeds of the runs.
        errors: the error rates of each seed, by test set, as fractions.
        paper: the paper's error rates, by test set.
        lengths: the final length of the curriculum, for each seed.
        restarts: the number of restarts, for each seed.
        counters: the accuracy of the cell state as a counter, for each seed that has it.
        seconds: the mean training time.
        settings: the settings in which the row differs from other rows with the same text.
    """

    experiment: str
    size: str
    model: str
    centroids: int | None
    method: str
    seeds: tuple[int, ...]
    errors: dict[str, tuple[float, ...]]
    paper: dict[str, float]
    lengths: tuple[float, ...]
    restarts: tuple[int, ...]
    counters: tuple[dict[str, float], ...]
    seconds: float
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """Return the model, followed by k unless k is the paper's 5."""
        return self.model if self.centroids in (None, 5) else f"{self.model}, k = {self.centroids}"


def is_recognition(result: dict[str, Any]) -> bool:
    """Return whether a result is of language recognition and has errors on test sets."""
    return (
        result["experiment"] in EXPERIMENTS
        and result["model"] in MODELS
        and type(result["configuration"].get("centroids", 0)) is int
        and any(name.startswith(PREFIX) for name, error in result["metrics"].items() if error is not None)
    )


def rows_of(results: Sequence[dict[str, Any]]) -> list[RecognitionRow]:
    """Return the rows in the order of the models; our method comes before the paper's."""
    groups = groups_of(filter(is_recognition, results))
    differing = differing_settings(groups, lambda group: _shown(_row(group, {})))
    rows = [_row(group, settings) for group, settings in zip(groups, differing, strict=True)]
    return sorted(
        rows,
        key=lambda row: (row.experiment, row.size, row.centroids or 0, MODELS.index(row.model), row.method),
    )


def tables(results: Sequence[dict[str, Any]]) -> list[Table]:
    """Return each table with its title, header and rows, as text."""
    rows, result = rows_of(results), []
    for experiment, size in dict.fromkeys((row.experiment, row.size) for row in rows):
        own = [row for row in rows if (row.experiment, row.size) == (experiment, size)]
        columns = list(dict.fromkeys(name for row in own for name in row.errors))
        which = f", {size} set" if experiment == "parentheses" else ""
        title = f"{experiment}{which}: wrong in % at depth/length (100 if omitted; x: exchanged)"
        header, lines = ["model", "method", "n", *map(_short, columns)], list(_lines(own, columns))
        if any(row.settings for row in own):
            header.append("settings")
        result.append((title, header, [line[: len(header)] for line in lines]))
    return result


def _shown(row: RecognitionRow) -> tuple[str, str, str, str]:
    """Return the texts that identify a row in the tables."""
    return row.experiment, row.size, row.name, row.method


def _lines(rows: Sequence[RecognitionRow], columns: Sequence[str]) -> Iterator[list[str]]:
    for name, same in groupby(rows, lambda row: row.name):
        printed: dict[str, float] = {}
        for row in same:
            yield [
                _abbreviated(name),
                "paper's"
                if row.method == METHODS[False]
                else row.method.removesuffix(OF_FINISH).replace(FIRST, "first"),
                str(len(row.seeds)),
                *(_percent(row.errors.get(c, ())) for c in columns),
                in_words(row.settings),
            ]
            printed |= row.paper
        if printed:
            yield [
                _abbreviated(name),
                "printed",
                "",
                *(_percent([printed[c]] if c in printed else []) for c in columns),
                "",
            ]


def _abbreviated(name: str) -> str:
    return name.replace(", k = ", " k")


def _percent(shares: Sequence[float]) -> str:
    return f"{100 * mean(shares):.2f}" if shares else "-"


def _short(column: str) -> str:
    """Abbreviate a test set's name: ``20/1k`` for depth 20 and length 1,000, ``20`` for length 100."""
    if not column.startswith("d "):
        return column.removeprefix("l ").replace(", exchanged", "x")
    depth, length = column.removeprefix("d ").split(", l ")
    deepest = depth.split("-")[-1]
    return deepest if length == "100" else f"{deepest}/{length.replace('000', 'k')}"


def method_of(result: dict[str, Any]) -> str:
    """Return the name of the training method of a result.

    It is the paper's method, or ours, which uses Adam, with noise except on palindromes. For parentheses,
    an earlier version of our method has its own name. If the number of epochs of the final phase (the
    finish) differs from the preset's, the name includes this number.
    """
    how = DEFAULTS | result["configuration"]
    method = METHODS[how["optimiser"] == "adam"]
    presets = PRESETS.get(str(result.get("experiment")), {})
    if method == METHODS[True] and "first" in presets and how["restart_after"] == DEFAULTS["restart_after"]:
        method = FIRST
    usual = presets.get({FIRST: "first"}.get(method, method), {}).get("finish")
    return method if usual in (None, how["finish"]) else f"{method}, {how['finish']}{OF_FINISH}"


def _row(group: RunGroup, settings: dict[str, Any]) -> RecognitionRow:
    runs = group.runs
    configuration, metrics = runs[0]["configuration"], [run["metrics"] for run in runs]
    names = dict.fromkeys(name for own in metrics for name in own if name.startswith(PREFIX))
    errors = {name: tuple(own[name] for own in metrics if own.get(name) is not None) for name in names}
    return RecognitionRow(
        experiment=runs[0]["experiment"],
        size=str(configuration.get("size")),
        model=runs[0]["model"],
        centroids=configuration.get("centroids") if runs[0]["model"].startswith("sr-") else None,
        method=method_of(runs[0]),
        seeds=group.seeds,
        errors={name.removeprefix(PREFIX): shares for name, shares in errors.items() if shares},
        paper=(runs[0]["paper"] or {}).get("errors", {}),
        lengths=tuple(own.get("curriculum_length") or 0.0 for own in metrics),
        restarts=tuple(own.get("restarts") or 0 for own in metrics),
        counters=tuple(run["counter"] for run in runs if run.get("counter")),
        seconds=mean(run["seconds"] for run in runs),
        settings=settings,
    )
