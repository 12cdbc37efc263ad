"""Generation of a page for each experiment: the paper's table next to our results.

The results are in ``training/results``. A table entry without a result says that it was not run.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import memory_pages
import sequence_pages
import tomita_page
from comparison_plots import dot_plot, dots_of
from conclusions import conclusions
from page_text import environment, render

from theory.text_and_tables import SENTENCES
from training.classification_with_rules import paper
from training.classification_with_rules.copies import KEPT, bounds
from training.classification_with_rules.settings import FA
from training.classification_with_rules.settings import MODELS as RULE_MODELS
from training.classification_with_rules.tables import COLUMNS, Cells, accuracies, cell_of, cells
from training.engine.results import results_in
from training.experiment_list import EXPERIMENTS
from training.groups import RunGroup, by_unique_key, groups_of
from training.language_modelling.layers import size_of
from training.language_modelling.settings import PRESETS, TABLE_3, LanguageModelling
from training.rational_recurrences.search import SPACE
from training.rational_recurrences.settings import MODELS, TABLE_5
from training.scoreboard import FigureComparison, scoreboard
from training.tables import row_of_each_model
from training.wikipedia.corpus import WHERE
from training.wikipedia.settings import TABLE_14

NAMES = {
    "lstm": "LSTM",
    "lstm-p": "LSTM-P",
    "sr-lstm": "SR-LSTM",
    "sr-lstm-p": "SR-LSTM-P",
    "gru": "GRU",
    "sr-gru": "SR-GRU",
    "rrnn-b": "RRNN(B)",
    "rrnn-b-max-plus": "RRNN(B), max-plus",
    "rrnn-c": "RRNN(C)",
    "rrnn-f": "RRNN(F)",
}
"""The display names of the models, in the order of the tables."""
TEXTS = {"sst2": "SST-2", "subj": "subj", "cr": "CR"}
RULES = {"atis": "ATIS", "qc": "QC", "sms": "SMS"}
LANGUAGE, WIKIPEDIA, TOMITA = (
    {"ptb": "Penn Treebank"},
    {"wikipedia": "Wikipedia"},
    {"tomita": "Tomita grammars"},
)
MEMORY = {"parentheses": "Balanced parentheses", "palindromes": "Palindromes"}
SEQUENCES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST", "imdb": "IMDB"}
TITLES = TEXTS | LANGUAGE | RULES | TOMITA | MEMORY | SEQUENCES | WIKIPEDIA
"""The titles of all pages, in order."""
KEYS = {
    "Peng et al. 2018": "peng2018rational",
    "Wang & Niepert 2019": "wang2019state",
    "Jiang et al. 2020": "jiang2020cold",
}
"""The papers of the scoreboard, and their keys in the bibliography."""
Runs = Sequence[dict[str, Any]]


environment().filters["model"] = NAMES.__getitem__
environment().globals |= {"titles": TITLES, "model_names": NAMES}


def pages(root: Path) -> dict[str, str]:
    """Return the pages and pictures by path; ``root`` is the project folder."""
    # groups_of keeps one run for each seed
    kept = [run for group in groups_of(results_in(root / "training" / "results")) for run in group.runs]
    files = {
        "index.md": render("experiments", experiments=EXPERIMENTS, counts=_counts(kept)),
        **_scoreboard(kept),
    }
    for name in TITLES:
        files |= page_of(name, kept)
    return {f"experiments/{file}": text for file, text in files.items()}


def page_of(name: str, kept: Runs) -> dict[str, str]:
    """Return the page of an experiment and its pictures, as texts by file name.

    Args:
        name: the name of the experiment.
        kept: the results of all experiments.
    """
    own = [run for run in kept if run["experiment"] == name]
    if name in TEXTS:
        return {f"{name}.md": render("text", name=name, own=own, **_texts(name, kept))}
    if name in RULES:
        return {f"{name}.md": render("rules", name=name, own=own, **_rules(name, own))}
    if name in LANGUAGE:
        return {"ptb.md": render("language", own=own, **_language(own))}
    if name in WIKIPEDIA:
        return {"wikipedia.md": render("wikipedia", own=own, table_14=TABLE_14, where=WHERE)}
    if name in MEMORY:
        exchanges = [run for run in kept if run["experiment"] == "exchanges"]
        return memory_pages.pages(name, own, exchanges, list(NAMES))
    return tomita_page.pages(own) if name in TOMITA else sequence_pages.pages(name, own)


def _scoreboard(kept: Runs) -> dict[str, str]:
    """Return the page that compares all results and conclusions with the papers', and its pictures."""
    papers: dict[str, list[FigureComparison]] = {}
    for one in scoreboard(kept):
        papers.setdefault(one.paper, []).append(one)
    pictures = {paper: f"scoreboard-{paper.partition(' ')[0].lower()}.svg" for paper in KEYS}
    texts = {name: row_of_each_model(_runs_by_search(name, kept)["sst2"]) for name in TEXTS}
    page = render(
        "scoreboard",
        papers={paper: papers.get(paper, []) for paper in KEYS},
        pictures=pictures,
        conclusions=conclusions(kept, texts),
        sentences=SENTENCES,
        keys=KEYS,
    )
    plots = {pictures[paper]: dot_plot(dots_of(own, TITLES), 2) for paper, own in papers.items()}
    return {"scoreboard.md": page, **plots}


