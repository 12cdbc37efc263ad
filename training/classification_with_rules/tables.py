"""The tables of text classification with rules.

The tables have a row for each model and a column for each share of the training sentences, with the paper's
figure next to ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from neural.state_regularized.component import finite
from training.classification_with_rules.paper import CHANGED, ORDINARY, SETS, SHARES, TABLE_6, variant
from training.classification_with_rules.settings import MODELS, RuleClassification

COLUMNS = (0.0, *SHARES)


@dataclass(frozen=True)
class TableCell:
    """The results of runs that differ only in the seed, sorted by seed."""

    runs: tuple[dict[str, Any], ...]

    def metric(self, name: str) -> tuple[float, ...]:
        """Return a metric of each run."""
        return tuple(run["metrics"][name] for run in self.runs)

    @property
    def paper(self) -> float | None:
        """Return the paper's test accuracy, or ``None`` if it has none."""
        figure: float | None = (self.runs[0]["paper"] or {}).get("test_accuracy")
        return figure

    def ours(self) -> str:
        """Return the mean and the standard deviation of the test accuracies in %.

        >>> runs = [{"metrics": {"test_accuracy": one}, "paper": None} for one in (0.9, 0.92)]
        >>> TableCell(tuple(runs)).ours()
        '91.0±1.4'
        """
        accuracies = self.metric("test_accuracy")
        spread = f"±{100 * stdev(accuracies):.1f}" if len(accuracies) > 1 else ""
        return f"{100 * mean(accuracies):.1f}{spread}"

    def theirs(self) -> str:
        """Return the paper's figure in %, or a dash."""
        return "-" if self.paper is None else f"{100 * self.paper:.1f}"

    def both(self) -> str:
        """Return our figure, with the paper's figure in brackets."""
        return f"{self.ours()} ({self.theirs()})"


def is_with_rules(result: dict[str, Any]) -> bool:
    """Return whether a result belongs to one of these experiments."""
    return result["experiment"] in SETS


def cells(results: Sequence[dict[str, Any]]) -> dict[tuple[str, str, str, float, float], TableCell]:
    """Group the results by experiment, model, variant of Table 6, share and beta.

    Runs of different recipes are not mixed: a group contains the runs that share the recipe of its first run.
    """
    groups: dict[tuple[str, str, str, float, float], list[dict[str, Any]]] = {}
    for one in results:
        which = _variant(one)
        if which is None or "test_accuracy" not in one["metrics"]:
            continue
        own = one["configuration"]
        key = (one["experiment"], one["model"], which, float(own["share"]), float(own["beta"]))
        group = groups.setdefault(key, [])
        if not group or _recipe(group[0]) == _recipe(one):
            group.append(one)
    return {
        key: TableCell(tuple(sorted(own, key=lambda one: int(one["seed"])))) for key, own in groups.items()
    }


def tables(results: Sequence[dict[str, Any]]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Return each table with its title, header and rows, as text of at most 80 columns."""
    every = cells([one for one in results if is_with_rules(one)])
    result: list[tuple[str, list[str], list[list[str]]]] = []
    for experiment in SETS:
        rows = accuracies(every, experiment)
        if rows:
            header = ["model", "no training", "1 %", "10 %", "100 %"]
            result.append((f"{experiment}: test accuracy in %, ours ± deviation (the paper's)", header, rows))
        variants = ablations(every, experiment)
        if variants:
            result.append(
                (f"{experiment}: Table 6, test accuracy in %", ["variant", "ours", "paper"], variants)
            )
    return result


def accuracies(
    every: dict[tuple[str, str, str, float, float], TableCell], experiment: str
) -> list[list[str]]:
    """Return a row for each model that was run, with a column for each of :data:`COLUMNS`.

    A dot marks a cell without runs.
    """
    rows = []
    for model in MODELS:
        row = [cell_of(every, experiment, model, share) for share in COLUMNS]
        if any(row):
            rows.append([model, *("·" if cell is None else cell.both() for cell in row)])
    return rows


def ablations(every: dict[tuple[str, str, str, float, float], TableCell], experiment: str) -> list[list[str]]:
    """Return the rows of Table 6, if any variant other than the default was run."""
    rows = []
    for name in TABLE_6:
        cell = cell_of(every, experiment, "fa-rnn", 1.0, name)
        if cell is not None:
            rows.append([name, cell.ours(), cell.theirs()])
    return rows if len(rows) > 1 else []


def cell_of(
    every: dict[tuple[str, str, str, float, float], TableCell],
    experiment: str,
    model: str,
    share: float,
    which: str = "F",
) -> TableCell | None:
    """Return the cell of a model; with several betas, the first of those with the most seeds."""
    own = [
        cell
        for (name, kind, variant_of, part, _), cell in every.items()
        if (name, kind, variant_of, part) == (experiment, model, which, share)
    ]
    return max(own, key=lambda cell: len(cell.runs), default=None)


def _variant(result: dict[str, Any]) -> str | None:
    configuration = result["configuration"]
    if any(configuration.get(name) not in _words(name) for name in CHANGED):
        return None
    if not all(finite(configuration.get(name)) for name in ("share", "beta")):
        return None
    change = {name: configuration[name] for name in CHANGED}
    if change["tensor"] == "whole":
        change["beta"] = 1.0
    return variant(RuleClassification(**change))


def _words(name: str) -> tuple[str, ...]:
    fields = type(ORDINARY).__dataclass_fields__
    words: tuple[str, ...] = fields[name].metadata["one_of"]
    return words


def _recipe(result: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted((name, value) for name, value in result["configuration"].items() if name != "seed")
