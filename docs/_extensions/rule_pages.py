"""A page for each experiment with rules, from the results that were kept below ``training/results``: the
tables of Jiang et al. 2020 beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from page_text import table
from runs_said import machines_of

from training.classification_with_rules.paper import SETS, TABLE_5, TABLE_6
from training.classification_with_rules.settings import FA, MODELS
from training.classification_with_rules.tables import COLUMNS, Cell, accuracies, cell_of, cells

TITLES = {"atis": "ATIS", "qc": "QC", "sms": "SMS"}
HEADER = ("model", "no training", "1 %", "10 %", "100 %")
RECIPE = """\
Recipes were chosen on the dev parts: one for 1 % of the training sentences, one for 10 % and one for all,
each for FA-RNNs, for the networks that they are compared with, for the CNN, and for those that the rules
teach (+kd and +pr); beta, of equation 6, is the authors' for each set with all sentences. The settings are in
`training/classification_with_rules/presets.py`, the runs in `training/campaigns/rules.toml`. The word vectors
are GloVe 6B of 100 numbers. Sentences of a share are drawn with the seed. The test accuracies of an earlier
recipe for FA-RNNs, on which this one stands, were seen when that was made. So were those of +kd and +pr by an
earlier recipe, with surer rules (a logit of 6 in place of 1), which was below a BiGRU on the dev parts too.
The one that replaced it was compared there, in one run of each set with 10 % of the sentences, with a weaker
imitation, of rules as sure and surer, and with none. So was that the CNN, at the others' rate, had learned
the most frequent label of ATIS alone, which the dev part shows too; its rate was chosen on the dev parts.

