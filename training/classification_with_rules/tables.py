"""The tables of text classification with rules.

A table has a row for each model and a column for each share of the training sentences. Each cell contains our
accuracy and the paper's accuracy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any

from neural.state_regularized.component import finite
from training.classification_with_rules.paper import CHANGED, ORDINARY, SETS, SHARES, TABLE_6, variant
from training.classification_with_rules.settings import MODELS, RuleClassification
from training.groups import RunGroup, Table, differing_settings, groups_of, in_words

COLUMNS = (0.0, *SHARES)
OTHER = "other"
"""The name of the variant for settings that are not in Table 6."""
Cells = dict[tuple[str, str, str, float], list["TableCell"]]
"""The cells, keyed by experiment, model, variant of Table 6, and share; cells with more seeds come first."""


@dataclass(frozen=True)
class TableCell:
    """The runs of one recipe (combination of settings) on the same data, with different seeds.

    Attributes:
        runs: the results.
        settings: the settings in which this recipe differs from others in the same cell of the table.
    """

    runs: tuple[dict[str, Any], ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def metric(self, name: str) -> tuple[float, ...]:
        """Return the values of a metric for all runs."""
        return tuple(run["metrics"][name] for run in self.runs)

    @property
    def paper(self) -> float | None:
        """Return the paper's test accuracy for these settings, or ``None`` if there is none."""
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
        """Return our accuracy, followed by the paper's in brackets."""
        return f"{self.ours()} ({self.theirs()})"


def is_with_rules(result: dict[str, Any]) -> bool:
    """Return whether a result is about a published data set with rules (ATIS, QC or SMS)."""
    return result["experiment"] in SETS


def cells(results: Iterable[dict[str, Any]]) -> Cells:
    """Group the results by experiment, model, variant of Table 6, and share.

    Each list has one cell per recipe (combination of settings); the cell with the most seeds comes first.
    """
    groups = groups_of(filter(_has_a_cell, results))
    result: Cells = {}
    for group, settings in zip(groups, differing_settings(groups, _key), strict=True):
        result.setdefault(_key(group), []).append(TableCell(group.runs, settings))
    return {key: sorted(own, key=lambda cell: -len(cell.runs)) for key, own in result.items()}


def tables(results: Sequence[dict[str, Any]]) -> list[Table]:
    """Return each table with its title, header and rows as text."""
    every = cells(results)
    result: list[Table] = []
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
        others = _other_recipes(every, experiment)
        if others:
            header = ["model", "variant", "share", "seeds", "ours", "settings"]
            result.append((f"{experiment}: other recipes, test accuracy in %", header, others))
    return result


def accuracies(every: Cells, experiment: str) -> list[list[str]]:
    """Return a row for each model that was run, with a column for each of :data:`COLUMNS`.

    A dot marks a cell without runs.
    """
    rows = []
    for model in MODELS:
        row = [cell_of(every, experiment, model, share) for share in COLUMNS]
        if any(row):
            rows.append([model, *("·" if cell is None else cell.both() for cell in row)])
    return rows


def ablations(every: Cells, experiment: str) -> list[list[str]]:
    """Return the rows of Table 6 that were run; empty unless there are at least two."""
    rows = []
    for name in TABLE_6:
        cell = cell_of(every, experiment, "fa-rnn", 1.0, name)
        if cell is not None:
            rows.append([name, cell.ours(), cell.theirs()])
    return rows if len(rows) > 1 else []


def cell_of(every: Cells, experiment: str, model: str, share: float, which: str = "F") -> TableCell | None:
    """Return the table cell with the most seeds for this model and variant, or ``None`` if there is none."""
    return next(iter(every.get((experiment, model, which, share), ())), None)


def _other_recipes(every: Cells, experiment: str) -> list[list[str]]:
    """Return a row for each recipe (combination of settings) that is in no other table."""
    return [
        [model, which, f"{100 * share:g} %", str(len(cell.runs)), cell.ours(), in_words(cell.settings)]
        for (name, model, which, share), own in every.items()
        if name == experiment
        for cell in own[_is_in_the_paper(model, which, share) :]
    ]


def _is_in_the_paper(model: str, which: str, share: float) -> bool:
    """Return whether one of the paper's tables has a cell for this variant."""
    return share in COLUMNS if which == "F" else which in TABLE_6 and (model, share) == ("fa-rnn", 1.0)


def _has_a_cell(result: dict[str, Any]) -> bool:
    known = is_with_rules(result) and "test_accuracy" in result["metrics"]
    return known and _variant(result["configuration"]) is not None


def _key(group: RunGroup) -> tuple[str, str, str, float]:
    which = _variant(group.settings)
    assert which is not None
    return group.name, group.model, which, float(group.settings["share"])


def _variant(configuration: dict[str, Any]) -> str | None:
    if any(configuration.get(name) not in _words(name) for name in CHANGED):
        return None
    if not all(finite(configuration.get(name)) for name in ("share", "beta")):
        return None
    change = {name: configuration[name] for name in CHANGED}
    if change["tensor"] == "whole":
        change["beta"] = 1.0
    return variant(RuleClassification(**change)) or OTHER


def _words(name: str) -> tuple[str, ...]:
    fields = type(ORDINARY).__dataclass_fields__
    words: tuple[str, ...] = fields[name].metadata["one_of"]
    return words
