"""The page of the Tomita grammars, from the results that were kept below ``training/results``: which recipe
learns what, all models side by side, and extracted automata beside least ones (Figures 3, 4 and 8 of Wang &
Niepert 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median
from typing import Any

import numpy as np
from page_text import table
from plots import image, plotted
from runs_said import machines_of

from automata.dfa import DFA
from automata.io.drawing import svg
from automata.languages.tomita import tomita
from training.language_recognition.states_along import read
from training.language_recognition.tables import PREFIX, is_recognition, method_of
from training.state_regularized.tables import is_learned

TITLES = {"tomita": "Tomita grammars"}
GRAMMARS = range(1, 8)
MODELS = {"lstm": "LSTM", "gru": "GRU", "sr-lstm": "SR-LSTM", "sr-lstm-p": "SR-LSTM-P"}
RECIPES = ("ours", "clusters", "paper")
PAPER = {
    **dict.fromkeys((1, 2, 3, 4, 7), "recovered"),
    **dict.fromkeys((5, 6), "not recovered: at most 97.2 % right on training strings"),
}
"""What the paper says of its extraction (section 4.1 and appendix D); it prints no table."""
SAYS = """\
The seven Tomita grammars (Wang & Niepert 2019, section 4.1, Table 15, Figures 3, 4 and 8), learned from
labelled strings by SR-GRUs of 100 units and 50 centroids, whose automata are decided and certified, and by
networks that have a cell state or no centroids, which are measured.
"""
WHY_TWO = """\
`ours` puts noise on the centroids' logits and asks for margins; `clusters` trains the recurrent part alone,
with noise on its states, and then puts the centroids where the states cluster ([how](/state_regularized.md)).
The second came for larger automata: with the first, two states that share a centroid are told apart by next
to no gradient, so that ten states are hardly learned. Only `ours` trains the stochastic component, which is
what the paper is about: in `clusters` no gradient goes through it. Whether one recipe does for all seven is
in this table: *exact* counts the runs whose hard automaton accepts exactly the language (decided), *proved*
those whose soft network is proved to accept exactly the language, on all strings.
"""
Runs = Sequence[dict[str, Any]]


def pages(kept: Runs) -> dict[str, str]:
    """The page and its pictures, by path below ``experiments``."""
    made: dict[str, str] = {}
    tomita_runs = [run for run in kept if run["experiment"] == "tomita"]
    engine = [run for run in tomita_runs if is_learned(run)]
    others = [run for run in tomita_runs if is_recognition(run)]
    parts = [
        f"# {TITLES['tomita']}\n",
        SAYS,
        "## Which recipe learns what\n",
        WHY_TWO,
        _recipes(engine),
        "## All models side by side\n",
        _models(engine, others),
        "## Algorithm 1 in both readings\n",
        _counted(engine),
        "## Extracted automata beside least ones\n",
        *_automata(engine, made),
        "`ratproof campaign run training/campaigns/languages.toml --data DIR --kept"
        " training/results/languages -o languages` goes on with what is not run yet; `ratproof examples DIR`"
        " writes the automata that it needs.\n",
    ]
    if engine or others:
        parts.append(machines_of([*engine, *others]))
    made["tomita.md"] = "\n".join(parts)
    return made


def _recipes(engine: Runs) -> str:
    rows = []
    for grammar in GRAMMARS:
        cells = [str(grammar), PAPER[grammar]]
        for recipe in RECIPES:
            own = [run for run in engine if (run["language"], run["recipe"]) == (f"tomita-{grammar}", recipe)]
            if not own:
                cells += ["not run", "·"]
                continue
            exact, proved = (sum(run[key] for run in own) for key in ("exact", "accepts_exactly"))
            cells += [
                f"{exact} exact, {proved} proved, of {len(own)}",
                f"{median(run['seconds'] for run in own):.0f}",
            ]
        rows.append(cells)
    columns = [column for recipe in RECIPES for column in (f"{recipe}: runs", "seconds")]
    return table(("grammar", "the paper's extraction", *columns), rows, css="speed")


def _models(engine: Runs, others: Runs) -> str:
    says = (
        "An SR-GRU as in the table above, by `ours`. The others have the same kind of strings and the recipe"
        " of [parentheses](parentheses.md), by our method, but without its noise: errors in % on at most 300"
        " strings of length 50 and as many of length 200, the mean over seeds, and how many runs made none."
        " Grammar 6 counts modulo three: with noise on the centroids' logits SR-LSTM-P did not learn it (one"
        " seed), and SR-LSTM learned it neither so (one seed) nor without. They have no finite set of states"
        " that asking would give (an LSTM's cell, a GRU's vector): nothing is extracted of them. The paper"
        " prints no error.\n"
    )
    rows = []
    for grammar in GRAMMARS:
        own = [run for run in engine if (run["language"], run["recipe"]) == (f"tomita-{grammar}", "ours")]
        proved = sum(run["accepts_exactly"] for run in own)
        cells = [str(grammar), f"{proved} of {len(own)} proved exact" if own else "not run"]
        for model in MODELS:
            runs = [
                run
                for run in others
                if (run["model"], run["configuration"]["grammar"]) == (model, grammar)
                and method_of(run) == "ours"
            ]
            cells.append(_errors(runs) if runs else "not run")
        rows.append(cells)
    header = ("grammar", "SR-GRU", *(f"{name}, 50 / 200 (without an error; s)" for name in MODELS.values()))
    return says + "\n" + table(header, rows, css="speed")


def _errors(runs: Runs) -> str:
    errors = [[run["metrics"][f"{PREFIX}l {length}"] for length in (50, 200)] for run in runs]
    shares = " / ".join(f"{100 * mean(of_length):.2f}" for of_length in zip(*errors, strict=True))
    right = sum(not any(of_run) for of_run in errors)
    return f"{shares} ({right} of {len(runs)}; {mean(run['seconds'] for run in runs):.0f})"


def _counted(engine: Runs) -> str:
    own = [run for run in engine if "counted" in run]
    if not own:
        return "No run has kept it.\n"
    rows = []
    for run in own:
        cells = [run["language"], run["recipe"], str(run["seed"])]
        for reading in ("hard", "soft"):
            said = run["counted"][reading]
            cells += [str(said[key]) for key in ("otherwise", "unseen", "several")]
            if said["states"] is None:
                cells.append("none")
            else:
                exactly = "the language" if said["difference"] is None else "another language"
                cells.append(f"{said['states']} states, {exactly}")
        rows.append(cells)
    pairs = ("otherwise", "unseen", "several", "automaton")
    columns = [f"{reading}: {pair}" for reading in ("text's", "pseudo-code's") for pair in pairs]
    says = (
        "Transitions counted over all training and validation strings, in the reading of the text (the"
        " network moves to the most probable centroid) and of the pseudo-code (the mixture goes on). Of the"
        " pairs of a centroid and a symbol: how many are counted *otherwise* than asking says, *unseen*, or"
        " lead to *several* centroids; and the least automaton of the table, compared with the language's"
        " (decided).\n"
    )
    return says + "\n" + table(("language", "recipe", "seed", *columns), rows, css="speed")


def _automata(engine: Runs, made: dict[str, str]) -> list[str]:
    parts = [
        "On the left what asking gives for temperature → 0, states named by their centroids; on the right the"
        " least automaton of the language. Below, the transition probabilities of the soft network over time,"
        " along one string: a row for each centroid, white for 1.\n"
    ]
    for grammar in GRAMMARS:
        own = [
            run
            for run in engine
            if run["language"] == f"tomita-{grammar}" and run["recipe"] == "ours" and run.get("automaton")
        ]
        parts.append(f"### Grammar {grammar}\n")
        if not own:
            parts.append("No run has kept its automaton.\n")
            continue
        run, name = own[0], f"tomita-{grammar}"
        said = run["automaton"]
        extracted = DFA(tuple(said["alphabet"]), 0, said["table"], frozenset(said["final"]))
        made[f"{name}-extracted.svg"] = svg(extracted, names=list(map(str, said["centroids"])))
        made[f"{name}-least.svg"] = svg(tomita(grammar).dfa)
        made[f"{name}-over-time.svg"] = _over_time(run["over_time"])
        states = (
            f"{len(said['centroids'])} centroids are used; the least automaton has {run['states']} states."
        )
        parts += [
            f"Seed {run['seed']}: {states}\n",
            ":::{table}\n:class: pictures\n\n| extracted | least |\n| --- | --- |\n"
            f"| ![The extracted automaton, by centroids]({name}-extracted.svg) |"
            f" ![The least automaton of the grammar]({name}-least.svg) |\n:::\n",
            image(f"{name}-over-time.svg", "A column for each symbol and a row for each centroid."),
        ]
    return parts


def _over_time(said: dict[str, Any]) -> str:
    def draw(axes: Any) -> None:
        own = axes[0, 0]
        own.imshow(np.array(read(said["alpha"])), cmap="gray", vmin=0, vmax=1, aspect="auto")
        own.set_xticks(range(len(said["string"]) + 1), ["start", *said["string"]], fontsize=7)
        own.set_yticks(range(len(said["centroids"])), map(str, said["centroids"]), fontsize=7)
        own.set_ylabel("centroid")

    return plotted(draw, 1, 1, 0.7 + 0.18 * len(said["centroids"]))
