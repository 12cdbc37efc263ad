"""Generation of the page about the Tomita grammars: recipes, models, and extracted automata."""

from collections.abc import Sequence
from typing import Any

from page_text import render
from pictures import over_time

from automata.dfa import DFA
from automata.drawing import svg
from automata.languages.tomita import tomita
from training.groups import by_unique_key, groups_of
from training.language_recognition.tables import is_recognition, method_of
from training.state_regularized.tables import is_learned

GRAMMARS = range(1, 8)


def pages(own: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the page and its pictures by file name, from the results of the experiment."""
    engine = [run for run in own if is_learned(run)]
    others = [run for run in own if is_recognition(run)]
    drawn = {}
    drawings = {}
    for grammar in GRAMMARS:
        kept = [
            run
            for run in engine
            if (run["language"], run["recipe"]) == (f"tomita-{grammar}", "ours") and run.get("automaton")
        ]
        if kept:
            drawn[grammar], table = kept[0], kept[0]["automaton"]
            extracted = DFA(tuple(table["alphabet"]), 0, table["table"], frozenset(table["final"]))
            drawings[f"tomita-{grammar}-extracted.svg"] = svg(
                extracted, names=list(map(str, table["centroids"]))
            )
            drawings[f"tomita-{grammar}-least.svg"] = svg(tomita(grammar).dfa)
            drawings[f"tomita-{grammar}-over-time.svg"] = over_time(kept[0]["over_time"])
    groups = groups_of(run for run in others if method_of(run) == "ours")
    ours = by_unique_key(groups, lambda group: (group.model, group.settings["grammar"]))
    context = {"grammars": GRAMMARS, "engine": engine, "others": others, "ours": ours, "drawn": drawn}
    return {**drawings, "tomita.md": render("tomita", **context)}
