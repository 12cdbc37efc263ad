"""A page for each experiment on long sequences, from the results that were kept below ``training/results``:
the tables of Wang and Niepert 2019 beside ours, which are of another scale, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from model_names import NAMES
from page_text import plain, table
from plots import bands, image, plotted
from runs_said import machines_of
from sequence_figures import of_sentences, prototypes

from training.images.settings import FASHION, TABLE_7
from training.reviews.settings import EPOCHS_TOOK, TABLE_5, TABLE_8, TABLE_13, TABLE_16
from training.sequences.settings import MODELS
from training.tables import percent, rows_of

TITLES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST", "imdb": "IMDB"}
HEADS = {"c": "reads the last c of both layers", "h": "reads the last h"}
TWO_LAYERS = """\
Table 5 has an SR-LSTM-P of two layers whose classifier reads both last cell states, and Figure 10 (right)
compares it with one that reads the last hidden state. Accuracies in %; a dot: not run; a dash: no figure.
"""
HEADER = ("model", "paper", "here", "standard error", "each seed", "dev", "epochs", "seconds a run")
NOT_THE_PAPERS = (
    "This is not the paper's size, and the figures are not its figures: the models are compared with each"
    " other, after few epochs and with few seeds, which decides little between those that are near.\n"
)
GO_ON = (
    "`ratproof campaign run training/campaigns/sequences.toml --data DIR --kept training/results/sequences"
    " -o sequences` goes on with what is not run yet.\n"
)
Runs = Sequence[dict[str, Any]]


def pages(kept: Runs) -> dict[str, str]:
    """The pages and their pictures, by path below ``experiments``."""
    made: dict[str, str] = {}
    for name, title in TITLES.items():
        own = [run for run in kept if run["experiment"] == name and run["metrics"].get("test_accuracy")]
        if own:
            parts = _reviews(own, made) if name == "imdb" else _images(name, own, made)
            parts += [GO_ON, machines_of(own)]
        else:
            parts = ["Nothing was run yet.\n"]
        made[f"{name}.md"] = "\n".join([f"# {title}\n", *parts])
    return made


def _images(name: str, own: Runs, made: dict[str, str]) -> list[str]:
    how, data = own[0]["configuration"], own[0]["data"]
    side = how["side"]
    parts = [
        f"Images read pixel by pixel (Wang and Niepert 2019, section 4.3). Here an image has {side} x {side}"
        f" pixels, each the mean of {28 // side} x {28 // side}: {side * side} steps, where the paper has"
        f" 784. {data['train']['sentences']:,} images to train, the first ones of the file;"
        f" {data['dev']['sentences']:,} to choose the epoch, its last ones; {data['test']['sentences']:,} to"
        f" test. {_recipe(how)}\n",
        NOT_THE_PAPERS,
    ]
    for order in ("normal", "permuted"):
        runs = [run for run in own if run["configuration"]["order"] == order]
        if name == "mnist" or runs:
            parts.append(f"## In the {order} order\n")
            parts.append(_compared(runs, _paper_of_images(name, order)))
            parts += _curves(f"{name}-{order}", runs, "not in the paper", made)
    chosen = [
        run
        for run in own
        if run["model"] == "sr-lstm-p" and "prototypes" in run and run["configuration"]["order"] == "normal"
    ]
    if chosen:
        run = chosen[0]
        pictures = prototypes(run["prototypes"])
        made |= {f"{name}-{what}.svg": picture for what, picture in pictures.items()}
        parts += [
            "## The centroids' pictures\n",
            f"Of the SR-LSTM-P with seed {run['seed']}, which is right on"
            f" {percent(run['metrics']['test_accuracy'])} % of the test images: the mean probability of each"
            " centroid at each pixel, over all test images of a label (the paper's Figures 7 and 16); a"
            " column for each centroid, white for 1.\n",
            image(f"{name}-labels.svg", "A row for each label and a column for each centroid."),
            "And of the first test images, on the left, the probabilities of each centroid (Figure 17):\n",
            image(f"{name}-images.svg", "A row for each image: the image, and each centroid's picture."),
        ]
    return parts


def _paper_of_images(name: str, order: str) -> Callable[[str], str]:
    """What the paper has of a model, with the numbers of centroids."""

    def said(model: str) -> str:
        if name == "fashion-mnist":
            return f"{percent(FASHION)} (k = 10)" if model == "sr-lstm-p" else "-"
        found = [
            percent(by[order]) + ("" if k is None else f" (k = {k})")
            for (other, k), by in TABLE_7.items()
            if other == model
        ]
        return ", ".join(found) or "-"

    return said


def _reviews(own: Runs, made: dict[str, str]) -> list[str]:
    data = own[0]["data"]
    parts = [
        "Reviews of films read word by word, positive or negative (Wang and Niepert 2019, section 4.3)."
        f" {data['train']['sentences']:,} reviews to train, {data['dev']['sentences']:,} of the training file"
        f" to choose the epoch, {data['test']['sentences']:,} to test. The word vectors are GloVe 6B of 100"
        " numbers, and stay as they are; the paper's are learned. There is a start and an end token.\n",
        NOT_THE_PAPERS,
    ]
    short = [run for run in own if run["configuration"]["measured_at"]]
    deep = [run for run in own if run["configuration"]["layers"] == 2]
    whole = [run for run in own if run not in short and run not in deep]
    if whole:
        how = whole[0]["configuration"]
        parts += [
            f"## Table 5: the first {how['length']} words\n",
            f"The paper's Table 5 is of whole reviews, 285 words in the mean. {_recipe(how)} The classifier"
            " reads each unit's largest h. Accuracies in %: the paper's errors, taken from 100.\n",
            _compared(whole, _paper_of_reviews),
            *_curves("imdb", whole, "Figure 10, left; the paper's are of the test part", made),
        ]
    parts += ["### Two layers, and what the classifier reads\n", TWO_LAYERS, _heads(deep)]
    parts += _curves("imdb-heads", deep, "Figure 10, right", made, by="head")
    if short:
        parts += [
            "## Tables 4 and 13: trained on 10 words\n",
            f"{_recipe(short[0]['configuration'])} The classifier reads the last h. Errors in % on reviews"
            " cut to their first 100 and 200 words, the paper's Tables 4 and 13 and ours.\n",
            _short(short),
            *_curves("imdb-short", short, "not in the paper", made),
        ]
    chosen = [run for run in [*whole, *short] if run["model"] == "sr-lstm-p" and "words" in run]
    if chosen:
        run = chosen[0]
        made["imdb-sentences.svg"] = of_sentences(run["words"]["sentences"])
        parts += [
            "## The words of each centroid\n",
            f"Of the SR-LSTM-P with seed {run['seed']} that was trained on {run['configuration']['length']}"
            " words: the words whose mean probability to lead to a centroid, over as many words of all test"
            " reviews, is highest, of those that were read"
            f" {run['words']['least']} times or more (the paper's Tables 8 and 16, where it does not say how"
            " often).\n",
            _words(run["words"]["centroids"]),
            "The paper's Table 8, of four centroids:\n",
            table(("centroid", "words"), [[number, plain(words)] for number, words in TABLE_8]),
            "The paper's Table 16, of all ten of another network:\n",
            table(("centroid", "words"), [[number, plain(words)] for number, words in TABLE_16]),
            "The probabilities along two sentences of ours, white for 1 (Figures 14 and 15):\n",
            image("imdb-sentences.svg", "A column for each word and a row for each centroid."),
        ]
    return parts


def _heads(deep: Runs) -> str:
    """Two layers: the classifier reads all last c, or the last h."""
    rows = []
    for head, printed in (("c", f"{100 - TABLE_5['sr-lstm-p', 10, 'c', 2]:.1f}"), ("h", "-")):
        own = [run for run in deep if run["configuration"]["head"] == head]
        right = [run["metrics"]["test_accuracy"] for run in own]
        cells = (
            [
                percent(sum(right) / len(right)),
                str(len(own)),
                f"{sum(r['seconds'] for r in own) / len(own):.0f}",
            ]
            if own
            else ["·", "not run", "·"]
        )
        rows.append([HEADS[head], printed, *cells])
    return table(("SR-LSTM-P, k = 10", "paper", "here", "seeds", "seconds a run"), rows, css="speed")


def _curves(name: str, own: Runs, figure: str, made: dict[str, str], by: str = "model") -> list[str]:
    """Learning curves of the dev part, a band over seeds."""
    names = NAMES if by == "model" else HEADS
    kept = {
        title: [
            [100 * (1 - epoch["dev_accuracy"]) for epoch in run["history"]]
            for run in own
            if run["configuration"][by] == key
        ]
        for key, title in names.items()
    }
    curves = {title: lines for title, lines in kept.items() if lines}
    if not curves:
        return [f"Learning curves ({figure}): not run.\n"]

    def draw(axes: Any) -> None:
        bands(axes[0, 0], curves)
        axes[0, 0].set_xlabel("epochs")
        axes[0, 0].set_ylabel("dev error in %")

    made[f"{name}-curves.svg"] = plotted(draw, 1, 1, 3.0)
    return [
        "The error on the dev part after each epoch, the median of the seeds and a band from the least to"
        f" the most ({figure}):\n",
        image(f"{name}-curves.svg", "Dev error over epochs, a curve for each."),
    ]


def _paper_of_reviews(model: str) -> str:
    found = [
        f"{100 - error:.1f}" + ("" if k is None else f" (k = {k})")
        for (other, k, head, _), error in TABLE_5.items()
        if other == model and head == "max-h"
    ]
    return ", ".join(found) or "-"


def _short(runs: Runs) -> str:
    lengths = (100, 200)
    columns = [f"{part}, {n}" for part in ("train", "test") for n in lengths]
    header = (
        "model",
        *(f"{column}: {whose}" for column in columns for whose in ("paper", "here")),
        "seeds",
        "seconds an epoch: paper",
        "here",
    )
    rows = []
    for model in MODELS:
        own, cells = [run for run in runs if run["model"] == model], []
        for part in ("train", "test"):
            for n in lengths:
                paper = TABLE_13.get(model, {}).get(part, {}).get(n)
                right = [run["metrics"][f"{part}_{n}_accuracy"] for run in own]
                cells += [
                    "-" if paper is None else f"{paper:.1f}",
                    percent(1 - sum(right) / len(right)) if right else "·",
                ]
        took = f"{EPOCHS_TOOK[model]:.0f}" if model in EPOCHS_TOOK else "-"
        ours = f"{sum(run['seconds'] / run['epochs'] for run in own) / len(own):.0f}" if own else "·"
        rows.append([NAMES[model], *cells, str(len(own)) if own else "not run", took, ours])
    return table(header, rows, css="speed")


def _compared(runs: Runs, paper: Callable[[str], str]) -> str:
    rows = {row.model: row for row in rows_of(runs)}
    cells = []
    for model in MODELS:
        row, own = rows.get(model), [run for run in runs if run["model"] == model]
        if row is None:
            cells.append([NAMES[model], paper(model), "not run", *["·"] * 5])
            continue
        dev = sum(run["metrics"]["dev_accuracy"] for run in own) / len(own)
        cells.append(
            [
                NAMES[model],
                paper(model),
                percent(row.mean),
                percent(row.standard_error),
                " ".join(map(percent, row.accuracies)),
                percent(dev),
                str(own[0]["epochs"]),
                f"{row.seconds:.0f}",
            ]
        )
    shown = table(HEADER, cells, css="speed")
    return f"Test accuracies in %; a dot: not run; a dash: not in the paper.\n\n{shown}"


def _recipe(how: dict[str, Any]) -> str:
    return (
        f"{how['hidden']} units, {how['k']} centroids, {how['optimiser'].capitalize()} at"
        f" {how['rate']:g}, batches of {how['batch']}, at most {how['epochs']} epochs, and"
        f" {how['forget_bias']:g} added at first to the bias of the gate that keeps the state; where the"
        " paper has 256 units, RMSProp at 0.01 and no such bias. One recipe for all models, fixed before a"
        " test part was read: of the rates 0.005 and 0.002 an LSTM's accuracy on MNIST's dev part chose the"
        " first; no model has one of its own, and the rest was set by hand."
    )


def _words(centroids: Sequence[Sequence[Sequence[Any]]]) -> str:
    rows = [
        [str(number), plain(", ".join(f"{word} ({p:.2f})" for word, p, _ in words[:7]))]
        for number, words in enumerate(centroids)
    ]
    return table(("centroid", "words"), rows)
