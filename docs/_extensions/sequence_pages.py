"""Generation of the pages about long sequences, with our tables next to those of Wang & Niepert 2019."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pictures
from page_text import environment, render
from plots import bands, plotted

from training.images.settings import FASHION, TABLE_7
from training.reviews import settings as reviews
from training.sequences.settings import MODELS
from training.tables import percent, row_of_each_model

HEADS = {"c": "reads the last c of both layers", "h": "reads the last h"}
Runs = Sequence[dict[str, Any]]


def pages(name: str, runs: Runs) -> dict[str, str]:
    """Return the page of an experiment and its pictures by file name.

    Args:
        name: the name of the experiment.
        runs: the results of the experiment.
    """
    own = [run for run in runs if run["metrics"].get("test_accuracy")]
    regularised = [run for run in own if run["model"] == "sr-lstm-p"]
    files: dict[str, str] = {}
    groups: dict[str, list[dict[str, Any]]] = {}
    if name == "imdb":
        ten = [run for run in own if run["configuration"]["measured_at"]]
        groups["paper"] = [run for run in ten if run["configuration"]["embedding"] == "learned"]
        groups["short"] = [run for run in ten if run not in groups["paper"]]
        groups["heads"] = [run for run in own if run["configuration"]["layers"] == 2]
        groups["all"] = [run for run in own if run not in ten and run not in groups["heads"]]
        chosen = [run for run in groups["all"] + groups["short"] if run in regularised and "words" in run]
        if chosen:
            files["imdb-sentences.svg"] = pictures.of_sentences(chosen[0]["words"]["sentences"])
    else:
        few = [run for run in own if run["configuration"]["images"]]
        for order in ("normal", "permuted"):
            groups[order] = [run for run in few if run["configuration"]["order"] == order]
        groups["whole"] = [run for run in own if run not in few]
        chosen = [run for run in groups["normal"] if run in regularised and "prototypes" in run]
        for what in ("labels", "images") if chosen else ():
            kept = chosen[0]["prototypes"]
            files[f"{name}-{what}.svg"] = pictures.prototypes(kept[what], kept["side"])
    for group, some in groups.items():
        if some:
            file = f"{name}-curves.svg" if group == "all" else f"{name}-{group}-curves.svg"
            files[file] = _curves(some, "head" if group == "heads" else "model")
    page = render(
        "reviews" if name == "imdb" else "images",
        name=name,
        own=own,
        groups=groups,
        rows={group: row_of_each_model(some) for group, some in groups.items() if group != "heads"},
        chosen=chosen,
        models=MODELS,
        heads=HEADS,
        printed=reviews,
        paper=partial(_paper, name),
    )
    return {**files, f"{name}.md": page}


def _paper(name: str, model: str, order: str) -> str:
    """Format the paper's results for a model, each with its number of centroids k."""
    if name == "fashion-mnist":
        return f"{percent(FASHION)} (k = 10)" if model == "sr-lstm-p" else "-"
    if name == "mnist":
        accuracies = [(k, percent(by[order])) for (other, k), by in TABLE_7.items() if other == model]
    else:
        accuracies = [
            (k, f"{100 - error:.1f}")
            for (other, k, head, _), error in reviews.TABLE_5.items()
            if (other, head) == (model, "max-h")
        ]
    return ", ".join(share + ("" if k is None else f" (k = {k})") for k, share in accuracies) or "-"


def _curves(own: Runs, by: str) -> str:
    """Draw the dev errors, with a band over the seeds for each model, or for each head (classifier input)."""
    names = HEADS if by == "head" else environment().globals["model_names"]
    curves = {
        title: [
            [100 * (1 - epoch["dev_accuracy"]) for epoch in run["history"]]
            for run in own
            if run["configuration"][by] == key
        ]
        for key, title in names.items()
    }

    def draw(axes: Any) -> None:
        bands(axes[0, 0], {title: lines for title, lines in curves.items() if lines})
        axes[0, 0].set_xlabel("epochs")
        axes[0, 0].set_ylabel("dev error in %")

    return plotted(draw, 1, 1, 3.0)