def _counts(kept: Runs) -> dict[str, int]:
    """Return the number of results of each experiment."""
    counts = dict.fromkeys((one.name for one in EXPERIMENTS), 0)
    for run in kept:
        if any(name.startswith("test_") or name == "exact" for name in run["metrics"]):
            counts[run["experiment"]] = counts.get(run["experiment"], 0) + 1
    return counts


def _texts(name: str, kept: Runs) -> dict[str, Any]:
    """Return the template's values for the page of a data set for text classification."""
    by_search = _runs_by_search(name, kept)
    own = [run for run in kept if run["experiment"] == name]
    sets = ("amazon", "sst2", "subj", "cr")
    max_plus, real = TABLE_5["rrnn-b-max-plus"], TABLE_5["rrnn-b"]
    return {
        "sizes": {
            part: run["data"][part]["sentences"]
            for run in own
            for part in ("train", "dev", "test")
            if part in run["data"]
        },
        "by_search": by_search,
        "rows": {search: row_of_each_model(runs) for search, runs in by_search.items()},
        "trials": [run for run in own if "test_accuracy" not in run["metrics"]],
        "models": MODELS,
        "table_5": TABLE_5,
        "space": SPACE,
        "lowest": [one for one in sets if max_plus[one] == min(TABLE_5[model][one] for model in TABLE_5)],
        "above": [one for one in sets if max_plus[one] > real[one]],
    }


def _runs_by_search(name: str, kept: Runs) -> dict[str, list[dict[str, Any]]]:
    """Return the runs on a data set that have a test accuracy, grouped by the origin of their settings.

    The origin is the search on SST-2, the data set's own search (if its best trial is different), or one of
    the other ways to train.
    """
    own, sst2 = _best_trials(name, kept), _best_trials("sst2", kept)
    runs_by_search: dict[str, list[dict[str, Any]]] = {"sst2": []}
    tested = (run for run in kept if run["experiment"] == name and "test_accuracy" in run["metrics"])
    for group in groups_of(tested):
        how = group.settings
        values = [how[key] for key in SPACE]
        if how.get("classifier") == "linear":
            way = "linear"
        elif how["patience"] >= 30:  # as in the paper's search
            way = "longer"
        else:
            is_own = values == own.get(group.model) and values != sst2.get(group.model)
            way = name if is_own else "sst2"
        runs_by_search.setdefault(way, []).extend(group.runs)
    return runs_by_search


def _best_trials(name: str, kept: Runs) -> dict[str, list[Any]]:
    """Return, for each model, the settings of the trial with the best accuracy on the dev set."""
    trials = [run for run in kept if run["experiment"] == name and "test_accuracy" not in run["metrics"]]
    best: dict[str, dict[str, Any]] = {}
    for run in trials:
        if run["metrics"]["dev_accuracy"] > best.setdefault(run["model"], run)["metrics"]["dev_accuracy"]:
            best[run["model"]] = run
    return {model: [run["configuration"][key] for key in SPACE] for model, run in best.items()}


