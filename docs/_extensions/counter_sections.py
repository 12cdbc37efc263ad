"""The sections with pictures on the page of parentheses, and what was certified of the networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import counter_pictures
from model_names import NAMES
from page_text import plain, table
from plots import image

from training.language_recognition import parentheses
from training.language_recognition.tables import METHODS, PREFIX, method_of

COLUMNS = [column.name for column in (*parentheses.COLUMNS, parentheses.DEEP)]
Runs = Sequence[dict[str, Any]]


def sections(own: Runs, made: dict[str, str]) -> list[str]:
    """The sections; their pictures go into ``made``."""
    if not own:
        return []
    return [
        *_learning(own, made),
        *_errors(own, made),
        *_states(own, made),
        *_centroids(own, made),
        *_certified(own),
    ]


def _grouped(runs: Runs, method: str) -> dict[str, Runs]:
    """The runs with five centroids or none, by the model's name."""
    found = {
        name: [
            run
            for run in runs
            if run["model"] == model and method_of(run) == method and _centroids_of(run) in (None, 5)
        ]
        for model, name in NAMES.items()
    }
    return {name: some for name, some in found.items() if some}


def _centroids_of(run: dict[str, Any]) -> int | None:
    return run["configuration"]["centroids"] if run["model"].startswith("sr-") else None


def _learning(own: Runs, made: dict[str, str]) -> list[str]:
    parts = [
        "## Learning curves\n",
        "The error on the dev part (depths 6 to 10) after each epoch: the median of the seeds, and a band"
        " from the least to the most. The curriculum's strings become longer on the way; a run that has ended"
        " keeps its last value.\n",
    ]
    for size in ("large", "small"):
        runs = [run for run in own if run["configuration"]["size"] == size]
        panels = {_in_words(method): _grouped(runs, method) for method in METHODS.values()}
        panels = {title: models for title, models in panels.items() if models}
        side = "left" if size == "large" else "right"
        if panels:
            made[f"parentheses-curves-{size}.svg"] = counter_pictures.learning_curves(panels)
            alt = f"Dev error over epochs on the {size} set, a panel for each method, a curve for each model."
            parts += [f"The {size} set (Figure 9, {side}):\n", image(f"parentheses-curves-{size}.svg", alt)]
        else:
            parts.append(f"The {size} set (Figure 9, {side}): not run.\n")
    by_k: dict[str, list[dict[str, Any]]] = {}
    for run in sorted(own, key=lambda run: run["configuration"]["centroids"]):
        how = run["configuration"]
        if (run["model"], how["size"], method_of(run)) == ("sr-lstm-p", "small", METHODS[True]):
            by_k.setdefault(f"k = {how['centroids']}", []).append(run)
    if len(by_k) > 1:
        made["parentheses-curves-k.svg"] = counter_pictures.learning_curves({"SR-LSTM-P, ours": by_k})
        parts += [
            "By the number of centroids, on the small set (Figure 5):\n",
            image("parentheses-curves-k.svg", "Dev error over epochs, a curve for each number of centroids."),
        ]
    else:
        parts.append("By the number of centroids (Figure 5): not run.\n")
    return parts


def _errors(own: Runs, made: dict[str, str]) -> list[str]:
    large = [run for run in own if run["configuration"]["size"] == "large"]
    series = {
        f"{name}, {method}": [[run["metrics"][PREFIX + column] for column in COLUMNS] for run in runs]
        for method in METHODS.values()
        for name, runs in _grouped(large, method).items()
    }
    parts = ["## Errors against length and depth\n"]
    if series:
        made["parentheses-errors.svg"] = counter_pictures.errors(series, COLUMNS)
        parts += [
            "Of networks trained on the large set: the mean of the seeds, and a dot for each.\n",
            image("parentheses-errors.svg", "A line for each model and method over the tests' columns."),
        ]
    kept = {
        f"{name}, {method}": [run for run in runs if "reach" in run]
        for method in METHODS.values()
        for name, runs in _grouped(large, method).items()
    }
    kept = {name: runs for name, runs in kept.items() if runs}
    if kept:
        strings = next(iter(kept.values()))[0]["reach"]["strings"]
        made["parentheses-reach.svg"] = counter_pictures.reach(kept)
        parts += [
            f"By depth and length, in % of {strings} strings each, half of them balanced; the number of"
            " networks is in brackets. Earlier runs did not keep it.\n",
            image("parentheses-reach.svg", "A map of errors by depth and length for each model and method."),
        ]
    return parts


