"""The tables of the experiments; results of runs that differ only in the seed form one row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, stdev
from typing import Any

from neural.state_regularized.component import finite
from training.classification_with_rules import tables as with_rules
from training.experiment_list import recipe_name, record_of
from training.language_recognition import tables as recognition
from training.rational_recurrences.search import SPACE
from training.state_regularized import tables as languages

Table = tuple[str, list[str], list[list[str]]]
"""A table's title, header and rows, as text."""


@dataclass(frozen=True)
class ResultRow:
    """A model on a set, with the test accuracies of its seeds.

    Attributes:
        experiment, model: the experiment and the model.
        seeds: the seeds that were run.
        accuracies: the accuracies of the seeds, in order.
        mean, deviation: the mean and the deviation of the accuracies; the deviation is ``None`` for one seed.
        standard_error: the standard error of one accuracy, from the size of the test part.
        paper, paper_deviation: the paper's figures.
        units: the number of units of all seeds that were decided to be equal to their automata; ``None`` for
            a network that is not rational.
        seconds: the mean training time.
        sentences: the size of the test part.
        scale: the part of an image or a review that was read, for long sequences; otherwise empty.
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
    scale: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        return asdict(self)


def rows_of(results: Sequence[dict[str, Any]]) -> list[ResultRow]:
    """Return a row for each model on each set, from the results with a test accuracy."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for one in results:
        if one["metrics"].get("test_accuracy") is not None:
            groups.setdefault((name_of(one), one["model"], recipe_name(one)), []).append(one)
    return [_row(*name[:2], runs) for name, runs in groups.items()]


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


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in %, without the sign, or a dash for none."""
    return "-" if share is None else f"{100 * share:.{digits}f}"


def name_of(result: dict[str, Any]) -> str:
    """Return the experiment, followed by the folder for the user's own data.

    >>> name_of({"experiment": "fa-rnn", "data": {"folder": "home"}}), name_of({"experiment": "qc"})
    ('fa-rnn, home', 'qc')
    """
    folder = result.get("data", {}).get("folder")
    return f"{result['experiment']}, {folder}" if isinstance(folder, str) else str(result["experiment"])


def _accuracies(results: Sequence[dict[str, Any]]) -> Iterator[Table]:
    rows = rows_of(results)
    for experiment in dict.fromkeys(row.experiment for row in rows):
        group, record = [row for row in rows if row.experiment == experiment], record_of(experiment)
        sizes = sorted({row.sentences for row in group if row.sentences is not None})
        count = ", ".join(f"{size:,}" for size in sizes) or "some"
        examples = "sentences" if record is None else record.examples
        yield (
            f"{experiment}: test accuracy in %, {count} test {examples} (error: the standard error)",
            ["model", "seeds", "mean", "deviation", "error", "paper", "decided", "seconds"],
            [_cells(row) for row in group],
        )


def _row(experiment: str, model: str, runs: list[dict[str, Any]]) -> ResultRow:
    runs = sorted(runs, key=lambda run: int(run["seed"]))
    accuracies = [run["metrics"]["test_accuracy"] for run in runs]
    decided = [run["decided"]["units"] for run in runs if run.get("decided")]
    paper = runs[0]["paper"] or {}
    size = runs[0].get("data", {}).get("test", {}).get("sentences")
    average = mean(accuracies)
    error = None if size is None else math.sqrt(average * (1 - average) / size)
    return ResultRow(
        experiment=experiment,
        model=model,
        seeds=tuple(run["seed"] for run in runs),
        accuracies=tuple(accuracies),
        mean=average,
        deviation=stdev(accuracies) if len(accuracies) > 1 else None,
        standard_error=error,
        paper=paper.get("test_accuracy"),
        paper_deviation=paper.get("standard_deviation"),
        units=sum(decided) if decided else None,
        seconds=mean(run["seconds"] for run in runs),
        sentences=size,
        scale=_scale(runs[0]["configuration"]),
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
    modelled = [one for one in results if one["metrics"].get("test_perplexity") is not None]
    header = ["model", "seed", "parameters", "dev", "test", "paper", "decided", "words/s"]
    for experiment in dict.fromkeys(one["experiment"] for one in modelled):
        rows = []
        for one in (one for one in modelled if one["experiment"] == experiment):
            metrics, paper, decided = one["metrics"], one["paper"] or {}, one.get("decided")
            printed = paper.get("test_perplexity")
            rows.append(
                [
                    one["model"],
                    str(one["seed"]),
                    f"{metrics.get('parameters') or 0:,.0f}",
                    *(f"{metrics.get(f'{part}_perplexity') or 0:.1f}" for part in ("dev", "test")),
                    f"{printed:.1f}" if finite(printed) else "-",
                    "-" if decided is None else f"{decided['units']:,}",
                    f"{metrics.get('tokens_per_second') or 0:,.0f}",
                ]
            )
        yield f"{experiment}: perplexity", header, rows


def _searches(results: Sequence[dict[str, Any]]) -> Iterator[Table]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in results:
        metrics = one["metrics"]
        if (
            "dev_accuracy" in metrics
            and "test_accuracy" not in metrics
            and not recognition.is_recognition(one)
        ):
            groups.setdefault((one["experiment"], one["model"]), []).append(one)
    rows = []
    for (experiment, model), runs in groups.items():
        scores = [run["metrics"].get("dev_accuracy") or 0.0 for run in runs]
        best = runs[scores.index(max(scores))]["configuration"]
        rows.append(
            [experiment, model, str(len(runs)), percent(max(scores)), percent(min(scores)), _settings(best)]
        )
    header = ["experiment", "model", "trials", "best", "worst", "settings of the best"]
    if rows:
        yield "searches: dev accuracy in %, no test part was read", header, rows


def _settings(configuration: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {configuration[name]:.3g}"
        for name in dict.fromkeys(["hidden", "rate", *SPACE])
        if isinstance(configuration.get(name), int | float)
    )
