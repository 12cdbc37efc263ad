"""Generation of the pages about parentheses and palindromes, with our results next to the paper's."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from statistics import mean
from typing import Any

import pictures
from page_text import environment, render

from training.groups import groups_of
from training.language_recognition import palindromes, paper, parentheses
from training.language_recognition.paper import TABLE_1, TABLE_2, TABLE_11
from training.language_recognition.tables import (
    FIRST,
    PREFIX,
    RecognitionRow,
    is_recognition,
    method_of,
    rows_of,
)

COMPARED, SEEDS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p"), 5
COLUMNS = {
    "parentheses": [column.name for column in (*parentheses.COLUMNS, parentheses.DEEP)],
    "palindromes": [column.name for column in palindromes.COLUMNS],
}
HEADS = {
    name: f"model | method | seeds | {' | '.join(columns)} | seconds a run"
    for name, columns in COLUMNS.items()
}
METHODS = ("ours", "the paper's")
TRAINED_ON = {
    "palindromes": "random strings and one letter",
    "exchanges": "random strings, one letter and exchanged",
}
FARTHEST, EXCHANGED = (palindromes.COLUMNS[index].name for index in (2, 5))
KINDS = {"palindrome": FARTHEST, "random": FARTHEST, "one letter": FARTHEST, "exchanged": EXCHANGED}
"""For each kind of strings, the column of the tables with the longest test strings."""
AGREES = 0.9
"""The minimum agreement on each kind of strings for a network to count as having learned a language."""
Runs = Sequence[dict[str, Any]]
Printed = Mapping[Any, Sequence[float]]


def pages(name: str, own: Runs, exchanges: Runs, models: Sequence[str]) -> dict[str, str]:
    """Return a page and its pictures by path.

    Args:
        name: the name of the experiment.
        own: the results of the experiment.
        exchanges: results of networks that were also trained on palindromes with two letters exchanged.
        models: the names of all models, in the order of the tables.
    """
    rows = rows_of(own)
    environment().filters["word"] = plain_word
    shown = {"own": own, "columns": COLUMNS[name], "head": HEADS[name], "method_of": method_of}
    shown["rows"] = [row for row in rows if row.method in METHODS]
    if name == "palindromes":
        learned = _learned([*own, *exchanges])
        table_11 = [_line(name, rows, (model, None), m, TABLE_11) for model in _models(rows) for m in METHODS]
        attempts = list(_attempts(rows_of(exchanges)))
        return {
            "palindromes.md": render(
                name,
                table_11=table_11,
                attempts=attempts,
                kinds=KINDS,
                agrees=AGREES,
                learned=learned,
                **shown,
            )
        }
    recognised = [run for run in own if is_recognition(run)]
    order = {model: number for number, model in enumerate(models)}
    ordered = sorted(rows, key=lambda row: (row.size, order[row.model], row.centroids or 0))
    drawings = _pictures(recognised, models)
    page = render(
        name,
        tables={size: list(_table_1(rows, size)) for size in ("large", "small")},
        table_2=list(_table_2(rows)),
        longer=[_additional_row(row) for row in ordered if row.method.startswith("ours, ")],
        first=[_additional_row(row) for row in ordered if row.method.startswith(FIRST)],
        pictures=drawings,
        recognised=recognised,
        paper=paper,
        grouped=partial(_grouped, recognised, models),
        with_centroids=partial(with_centroids, recognised),
        **shown,
    )
    return {**drawings, "parentheses.md": page}


def _models(rows: Sequence[RecognitionRow]) -> list[str]:
    """Return the models in the order of the tables: those of the comparison, then others that were run."""
    return list(dict.fromkeys((*COMPARED, *(row.model for row in rows))))


def _line(
    name: str,
    rows: Sequence[RecognitionRow],
    which: tuple[str, int | None],
    method: str,
    printed: Printed,
    key: Any = None,
) -> list[str]:
    """Return the table row of a model, with the paper's result and ours in each column.

    The row says so if the model was not run.
    """
    model, k = which
    title = environment().filters["model"](model) + ("" if k is None else f", k = {k}")
    shares = [f"{100 * share:.1f}" for share in printed.get(key or model, ())]
    own = [row for row in rows if (row.model, row.method) == (model, method) and k in (None, row.centroids)]
    row = max(own, key=lambda one: len(one.seeds), default=None)
    cells = []
    for number, column in enumerate(COLUMNS[name]):
        paper = shares[number] if number < len(shares) else "-"
        errors = () if row is None else row.errors.get(column, ())
        cells.append(f"{paper} / {100 * mean(errors):.2f}" if errors else f"{paper} / ·")
    if row is None:
        return [title, method, "not run", *cells, "·"]
    seeds = f"{len(row.seeds)}" + (f" of {SEEDS}" if len(row.seeds) < SEEDS else "")
    return [title, method, seeds, *cells, f"{row.seconds:.0f}"]


def _table_1(rows: Sequence[RecognitionRow], size: str) -> Iterator[list[str]]:
    own = [row for row in rows if row.size == size and row.centroids in (None, 5)]
    for model in _models(own):
        for method in METHODS:
            yield _line("parentheses", own, (model, None), method, TABLE_1, (size, model))


def _table_2(rows: Sequence[RecognitionRow]) -> Iterator[list[str]]:
    small = [row for row in rows if row.size == "small" and row.model == "sr-lstm-p"]
    for k in (2, 5, 10, 50, 100):
        for method in METHODS:
            if method == "ours" or k == 5 or any((row.centroids, row.method) == (k, method) for row in small):
                yield _line("parentheses", small, ("sr-lstm-p", k), method, TABLE_2, k)


def _additional_row(row: RecognitionRow) -> list[str]:
    """Return the table row of a recipe other than ours and the paper's, such as one with a longer finish."""
    name = row.name.replace(row.model, environment().filters["model"](row.model), 1)
    return [name, row.size, *_line("parentheses", [row], (row.model, row.centroids), row.method, {})[1:]]