def _states(own: Runs, made: dict[str, str]) -> list[str]:
    parts = ["## States along a string\n"]
    for method in METHODS.values():
        kept = {
            name: next((run["along"] for run in runs if "along" in run), None)
            for name, runs in _grouped(own, method).items()
        }
        there = {name: along for name, along in kept.items() if along is not None}
        if not there:
            parts.append(f"{_in_words(method)} (Figures 6, 12 and 13): no run has kept them.\n")
            continue
        key = "ours" if method == METHODS[True] else "paper"
        made[f"parentheses-states-{key}.svg"] = counter_pictures.states(there)
        string = next(iter(there.values()))["string"]
        parts += [
            f"{_in_words(method)} (Figures 6, 12 and 13): hidden and cell state of one network of each model"
            f" along `{string}`, a line for each unit, at most 20 of them; the depth is the thick grey"
            " line, and units that count letters leave the picture of the cell.\n",
            image(f"parentheses-states-{key}.svg", "For each model the hidden and the cell state."),
        ]
    return parts


def _centroids(own: Runs, made: dict[str, str]) -> list[str]:
    parts = ["## Centroids and their probabilities\n"]
    kept = [run for run in own if "alpha" in run.get("along", {}) and run["model"] == "sr-lstm-p"]
    if not kept:
        return [*parts, "Figure 11: no run of an SR-LSTM-P has kept them.\n"]
    for method in METHODS.values():
        run = next((run for run in kept if method_of(run) == method), None)
        if run is None:
            parts.append(f"{_in_words(method)} (Figure 11): not run.\n")
            continue
        key = "ours" if method == METHODS[True] else "paper"
        made[f"parentheses-centroids-{key}.svg"] = counter_pictures.centroids(run["along"])
        ranked = ", ".join(f"{share:.3f}" for share in run["along"]["ranked"][:3])
        parts += [
            f"{_in_words(method)} (Figure 11), the SR-LSTM-P with seed {run['seed']}: its centroids; the mean"
            f" probabilities by rank, {ranked}, ... (the paper: 0.83, 0.16, ...); and the probabilities along"
            " the string, white for 1.\n",
            image(
                f"parentheses-centroids-{key}.svg",
                "Centroids by unit, mean probabilities by rank, probabilities along the string.",
            ),
        ]
    return parts


def _certified(own: Runs) -> list[str]:
    """What ``training.language_recognition.certified`` found of the networks."""
    rows = []
    for run in own:
        said = run.get("certified")
        if said is not None:
            rows.append(
                [
                    NAMES[run["model"]],
                    method_of(run),
                    run["configuration"]["size"],
                    str(run["seed"]),
                    _theorem(said["soft"]),
                    _theorem(said["saturated"]),
                    "-" if said["word"] is None else f"`{plain_word(said['word'])}`",
                    f"{said['seconds']:.0f}",
                ]
            )
    header = ("model", "method", "set", "seed", "soft", "saturated", "wrong on", "seconds")
    says = (
        "## What is certified\n\nBy `ratproof certify` ([how](/certification.md)): *soft* is the float"
        " network on **all** strings of height at most 20 and length at most 1,000, *saturated* the one with"
        " saturated gates on all strings of every length and height at most 50. Where the soft network is not"
        " proved right, the shortest string that was found on which it is wrong, confirmed in balls.\n"
    )
    return [says, table(header, rows, css="speed") if rows else "Nothing was certified yet.\n"]


def _theorem(said: dict[str, Any]) -> str:
    if said["proved"]:
        return f"proved, {said['boxes']} boxes"
    word = said.get("word")
    wrong = "" if word is None else f"; wrong on `{plain_word(word)}`"
    return f"not proved: {plain(said['why'] or '')}{wrong}"


def plain_word(word: Sequence[str]) -> str:
    """A string, in which a letter that comes more than three times in a row is counted.

    >>> plain_word("(aaaaab)")
    '( a^5 b )'
    """
    runs: list[tuple[str, int]] = []
    for symbol in word:
        if runs and runs[-1][0] == symbol:
            runs[-1] = symbol, runs[-1][1] + 1
        else:
            runs.append((symbol, 1))
    parts = [f"{symbol}^{count}" if count > 3 else " ".join([symbol] * count) for symbol, count in runs]
    return " ".join(parts)


def _in_words(method: str) -> str:
    return "Our method" if method == METHODS[True] else "The paper's method"
