"""The page of language modelling on Wikipedia's articles: Table 14 of Wang & Niepert 2019, and what ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from page_text import table
from runs_said import machines_of

from training.wikipedia.corpus import WHERE
from training.wikipedia.settings import TABLE_14

TITLES = {"wikipedia": "Wikipedia"}
NAMES = {"lstm": "LSTM", "lstm-p": "LSTM-P", "sr-lstm": "SR-LSTM", "sr-lstm-p": "SR-LSTM-P"}
HEADER = ("model", "parameters", "dev: paper", "here", "test: paper", "here", "seeds", "seconds a run")


def pages(kept: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The page, by its path below ``experiments``."""
    own = [run for run in kept if run["experiment"] == "wikipedia"]
    rows = []
    for model, (dev, test) in TABLE_14.items():
        runs = [run for run in own if run["model"] == model]
        parameters = "47.3M" if model.startswith("sr-") else "47.0M"
        rows.append(
            [
                NAMES[model],
                parameters,
                str(dev),
                _mean(runs, "dev_perplexity"),
                str(test),
                _mean(runs, "test_perplexity"),
                str(len(runs)) if runs else "not run",
                f"{sum(run['seconds'] for run in runs) / len(runs):.0f}" if runs else "·",
            ]
        )
    parts = [
        f"# {TITLES['wikipedia']}\n",
        "Language modelling on 7,500 articles of Wikipedia (Wang & Niepert 2019, appendix C.2): 22.5"
        " million words to train, 77,000 of them known, 300 units, 1,000 centroids. The corpus is published"
        f" at {WHERE}; it was not at hand here. Loader and settings are tested on small files of its form,"
        " and the models have the paper's numbers of parameters, to the digits that it prints.\n",
        "## Table 14\n",
        f"Perplexities; a dot: not run.\n\n{table(HEADER, rows, css='speed')}",
        "`ratproof train wikipedia --model sr-lstm --data DIR -o run` trains one"
        " ([training](/training.md)).\n",
    ]
    if own:
        parts.append(machines_of(own))
    return {"wikipedia.md": "\n".join(parts)}


def _mean(runs: Sequence[dict[str, Any]], metric: str) -> str:
    return f"{sum(run['metrics'][metric] for run in runs) / len(runs):.1f}" if runs else "·"
