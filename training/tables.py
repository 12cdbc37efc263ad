"""The tables of the experiments; each group of :mod:`training.groups` forms one row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, stdev
from typing import Any

from neural.state_regularized.component import finite
from training.classification_with_rules import tables as with_rules
from training.experiment_list import record_of
from training.groups import (
    RunGroup,
    Table,
    by_unique_key,
    command_of,
    differing_settings,
    groups_of,
    with_settings,
)
from training.language_recognition import tables as recognition
from training.rational_recurrences.search import SPACE
from training.state_regularized import tables as languages


@dataclass(frozen=True)
class ResultRow:
    """A model on a data set, with the test accuracies of its seeds.

    Attributes:
        experiment, model: the experiment and the model.
        seeds: the seeds that were run.
        accuracies: the accuracies, in the order of the seeds.
        mean: the mean of the accuracies.
        deviation: the standard deviation of the accuracies; ``None`` for one seed.
        standard_error: the standard error of one accuracy, from the size of the test set.
        paper, paper_deviation: the paper's figures.
        units: the number of units of all seeds that were decided to be equal to their automata; ``None`` for
            a network that is not rational.
        seconds: the mean training time.
        sentences: the size of the test set.
        scale: for long sequences, the part of an image or a review that was read; otherwise empty.
        settings: the settings in which the row differs from the other rows of the same experiment, model and
            scale.
        command: the command for the first seed, or ``None``.
    """

    experiment: str
    model: str
    seeds: tuple[int, ...]
    accuracies: tuple[float, ...]
    mean: float
    deviation: float | None
    standard_error: float | None
    paper: float | None
    paper_deviation: float | None
    units: int | None
    seconds: float
    sentences: int | None
    scale: str
    settings: dict[str, Any]
    command: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        return asdict(self)


def rows_of(results: Sequence[dict[str, Any]]) -> list[ResultRow]:
    """Return a row for each model on each data set, from the results with a test accuracy."""
    groups = groups_of(one for one in results if one["metrics"].get("test_accuracy") is not None)
    differing = differing_settings(groups, lambda group: (group.name, group.model, _scale(group.settings)))
    return [_row(group, settings) for group, settings in zip(groups, differing, strict=True)]


def row_of_each_model(results: Sequence[dict[str, Any]]) -> dict[str, ResultRow]:
    """Return the row of each model; raise ValueError if a model has several rows."""
    return by_unique_key(rows_of(results), lambda row: row.model)


def tables(results: Sequence[dict[str, Any]]) -> list[Table]:
    """Return each table with its title, header and rows, as text."""
    others = [one for one in results if not with_rules.is_with_rules(one)]
    return [
        *with_rules.tables(results),
        *recognition.tables(results),
        *languages.tables(results),
        *_accuracies(others),
        *_perplexities(others),
        *_searches(others),
    ]


def warnings(results: Sequence[dict[str, Any]]) -> list[str]:
    """Return the warnings about rows with contradictory results for one seed."""
    return [group.warning for group in groups_of(results) if group.warning]


def commands(results: Sequence[dict[str, Any]]) -> Table:
    """Return a table with a row for each group of results, and the command that repeats its first run."""
    rows = [
        [
            group.name,
            group.model,
            " ".join(map(str, group.seeds)),
            command_of(group.runs[0]) or "only in a campaign",
        ]
        for group in groups_of(results)
    ]
    return "commands of the first seeds", ["experiment", "model", "seeds", "command"], rows


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in % without the percent sign; return a dash for ``None``."""
    return "-" if share is None else f"{100 * share:.{digits}f}"


def _accuracies(results: Sequence[dict[str, Any]]) -> Iterator[Table]:
    rows = rows_of(results)
    for experiment in dict.fromkeys(row.experiment for row in rows):
        group, record = [row for row in rows if row.experiment == experiment], record_of(experiment)
        sizes = sorted({row.sentences for row in group if row.sentences is not None})
        count = ", ".join(f"{size:,}" for size in sizes) or "some"
        examples = "sentences" if record is None else record.examples
        yield with_settings(
            f"{experiment}: test accuracy in %, {count} test {examples} (error: the standard error)",
            ["model", "seeds", "mean", "deviation", "error", "paper", "decided", "seconds"],
            [_cells(row) for row in group],
            [row.settings for row in group],
        )


