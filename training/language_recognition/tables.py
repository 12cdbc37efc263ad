"""The tables of parentheses and palindromes: runs that differ in the seed alone, together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from training.language_recognition.settings import MODELS

EXPERIMENTS = ("tomita", "parentheses", "palindromes")
METHODS = {True: "ours", False: "the paper's"}
PREFIX = "test_error "


@dataclass(frozen=True)
class Row:
    """A model, trained by a method on a set.

    Attributes:
        experiment, size, model: which.
        centroids: k; ``None`` for a model that has none.
        method: ``ours``, with noise, or ``the paper's``, without.
        seeds: that were run.
        errors: of each seed, by test set, as shares.
        paper: what the paper has, by test set.
        lengths: how long the curriculum's strings became, for each seed.
        counters: what the cell state counts, for each seed that says it.
        seconds: of training, the mean.
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
    counters: tuple[dict[str, float], ...]
    seconds: float

    @property
    def name(self) -> str:
        """The model, and k where it is not the paper's 5."""
        return self.model if self.centroids in (None, 5) else f"{self.model}, k = {self.centroids}"


def is_recognition(result: dict[str, Any]) -> bool:
    """Is it a result of these experiments, with test sets?"""
    return result["experiment"] in EXPERIMENTS and any(name.startswith(PREFIX) for name in result["metrics"])


def rows_of(results: Sequence[dict[str, Any]]) -> list[Row]:
    """The rows, in the order of the models, the paper's method after ours."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in filter(is_recognition, results):
        same = sorted((name, value) for name, value in one["configuration"].items() if name != "seed")
        groups.setdefault((one["experiment"], repr(same)), []).append(one)
    rows = [_row(runs) for runs in groups.values()]
    return sorted(
        rows,
        key=lambda row: (row.experiment, row.size, row.centroids or 0, MODELS.index(row.model), row.method),
    )


def tables(results: Sequence[dict[str, Any]]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Each with its title, its header and its rows, as text."""
    rows, made = rows_of(results), []
    for experiment, size in dict.fromkeys((row.experiment, row.size) for row in rows):
        own = [row for row in rows if (row.experiment, row.size) == (experiment, size)]
        columns = list(dict.fromkeys(name for row in own for name in row.errors))
        title = f"{experiment}{f', {size} set' if experiment == 'parentheses' else ''}: wrong in %, (paper)"
        body = [
            [row.name, row.method, str(len(row.seeds)), *(cell(row, name) for name in columns)] for row in own
        ]
        made.append((title, ["model", "method", "seeds", *columns], body))
    return made


def cell(row: Row, column: str) -> str:
    """The mean over seeds, and the paper's figure."""
    errors, paper = row.errors.get(column, ()), row.paper.get(column)
    beside = "" if paper is None else f" ({100 * paper:.1f})"
    return (f"{100 * mean(errors):.2f}" if errors else "-") + beside


def _row(runs: list[dict[str, Any]]) -> Row:
    runs = sorted(runs, key=lambda run: int(run["seed"]))
    said, metrics = runs[0]["configuration"], [run["metrics"] for run in runs]
    names = [name for name in metrics[0] if name.startswith(PREFIX)]
    noisy = bool(said.get("gate_noise") or said.get("state_noise"))
    return Row(
        experiment=runs[0]["experiment"],
        size=str(said.get("size")),
        model=runs[0]["model"],
        centroids=said.get("centroids") if runs[0]["model"].startswith("sr-") else None,
        method=METHODS[noisy],
        seeds=tuple(run["seed"] for run in runs),
        errors={name.removeprefix(PREFIX): tuple(own[name] for own in metrics) for name in names},
        paper=(runs[0]["paper"] or {}).get("errors", {}),
        lengths=tuple(own.get("curriculum_length") or 0.0 for own in metrics),
        counters=tuple(run["counter"] for run in runs if run.get("counter")),
        seconds=mean(run["seconds"] for run in runs),
    )
