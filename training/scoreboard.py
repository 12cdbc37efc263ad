"""The scoreboard, which compares the papers' figures with our results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev, variance
from typing import Any

from training.engine.results import size_of
from training.experiment_list import record_of
from training.groups import RunGroup, groups_of

ROW = (
    "share",
    "scoring",
    "tensor",
    "weights",
    "word_vectors",
    "word_features",
    "size",
    "centroids",
    "order",
    "k",
    "head",
    "layers",
    "length",
    "budget",
)
"""The settings that identify a row of a paper's table, if they differ from the default."""
LEVEL = 0.95
"""The confidence level of the intervals."""


@dataclass(frozen=True)
class FigureComparison:
    """A figure of a paper, and the result that is compared with it.

    Attributes:
        source: the paper and its table.
        experiment: the experiment.
        model: the model, or ``rules`` for rules without a network.
        metric: the name of the metric in results.
        printed: the paper's figure; shares are in %.
        values: our figures, one for each seed.
        larger_is_better: whether larger figures are better.
        group: the runs.
    """

    source: str
    experiment: str
    model: str
    metric: str
    printed: float
    values: tuple[float, ...]
    larger_is_better: bool
    group: RunGroup

    @property
    def row(self) -> str:
        """Return the settings that identify the row of the paper's table, as text; defaults are omitted."""
        if self.model == "rules":
            return ""
        record = record_of(self.experiment, self.group.model)
        plain = {} if record is None else record.settings.__dataclass_fields__
        settings = self.group.settings
        return ", ".join(
            f"{name} {settings[name]}"
            for name in ROW
            if name in settings and name in plain and settings[name] != plain[name].default
        )

    @property
    def paper(self) -> str:
        """Return the name of the paper, without the number of its table."""
        return self.source.partition(", ")[0]

    @property
    def mean(self) -> float:
        """Return the mean over seeds."""
        return mean(self.values)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return Student's confidence interval of the mean at :data:`LEVEL`, or ``None`` for one seed."""
        ends = interval(self.values)
        if ends is None or "perplexity" in self.metric:
            return ends
        return max(0.0, ends[0]), min(100.0, ends[1])

    @property
    def figure(self) -> str:
        """Return the name of the figure, with its unit."""
        if self.metric.endswith("_accuracy"):
            name, length = self.metric.removesuffix("_accuracy"), ""
            if name not in ("test", "rules_test"):
                name, _, length = name.partition("_")
                return f"{name} error in %, {length} words"
            return "test accuracy in %"
        if self.metric.startswith("test_error "):
            return f"test error in %, {self.metric.removeprefix('test_error ')}"
        return self.metric.replace("_", " ")

    @property
    def smaller(self) -> str:
        """Return a text that states in what our run is smaller than the paper's, or an empty text."""
        return smaller_than_paper(self.group)

    @property
    def differs(self) -> str:
        """Return a text that states how our word vectors differ from the paper's, or an empty text."""
        theirs, ours = (self.group.runs[0]["paper"] or {}).get("vectors"), self.group.runs[0]["data"]
        return f"{ours['vectors']} instead of {theirs}" if theirs else ""

    @property
    def verdict(self) -> str:
        """Return ``beaten``, ``reached``, ``short by x``, or ``not comparable`` if our run is smaller.

        The paper's figure is beaten if all of our confidence interval is better. It is reached if our mean is
        at least as good, or if the interval contains the figure. One seed cannot beat a figure.
        """
        if self.smaller:
            return "not comparable"
        sign = 1 if self.larger_is_better else -1
        ahead = sign * (self.mean - self.printed)
        low, high = self.interval or (self.mean, self.mean)
        worst, best = sorted((sign * (low - self.printed), sign * (high - self.printed)))
        if worst > 0 and self.interval is not None:
            return "beaten"
        return "reached" if ahead >= 0 or best >= 0 else f"short by {-ahead:.1f}"


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return Student's confidence interval of the mean at :data:`LEVEL`; ``None`` for fewer than two values.

    >>> [round(end, 3) for end in interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    from scipy.stats import t

    if len(values) < 2:
        return None
    half = float(t.ppf((1 + LEVEL) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return mean(values) - half, mean(values) + half


def smaller_than_paper(group: RunGroup) -> str:
    """Return a text that states in what the runs are smaller than the paper's, or an empty text.

    The runs are smaller in settings, or in the sizes of the splits if they were made with ``--any-size``.
    """
    record = record_of(group.runs[0]["experiment"], group.model)
    if record is None:
        return ""
    own = group.settings
    differences: list[list[str]] = []
    for name, preset in record.presets.items():
        if name.startswith("paper"):
            fields = record.settings.__dataclass_fields__
            full = {one: preset.get(one, fields[one].default) for one in record.scale}
            changed = [one for one in record.scale if own[one] != full[one]]
            differences.append([f"{one} {own[one]} instead of {full[one]}" for one in changed])
    fewest: list[str] = min(differences, key=len, default=[])
    defaults = {one: record.settings.__dataclass_fields__[one].default for one in record.counts}
    few = [f"{one} {own[one]} instead of {full}" for one, full in defaults.items() if own[one] < full]
    data = group.runs[0].get("data") or {}
    sizes = {part: size_of(data.get(part) or {}) for part in record.sizes}
    small = [
        f"{part} set of {sizes[part]:,} instead of {full:,}"
        for part, full in record.sizes.items()
        if sizes[part] is not None and sizes[part] < full
    ]
    return ", ".join([*fewest, *few, *small])


def scoreboard(results: Iterable[dict[str, Any]]) -> list[FigureComparison]:
    """Return the comparisons for all of the papers' figures that have results, in the order of the results.

    If groups with different settings belong to one figure, the figure is compared with the group that
    :func:`preference` ranks highest.
    """
    board: dict[tuple[str, ...], FigureComparison] = {}
    for group in groups_of(results):
        for one in _figures(group):
            # two rows of a table may print the same figure
            key = (one.source, one.experiment, one.model, one.metric, str(one.printed), one.row)
            other = board.get(key)
            if other is None or (one.model != "rules" and preference(group) > preference(other.group)):
                board[key] = one
    return list(board.values())


def preference(group: RunGroup) -> tuple[bool, float, int]:
    """Return a rank of a group among those that a figure may be compared with; larger ranks come first.

    The rank is whether the runs are as large as the paper's, then the mean dev score, where larger is better,
    then the number of seeds.
    """
    metrics = group.runs[0]["metrics"]
    sign, name = (-1, "dev_perplexity") if "dev_perplexity" in metrics else (1, "dev_accuracy")
    return not smaller_than_paper(group), sign * group.mean(name), len(group.seeds)


def _figures(group: RunGroup) -> Iterator[FigureComparison]:
    """Yield the comparisons for all figures of the paper to which a group corresponds."""
    paper, experiment = group.runs[0]["paper"] or {}, group.runs[0]["experiment"]
    for metric, printed, of_run, larger in _printed(paper):
        if all(run["metrics"].get(metric) is not None for run in group.runs):
            yield FigureComparison(
                source=_RULES if metric.startswith("rules_") else paper["source"],
                experiment=experiment,
                model="rules" if metric.startswith("rules_") else group.model,
                metric=metric,
                printed=printed,
                values=tuple(of_run(run["metrics"][metric]) for run in group.runs),
                larger_is_better=larger,
                group=group,
            )


_RULES = "Jiang et al. 2020, Table 4"
Transform = Callable[[float], float]


def _printed(paper: dict[str, Any]) -> Iterator[tuple[str, float, Transform, bool]]:
    """Yield a tuple for each of the paper's figures.

    The tuple contains the name of our metric, the paper's value, the function that converts our metric to the
    paper's unit, and whether larger values are better.
    """
    for name in ("test_accuracy", "rules_test_accuracy"):
        if name in paper:
            yield name, 100 * paper[name], _in_percent, True
    for name in ("dev_perplexity", "test_perplexity"):
        if name in paper:
            yield name, paper[name], float, False
    for column, error in paper.get("errors", {}).items():
        yield f"test_error {column}", 100 * error, _in_percent, False
    for name, error in paper.items():
        part, _, length = name.partition("_error_")
        if length:
            yield f"{part}_{length}_accuracy", error, _as_error, False


def _in_percent(share: float) -> float:
    return 100 * share


def _as_error(accuracy: float) -> float:
    return round(100 * (1 - accuracy), 9)  # so that 0.7004 is the error 29.96


def significant_sign(one: Sequence[float], other: Sequence[float]) -> int:
    """Return 1 if the mean of ``one`` is significantly larger, -1 if significantly smaller, and otherwise 0.

    The function uses Welch's test at :data:`LEVEL`. If both variances are zero, it compares the means.
    """
    from scipy.stats import t

    difference = mean(one) - mean(other)
    if min(len(one), len(other)) < 2 or not difference:
        return 0
    parts = [variance(values) / len(values) for values in (one, other)]
    total = sum(parts)
    if total:
        freedom = total**2 / sum(
            part**2 / (len(values) - 1) for part, values in zip(parts, (one, other), strict=True)
        )
        if abs(difference) / sqrt(total) <= float(t.ppf((1 + LEVEL) / 2, freedom)):
            return 0
    return 1 if difference > 0 else -1
