"""The table of learned languages, with one row for all runs of a recipe on a language."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from neural.state_regularized.component import finite
from training.groups import RunGroup, Table, differing_settings, groups_of, with_settings
from training.state_regularized.settings import SR_GRU

EXPERIMENTS = ("tomita", "nested", "dfa")
TITLE = "languages that state-regularized networks learned"
HEADER = (
    "language",
    "states",
    "recipe",
    "runs",
    "trained",
    "hard: exact",
    "certified",
    "soft: accepts exactly",
    "boxes",
    "median seconds",
    "most",
)
TEXTS, TRUTHS = ("language", "recipe", "outcome", "certified"), ("exact", "accepts_exactly")


def is_learned(result: dict[str, Any]) -> bool:
    """Return whether a result is of a learned language and has all fields of a row."""
    return (
        result["experiment"] in EXPERIMENTS
        and result["model"] == SR_GRU
        and all(isinstance(result.get(name), str) for name in TEXTS)
        and all(isinstance(result.get(name), bool) for name in TRUTHS)
        and type(result.get("states")) is int
        and (result.get("boxes") is None or finite(result["boxes"]))
    )


def can_be_shown(result: dict[str, Any]) -> bool:
    """Return whether the result of a learned language has all fields that the report of one run shows."""
    strings = result.get("strings")
    return (
        all(finite(result.get(name)) for name in ("training", "validation", "iterations", "restarts"))
        and isinstance(strings, dict)
        and all(_two_counts(strings.get(name)) for name in ("training", "validation"))
        and all(_compared(result.get(name)) for name in ("hard", "soft"))
        and result["certified"] in ("certified", "different", "unknown")
    )


def _two_counts(value: Any) -> bool:
    return isinstance(value, list) and [type(count) for count in value] == [int, int]


def _compared(value: Any) -> bool:
    if not isinstance(value, dict):
        return value is None
    word = value.get("difference", 0)
    letters = isinstance(word, list) and all(isinstance(letter, str) for letter in word)
    return type(value.get("states")) is int and (word is None or letters)


def tables(results: Sequence[dict[str, Any]]) -> list[Table]:
    """Return the table of languages and recipes, with the number of runs for each outcome.

    The list is empty if there are no results of learned languages.
    """
    groups = groups_of(filter(is_learned, results))
    differing = differing_settings(groups, _shown)
    return [with_settings(TITLE, HEADER, list(map(_row, groups)), differing)] if groups else []


def _shown(group: RunGroup) -> tuple[str, str]:
    return group.runs[0]["language"], group.runs[0]["recipe"]


def _row(group: RunGroup) -> list[str]:
    runs = group.runs
    counts = [
        sum(one["outcome"] == "trained" for one in runs),
        sum(one["exact"] for one in runs),
        sum(one["certified"] == "certified" for one in runs),
        sum(one["accepts_exactly"] for one in runs),
    ]
    boxes = sorted(one["boxes"] for one in runs if one["boxes"] is not None)
    shown = "" if not boxes else f"{boxes[0]} to {boxes[-1]}" if boxes[0] < boxes[-1] else str(boxes[0])
    seconds = [one["seconds"] for one in runs]
    return [
        runs[0]["language"],
        str(runs[0]["states"]),
        runs[0]["recipe"],
        str(len(runs)),
        *map(str, counts),
        shown,
        f"{median(seconds):.1f}",
        f"{max(seconds):.1f}",
    ]