def _attempts(rows: Sequence[RecognitionRow]) -> Iterator[list[str]]:
    for model in _models(rows):
        for method in METHODS:
            if method == "ours" or any(row.method == method for row in rows):
                yield _line("palindromes", rows, (model, None), method, {})


def _learned(own: Runs) -> list[tuple[tuple[str, str, str], int, dict[str, float], str]]:
    """Return a row for each model, method and training set, which says what language was learned.

    A row has these three names, the number of seeds, the mean errors by kind of string, and the language.
    """
    lines = []
    for group in groups_of(filter(is_recognition, own)):
        key = environment().filters["model"](group.model), method_of(group.runs[0]), TRAINED_ON[group.name]
        errors = {
            kind: mean(run["errors"][column][kind] for run in group.runs) for kind, column in KINDS.items()
        }
        lines.append((key, len(group.seeds), errors, _language(errors)))
    return lines


def _language(errors: dict[str, float]) -> str:
    accepted = {kind: 1 - error if kind == "palindrome" else error for kind, error in errors.items()}

    def accepts(*kinds: str) -> bool:
        shares = (share if kind in kinds else 1 - share for kind, share in accepted.items())
        return all(share >= AGREES for share in shares)

    if accepts("palindrome", "exchanged"):
        return "sums of letters with alternating signs, which is not the language of palindromes"
    if accepts("palindrome"):
        return "palindromes, as far as these kinds of strings show"
    shares = ", ".join(f"{100 * share:.0f} % {kind}" for kind, share in accepted.items())
    return f"neither palindromes nor sums of letters (accepted strings of each kind: {shares})"


def _grouped(runs: Runs, models: Sequence[str], method: str, size: str = "") -> dict[str, Runs]:
    """Return the runs that were trained by a method, keyed by the model's name.

    For state-regularized models, these are the runs with five centroids.
    """
    groups = {
        environment().filters["model"](model): [
            run
            for run in runs
            if (run["model"], method_of(run)) == (model, method)
            and (not model.startswith("sr-") or run["configuration"]["centroids"] == 5)
            and size in ("", run["configuration"]["size"])
        ]
        for model in models
    }
    return {name: some for name, some in groups.items() if some}


def _pictures(own: Runs, models: Sequence[str]) -> dict[str, str]:
    """Return the pictures for the page about parentheses. A picture is omitted if it has no runs."""
    words = dict(zip(METHODS, ("Our method", "The paper's method"), strict=True))
    drawings = {}
    for size in ("large", "small"):
        panels = {words[method]: _grouped(own, models, method, size) for method in METHODS}
        if any(panels.values()):
            panels = {title: some for title, some in panels.items() if some}
            drawings[f"curves-{size}"] = pictures.learning_curves(panels)
    by_k: dict[str, list[dict[str, Any]]] = {}
    for run in sorted(own, key=lambda run: run["configuration"]["centroids"]):
        how = run["configuration"]
        if (run["model"], how["size"], method_of(run)) == ("sr-lstm-p", "small", "ours"):
            by_k.setdefault(f"k = {how['centroids']}", []).append(run)
    if len(by_k) > 1:
        drawings["curves-k"] = pictures.learning_curves({"SR-LSTM-P, ours": by_k})
    large = {
        f"{name}, {method}": runs
        for method in METHODS
        for name, runs in _grouped(own, models, method, "large").items()
    }
    if large:
        columns = COLUMNS["parentheses"]
        errors = {
            name: [[run["metrics"][PREFIX + column] for column in columns] for run in runs]
            for name, runs in large.items()
        }
        drawings["errors"] = pictures.errors(errors, columns)
    reach = {name: [run for run in runs if "reach" in run] for name, runs in large.items()}
    if any(reach.values()):
        drawings["reach"] = pictures.reach({name: runs for name, runs in reach.items() if runs})
    for method, key in zip(METHODS, ("ours", "paper"), strict=True):
        along = {
            name: [run["along"] for run in runs if "along" in run]
            for name, runs in _grouped(own, models, method).items()
        }
        if any(along.values()):
            drawings[f"states-{key}"] = pictures.states(
                {name: kept[0] for name, kept in along.items() if kept}
            )
        if run := with_centroids(own, method):
            drawings[f"centroids-{key}"] = pictures.centroids(run["along"])
    return {f"parentheses-{name}.svg": picture for name, picture in drawings.items()}


def with_centroids(own: Runs, method: str) -> dict[str, Any] | None:
    """Return the first run of an SR-LSTM-P by this training method with stored probabilities of centroids."""
    for run in own:
        if run["model"] == "sr-lstm-p" and "alpha" in run.get("along", {}) and method_of(run) == method:
            return run
    return None


def plain_word(word: Sequence[str]) -> str:
    """Return the symbols separated by spaces, with four or more equal symbols in a row as ``symbol^count``.

    >>> plain_word("(aaaaab)")
    '( a^5 b )'
    """
    runs = [(symbol, len(list(same))) for symbol, same in groupby(word)]
    return " ".join(f"{symbol}^{count}" if count > 3 else " ".join(symbol * count) for symbol, count in runs)