def _row(group: RunGroup, settings: dict[str, Any]) -> ResultRow:
    runs = group.runs
    accuracies = [run["metrics"]["test_accuracy"] for run in runs]
    decided = [run["decided"]["units"] for run in runs if run.get("decided")]
    paper = runs[0]["paper"] or {}
    size = runs[0].get("data", {}).get("test", {}).get("sentences")
    average = mean(accuracies)
    error = None if size is None else math.sqrt(average * (1 - average) / size)
    return ResultRow(
        experiment=group.name,
        model=group.model,
        seeds=group.seeds,
        accuracies=tuple(accuracies),
        mean=average,
        deviation=stdev(accuracies) if len(accuracies) > 1 else None,
        standard_error=error,
        paper=paper.get("test_accuracy"),
        paper_deviation=paper.get("standard_deviation"),
        units=sum(decided) if decided else None,
        seconds=mean(run["seconds"] for run in runs),
        sentences=size,
        scale=_scale(group.settings),
        settings=settings,
        command=command_of(runs[0]),
    )


def _scale(configuration: dict[str, Any]) -> str:
    side, length = configuration.get("side"), configuration.get("length")
    if type(side) is int:
        return f"{side}x{side} {configuration.get('order')}"
    return f"{length or 'all'} words" if type(length) is int else ""


def _cells(row: ResultRow) -> list[str]:
    paper = percent(row.paper)
    if row.paper_deviation is not None:
        paper += f" ± {percent(row.paper_deviation)}"
    return [
        f"{row.model}, {row.scale}" if row.scale else row.model,
        str(len(row.seeds)),
        percent(row.mean),
        percent(row.deviation),
        percent(row.standard_error),
        paper,
        "-" if row.units is None else f"{row.units:,}",
        f"{row.seconds:.0f}",
    ]


def _perplexities(results: Sequence[dict[str, Any]]) -> Iterator[Table]:
    every = groups_of(one for one in results if one["metrics"].get("test_perplexity") is not None)
    header = ["model", "seeds", "parameters", "dev", "test", "paper", "decided", "words/s"]
    for name in dict.fromkeys(group.name for group in every):
        groups = [group for group in every if group.name == name]
        rows = []
        for group in groups:
            printed = (group.runs[0]["paper"] or {}).get("test_perplexity")
            decided = [run["decided"]["units"] for run in group.runs if run.get("decided")]
            rows.append(
                [
                    group.model,
                    str(len(group.seeds)),
                    f"{group.mean('parameters'):,.0f}",
                    *(f"{group.mean(f'{part}_perplexity'):.1f}" for part in ("dev", "test")),
                    f"{printed:.1f}" if finite(printed) else "-",
                    f"{sum(decided):,}" if decided else "-",
                    f"{group.mean('tokens_per_second'):,.0f}",
                ]
            )
        differing = differing_settings(groups, lambda group: group.model)
        yield with_settings(f"{name}: perplexity", header, rows, differing)


def _searches(results: Sequence[dict[str, Any]]) -> Iterator[Table]:
    trials: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for group in groups_of(filter(_is_trial, results)):
        trials.setdefault((group.name, group.model, group.data), []).extend(group.runs)
    rows = []
    for (name, model, _), runs in trials.items():
        scores = [run["metrics"].get("dev_accuracy") or 0.0 for run in runs]
        best = runs[scores.index(max(scores))]["configuration"]
        rows.append(
            [name, model, str(len(runs)), percent(max(scores)), percent(min(scores)), _settings(best)]
        )
    header = ["experiment", "model", "trials", "best", "worst", "settings of the best"]
    if rows:
        yield "searches: dev accuracy in %, no test set was read", header, rows


def _is_trial(result: dict[str, Any]) -> bool:
    metrics = result["metrics"]
    return (
        "dev_accuracy" in metrics
        and "test_accuracy" not in metrics
        and not recognition.is_recognition(result)
    )


def _settings(configuration: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {configuration[name]:.3g}"
        for name in dict.fromkeys(["hidden", "rate", *SPACE])
        if isinstance(configuration.get(name), int | float)
    )
