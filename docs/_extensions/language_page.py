"""The page of the Penn Treebank, from the results that were kept below ``training/results``: Table 3 of
Peng et al. 2018, and our models at a scale that the page names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from page_text import plain, table
from runs_said import machines_of

from theory.text_and_tables import SENTENCES
from training.language_modelling.settings import PRESETS, TABLE_3, LanguageModelling
from training.rational_recurrences.settings import MODELS

NAME = "ptb"
TITLES = {NAME: "Penn Treebank"}
NAMES = {
    "lstm": "LSTM",
    "rrnn-b": "RRNN(B)",
    "rrnn-b-max-plus": "RRNN(B), max-plus",
    "rrnn-c": "RRNN(C)",
    "rrnn-f": "RRNN(F)",
}
SIZES = {2: "10 million parameters, 2 layers", 3: "24 million, 3 layers"}
PAPER, TABLE = "peng2018rational", "3"
SETTINGS = (
    *("hidden", "layers", "epochs", "batch", "window", "rate", "decay", "decay_after", "clip"),
    *("input_dropout", "output_dropout", "vertical_dropout", "recurrent_dropout"),
)
Runs = Sequence[dict[str, Any]]


ON_A_GPU = """
How long such a run takes: in a quarter of a minute on one NVIDIA H200 (2026-11-26, torch 2.11), compiling
its kernels and starting included, `--preset paper-10m --device cuda` took 1,430 steps for RRNN(F) and 1,470
for `nn.LSTM`: the CPU, which starts the kernels, bounds both. A step has 32 columns of 35 words, and an
epoch 830 steps; at that rate 300 epochs take three quarters of an hour.
"""


def pages(kept: Runs) -> dict[str, str]:
    """The page, by its path below ``experiments``."""
    return {f"{NAME}.md": _page(kept)}


def _page(kept: Runs) -> str:
    own = [run for run in kept if run["experiment"] == NAME and "test_perplexity" in run["metrics"]]
    full = [run for run in own if run["paper"]]
    small = [run for run in own if not run["paper"]]
    parts = [
        f"# {TITLES[NAME]}\n",
        "Language modelling (Peng et al. 2018, section 6.2): word vectors and softmax have the same weights,"
        " and backpropagation through time runs over 35 words.\n",
        "## Table 3\n",
        "Perplexities on dev and test at the paper's sizes: the paper's, and ours where they were run; a dot:"
        " not run. A run of 300 epochs takes a GPU (`--preset paper-10m` or `paper-24m`).\n",
        _at_the_papers_size(full),
        ON_A_GPU,
    ]
    if small:
        parts += [*_at_our_scale(small), machines_of(small)]
    else:
        parts.append("At the scale of a CPU (`--preset small`) nothing was run yet.\n")
    parts += ["## The text and the table\n", _contradicted()]
    parts.append(
        "`ratproof campaign run training/campaigns/language.toml --data DIR --kept training/results/language"
        " -o language` goes on with what is not run yet.\n"
    )
    return "\n".join(parts)


def _at_the_papers_size(runs: Runs) -> str:
    rows = []
    for model in MODELS:
        cells = []
        for layers in SIZES:
            paper = TABLE_3[layers].get(model)
            ours = [
                r["metrics"] for r in runs if (r["model"], r["configuration"]["layers"]) == (model, layers)
            ]
            cells += ["-" if paper is None else " / ".join(f"{p:.1f}" for p in paper)]
            cells += [
                "; ".join(f"{m['dev_perplexity']:.1f} / {m['test_perplexity']:.1f}" for m in ours) or "·"
            ]
        rows.append([NAMES[model], *cells])
    header = ["model", *(f"{size}, {whose}" for size in SIZES.values() for whose in ("paper", "here"))]
    return table(header, rows, css="speed")


def _at_our_scale(runs: Runs) -> list[str]:
    """The models beside each other, where none has the paper's size."""
    first = runs[0]["configuration"]
    by_model = {model: [run for run in runs if run["model"] == model] for model in MODELS}
    fastest = {
        model: max(run["metrics"]["tokens_per_second"] or 0 for run in own)
        for model, own in by_model.items()
        if own
    }
    rows = []
    for model, own in by_model.items():
        if not own:
            rows.append([NAMES[model], *["·"] * 7])
            continue
        units = [run["decided"]["units"] for run in own if run.get("decided")]
        beside = fastest[model] / fastest["lstm"] if fastest.get("lstm") else None
        rows.append(
            [
                NAMES[model],
                f"{own[0]['metrics']['parameters']:,}",
                " ".join(f"{run['metrics']['dev_perplexity']:.1f}" for run in own),
                " ".join(f"{run['metrics']['test_perplexity']:.1f}" for run in own),
                " ".join(str(run["seed"]) for run in own),
                "no rational model" if model == "lstm" else f"{sum(units):,}",
                f"{fastest[model]:,.0f}",
                "-" if beside is None else f"{beside:.2f}",
            ]
        )
    header = (
        "model",
        "parameters",
        "dev",
        "test",
        "seeds",
        "units decided",
        "words a second",
        "of nn.LSTM's",
    )
    return [
        "## At the scale of a CPU\n",
        f"{first['layers']} layers of {first['hidden']} units, {first['epochs']} epochs in place of the"
        " paper's 300, the same settings for all models, none of them tuned: these are not the paper's"
        " perplexities, and after so few epochs they say which model learns fast rather than which one is"
        " best. One seed says nothing of the spread.\n",
        table(header, rows, css="speed"),
        "After training, units of each layer of a rational model are decided to give every string the score"
        " of their automata, for the trained weights. Words a second are those of training, softmax over all"
        f" {runs[0]['data']['words']:,} words included, on a core that other work shared: figures of whole"
        " runs, and no benchmark (see [speed](/speed.md)).\n",
        "### The settings\n",
        table(
            ("setting", "here", *(f"`{plain(name)}`" for name in PRESETS if name != "small")),
            [
                [
                    f"`{name}`",
                    f"{first[name]:.3g}",
                    *(_of_preset(preset, name) for preset in PRESETS if preset != "small"),
                ]
                for name in SETTINGS
            ],
            css="speed",
        ),
    ]


def _of_preset(preset: str, name: str) -> str:
    return f"{getattr(LanguageModelling(**PRESETS[preset]), name):.3g}"


def _contradicted() -> str:
    """What section 6.2 says of Table 3, and what the table has."""
    return "".join(
        f"- The paper says that {plain(one.says)}. In its Table {one.table} it does {plain(one.has)}.\n"
        for one in SENTENCES
        if (one.paper, one.table) == (PAPER, TABLE)
    )
