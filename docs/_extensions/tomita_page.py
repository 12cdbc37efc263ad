"""The page of the Tomita grammars: recipes, models, and extracted automata beside the minimal ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from page_text import render
from pictures import over_time

from automata.dfa import DFA
from automata.drawing import svg
from automata.languages.tomita import tomita
from training.language_recognition.tables import is_recognition, method_of
from training.state_regularized.tables import is_learned

GRAMMARS = range(1, 8)


def pages(own: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the page and its pictures, by path, from the results of the experiment."""
    engine = [run for run in own if is_learned(run)]
    others = [run for run in own if is_recognition(run)]
    drawn = {}
    made = {}
    for grammar in GRAMMARS:
        kept = [
            run
            for run in engine
            if (run["language"], run["recipe"]) == (f"tomita-{grammar}", "ours") and run.get("automaton")
        ]
        if kept:
            drawn[grammar], found = kept[0], kept[0]["automaton"]
            extracted = DFA(tuple(found["alphabet"]), 0, found["table"], frozenset(found["final"]))
            made[f"tomita-{grammar}-extracted.svg"] = svg(extracted, names=list(map(str, found["centroids"])))
            made[f"tomita-{grammar}-least.svg"] = svg(tomita(grammar).dfa)
            made[f"tomita-{grammar}-over-time.svg"] = over_time(kept[0]["over_time"])
    ours = [run for run in others if method_of(run) == "ours"]
    context = {"grammars": GRAMMARS, "engine": engine, "others": others, "ours": ours, "drawn": drawn}
    return {**made, "tomita.md": render("tomita", **context)}