The rules of a label are compiled together; where several labels' rules match, the last one in the file wins,
and a sentence that matches none has the label that is most frequent in the dev part. What an untrained
network says is compared with what this rule system says, sentence by sentence. A network that reads both
directions averages the matches of the labels, not the states (see [FA-RNN](/fa_rnn.md)).
"""
AUTHORS_PROGRAM = """\
In the authors' program (RE2RNN, `train_marry_up` in `src/train.py`, commit d3bfb97) the accuracy that is
returned as the test part's, of a network that is enhanced by rules, is one on the dev part; whether the
table has such figures is not known.
"""


def page(name: str, kept: Sequence[dict[str, Any]]) -> str:
    """The page of a set."""
    own = [run for run in kept if run["experiment"] == name]
    parts = [
        f"# {TITLES[name]}\n",
        "Text classification with rules (Jiang et al. 2020, section 4).\n",
        RECIPE,
    ]
    if not own:
        return "\n".join([*parts, "Nothing was run yet.\n"])
    every = cells(own)
    parts.insert(2, _sizes(own[0]))
    parts += [_untrained(own), _results(name, every)]
    for more in (_ablations(name, every), _betas(name, own), _spam(own), _contradicted()):
        if more:
            parts.append(more)
    parts.append(
        "`ratproof campaign run training/campaigns/rules.toml --data DIR --kept training/results/rules -o"
        " rules` goes on with what is not run yet.\n"
    )
    return "\n".join([*parts, machines_of(own)])


def _sizes(run: dict[str, Any]) -> str:
    data = run["data"]
    sizes = ", ".join(
        f"{data[part]['sentences']:,} sentences {why}"
        for part, why in (("train", "to train"), ("dev", "to choose"), ("test", "to test"))
    )
    return (
        f"{sizes}; {len(data['labels'])} labels, {data['rules']['rules']} rules, {data['words']:,} words.\n"
    )


def _untrained(own: Sequence[dict[str, Any]]) -> str:
    """How often an untrained network says what the rules say."""
    lines = []
    for model in FA:
        runs = [run for run in own if run["model"] == model and run["configuration"]["share"] == 0]
        runs = [run for run in runs if run["configuration"]["beta"] == 1]
        if runs:
            least = min(run["metrics"]["untrained_test_agrees_with_rules"] for run in runs)
            lines.append(f"{model} on {100 * least:.2f} %")
    rules = own[0]["metrics"]["rules_test_accuracy"]
    says = f"The rules are right on {100 * rules:.1f} % of the test sentences."
    if lines:
        says += f" At beta = 1 the untrained networks say what they say: {', '.join(lines)} of them."
    return says + "\n"


def _results(name: str, every: dict[Any, Cell]) -> str:
    rows = {row[0]: row for row in accuracies(every, name)}
    full = [rows.get(model, [model, *["·"] * len(COLUMNS)]) for model in MODELS]
    own = [cell_of(every, name, model, share) for model in MODELS for share in COLUMNS]
    counts = " or ".join(map(str, sorted({len(cell.runs) for cell in own if cell})))
    return (
        "## Tables 4 and 5\n\nTest accuracies in %: ours, the mean and the deviation of the seeds"
        f" ({counts} of them), and the paper's in brackets; a dot: not run.\n\n"
        f"{table(HEADER, full, css='speed')}"
    )


def _ablations(name: str, every: dict[Any, Cell]) -> str | None:
    rows = []
    for variant, (_, figures) in TABLE_6.items():
        cell = cell_of(every, name, "fa-rnn", 1.0, variant)
        paper = f"{figures[SETS.index(name)]:.1f}"
        rows.append([variant, *_ours_and_seeds(cell), paper])
    if sum(row[1] != "·" for row in rows) < 2:
        return None
    says = (
        "With all training sentences. V: maxima over paths; O: the tensor is not decomposed (words that the"
        " rules do not tell apart share a matrix, and there are no word vectors); Rand: random weights at"
        " first; Rand E_w: random word vectors; Train E_R: the words' features are trained."
    )
    return f"## Table 6\n\n{says}\n\n{table(('variant', 'ours', 'seeds', 'paper'), rows, css='speed')}"


def _ours_and_seeds(cell: Cell | None) -> tuple[str, str]:
    """Two columns: ours, and of how many seeds; a dot each where nothing was run."""
    return ("·", "·") if cell is None else (cell.ours(), str(len(cell.runs)))


def _betas(name: str, own: Sequence[dict[str, Any]]) -> str | None:
    """What Figure 3 shows."""
    columns: dict[float, dict[float, Cell]] = {}
    for (_, model, variant, share, beta), cell in cells(own).items():
        if model == "fa-rnn" and variant == "F" and share in (0.0, 1.0):
            columns.setdefault(beta, {})[share] = cell
    if len(columns) < 3:
        return None
    rows = [
        [f"{beta:g}", *_ours_and_seeds(own_cells.get(0.0)), *_ours_and_seeds(own_cells.get(1.0))]
        for beta, own_cells in sorted(columns.items())
    ]
    return "## Figure 3\n\nThe FA-RNN's test accuracy in % with different betas (equation 6).\n\n" + table(
        ("beta", "no training", "seeds", "100 %", "seeds"), rows, css="speed"
    )


def _spam(own: Sequence[dict[str, Any]]) -> str | None:
    """What Figure 2 shows."""
    rows = []
    every = cells(own)
    for model in ("fa-rnn", "gru", "bigru+io"):
        for share in COLUMNS:
            cell = cell_of(every, own[0]["experiment"], model, share)
            if cell is not None and all("test_recall" in run["metrics"] for run in cell.runs):
                means = [mean(cell.metric(f"test_{what}")) for what in ("precision", "recall")]
                rows.append([model, f"{100 * share:g} %", *(f"{100 * one:.1f}" for one in means)])
    if not rows:
        return None
    return "## Figure 2\n\nPrecision and recall of spam, in %, means of the seeds.\n\n" + table(
        ("model", "sentences", "precision", "recall"), rows, css="speed"
    )


def _contradicted() -> str:
    """What section 4.4 and section 5 say, and what the tables have."""
    few = [(name, column) for name in SETS for column in (0, 1)]
    above = {
        (name, column): [
            model
            for model in MODELS
            if model not in FA
            and TABLE_5[model][3 * SETS.index(name) + column]
            > TABLE_5["fa-rnn"][3 * SETS.index(name) + column]
        ]
        for name, column in few
    }
    said = "; ".join(
        f"on {TITLES[name]} with {('1', '10')[column]} %, {', '.join(models)} are above the FA-RNN"
        for (name, column), models in above.items()
        if models
    )
    kept = TABLE_6["F"][1]
    better = {
        what: [TITLES[name] for i, name in enumerate(SETS) if TABLE_6[what][1][i] > kept[i]]
        for what in ("F-O", "Train E_R")
    }
    lines = [
        f"The paper says that its methods outperform all others with few sentences; in its Table 5, {said}."
    ]
    for what, names in better.items():
        if names:
            lines.append(f"In its Table 6, {what} is better than F on {', '.join(names)}.")
    lines.append(AUTHORS_PROGRAM)
    return "## The text and the tables\n\n" + " ".join(lines) + "\n"