def _rules(name: str, own: Runs) -> dict[str, Any]:
    """Return the template's values for the page of a data set with rules."""
    every = cells(own)
    betas: dict[float, dict[float, Any]] = {}
    for share in (0.0, 1.0):
        for cell in every.get((name, "fa-rnn", "F", share), ()):
            betas.setdefault(cell.runs[0]["configuration"]["beta"], {}).setdefault(share, cell)
    above = {
        (at, column): [
            model
            for model in RULE_MODELS
            if model not in FA
            and paper.TABLE_5[model][3 * at + column] > paper.TABLE_5["fa-rnn"][3 * at + column]
        ]
        for at in range(len(paper.SETS))
        for column in (0, 1)
    }
    untrained = [
        (model, min(run["metrics"]["untrained_test_agrees_with_rules"] for run in runs))
        for model in FA
        if (runs := [run for run in own if run["model"] == model and _is_untrained(run["configuration"])])
    ]
    return {
        "paper": paper,
        "columns": COLUMNS,
        "models": RULE_MODELS,
        "untrained": untrained,
        "results": {row[0]: row for row in accuracies(every, name)},
        "betas": sorted(betas.items()),
        "cell": lambda model, share, variant="F": cell_of(every, name, model, share, variant),
        "above": above,
        "copied": json.loads(KEPT.read_text(encoding="utf-8"))[name],
        "without_copies": _without_copies(name, every),
    }


def _without_copies(name: str, every: Cells) -> list[tuple[str, float, float, float]]:
    """Return each model's name, its test accuracy, and bounds on its accuracy without copied texts.

    The copied texts are the test texts that are also in the training set. All figures are means over seeds.
    """
    copied = json.loads(KEPT.read_text(encoding="utf-8"))[name]["test"]
    lines = []
    for model in RULE_MODELS:
        cell = cell_of(every, name, model, 1.0)
        if cell is not None:
            accuracies = cell.metric("test_accuracy")
            both = [bounds(one, copied["sentences"], copied["copied"]) for one in accuracies]
            low, high = (mean(one) for one in zip(*both, strict=True))
            lines.append((model, mean(accuracies), low, high))
    return lines


def _is_untrained(how: dict[str, Any]) -> bool:
    return how["share"] == 0 and how["beta"] == 1


def _model_and_size(group: RunGroup) -> tuple[str, tuple[int, int]]:
    return group.model, (group.settings["budget"], group.settings["layers"])


def _small(groups: Sequence[RunGroup], with_gain: bool) -> dict[str, RunGroup]:
    """Return the groups of runs that are small enough for a CPU, by model.

    If ``with_gain`` is true, they are the runs whose setting ``gain`` is positive, otherwise the other runs.
    """
    small = (group for group in groups if not group.runs[0]["paper"])
    return by_unique_key((one for one in small if (one.settings["gain"] > 0) is with_gain), _model)


def _model(group: RunGroup) -> str:
    return group.model


def _language(own: Runs) -> dict[str, Any]:
    """Return the template's values for the page of the Penn Treebank."""
    groups = groups_of(run for run in own if "test_perplexity" in run["metrics"])
    presets = {name: LanguageModelling(**preset).to_json() for name, preset in PRESETS.items()}
    widths = {
        model: {
            size: (width, size_of(model, size[1], width))
            for size, figures in TABLE_3.items()
            if model in figures
            for width in [LanguageModelling(model=model, budget=size[0], layers=size[1], hidden=0).hidden]
        }
        for model in MODELS
    }
    full = [group for group in groups if group.runs[0]["paper"]]
    return {
        "full": by_unique_key(full, _model_and_size),
        "small": _small(groups, with_gain=False),
        "small_gain": _small(groups, with_gain=True),
        "widths": widths,
        "models": MODELS,
        "table_3": TABLE_3,
        "presets": {name: preset for name, preset in presets.items() if name != "small"},
        "sentences": [one for one in SENTENCES if (one.paper, one.part) == ("peng2018rational", "Table 3")],
    }
