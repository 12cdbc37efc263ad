"""Generation of the tables about certified ordinary networks, from ``bench/results/ordinary.json``."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from page_text import render

FILE = "ordinary.json"
CELLS = {"rnn": "RNN (tanh)", "gru": "GRU", "lstm": "LSTM"}
TRAININGS = {"ordinary": "ordinary", "noise": "with noise", "hardened": "`harden`"}
VERDICTS = ("certified", "different", "unknown")
MOST_SYMBOLS = 40
"""The maximum length of a string that is shown in full."""
MOST_STRINGS = 12
Runs = Sequence[dict[str, Any]]


def pages(root: Path) -> dict[str, str]:
    """Return the tables by path; ``root`` is the project folder."""
    file = root / "bench" / "results" / FILE
    if not file.exists():
        return {"claims/ordinary-figures.txt": "Not measured yet.\n"}
    data = json.loads(file.read_text(encoding="utf-8"))
    machine = f"Measured on {data['date']} with {data['cores']} cores ({data['versions']}).\n"
    return {"claims/ordinary-figures.txt": f"{tables(data['networks'])}\n{machine}"}


def tables(runs: Runs) -> str:
    """Return the tables about these networks as Markdown."""
    right = [run for run in runs if run["training"] == "ordinary" and run["right_to_11"]]
    wrong = sorted(
        (run for run in right if run["verdict"] == "different"),
        key=lambda run: (len(run["word"]), run["word"]),
    )
    by_verdict = {verdict: [run for run in runs if run["verdict"] == verdict] for verdict in VERDICTS}
    asked = [run for run in by_verdict["different"] if run["oracle"] is not None]
    return render(
        "ordinary",
        runs=runs,
        right=right,
        wrong=wrong,
        by_verdict=by_verdict,
        asked=asked,
        missed=[run for run in asked if not run["oracle"]["found"]],
        groups=[
            (CELLS[cell], TRAININGS[training], own)
            for cell in CELLS
            for training in TRAININGS
            if (own := [run for run in runs if (run["cell"], run["training"]) == (cell, training)])
        ],
        languages=[
            (title_of(language), own)
            for language in dict.fromkeys(run["language"] for run in runs)
            if (own := [run for run in runs if run["language"] == language])
        ],
        verdicts=VERDICTS,
        trainings=TRAININGS,
        cells=CELLS,
        counted=counted,
        middle=middle,
        shortened=shortened,
        title_of=title_of,
        most=MOST_STRINGS,
    )


def counted(runs: Runs, verdict: str) -> int:
    """Return the number of networks with a verdict."""
    return sum(run["verdict"] == verdict for run in runs)


def middle(runs: Runs, field: str) -> str:
    """Return the median of a field, or a dot if no run has this field."""
    values = [run[field] for run in runs if run.get(field) is not None]
    return f"{median(values):,.3g}" if values else "·"


def shortened(word: Sequence[str]) -> str:
    """Return a string as code, without its middle part if it is long.

    >>> shortened(["0", "1"])
    '`01`'
    """
    text = "".join(word) if all(len(symbol) == 1 for symbol in word) else " ".join(word)
    half = MOST_SYMBOLS // 2
    return f"`{text}`" if len(text) <= MOST_SYMBOLS else f"`{text[:half]}…{text[-half:]}`"


def title_of(language: str) -> str:
    """Return the display name of a language.

    >>> title_of("tomita4"), title_of("random10"), title_of("rule200")
    ('Tomita 4', 'random, 10 states', 'rule over 200 words')
    """
    if language.startswith("rule"):
        return f"rule over {language.removeprefix('rule')} words"
    if language.startswith("tomita"):
        return f"Tomita {language.removeprefix('tomita')}"
    if language.startswith("random"):
        return f"random, {language.removeprefix('random')} states"
    return language
