"""The reference of the Python interface: a page a module, grouped by room and by purpose."""

from __future__ import annotations

import importlib
import pkgutil

from page_text import plain

ROOMS = ("automata", "theory", "neural", "ratproof")

PURPOSES: dict[str, dict[str, tuple[str, ...]]] = {
    "automata": {
        "An automaton and its weights": (
            "wfsa",
            "aliases",
            "semirings",
            "polynomials",
            "weights",
            "number_text",
            "fraction_matrices",
            "symbols",
            "errors",
        ),
        "Deterministic and probabilistic automata": (
            "dfa",
            "probabilistic",
            "most_probable",
            "checks",
            "tomita",
            "parentheses",
        ),
        "Scores and paths": (
            "forward",
            "backward",
            "viterbi",
            "batch",
            "compiled_loops",
            "tree",
            "paths",
            "strings",
        ),
        "Automata from automata": ("operations", "reachability", "epsilon"),
        "Files and drawings": ("files", "json_format", "att_format", "drawing", "labels", "printable_text"),
        "Random strings and automata": ("sampling", "strategies", "dfa_strategies", "random_dfas", "corners"),
        "Equal on all strings, and the least automaton": (
            *(
                "equivalence",
                "equivalence.answers",
                "equivalence.certificates",
                "minimise",
                "hankel",
                "determinisation",
                "affine",
                "modes",
                "forms",
            ),
            *(
                f"equivalence.{name}"
                for name in ("field", "integers", "explore", "echelon", "vectors", "lift")
            ),
            *(f"equivalence.{name}" for name in ("pairs", "unambiguous", "arrows", "symbols")),
        ),
        "Rules over words": (
            "rules",
            *(
                f"rules.{name}"
                for name in (
                    "syntax",
                    "parser",
                    "rule_files",
                    "words",
                    "vocabulary",
                    "thompson",
                    "compiling",
                    "rule_set",
                )
            ),
            *(
                f"rules.{name}"
                for name in ("matching", "spelled", "elimination", "simplify", "logic", "strategies")
            ),
        ),
        "Evidence": ("rounding", "openfst", "openfst_scores"),
    },
    "theory": {
        "What a claim is": ("claim", "registry", "weights", "signature", "places", "induction", "generality"),
        "State-regularized networks, over exact numbers": (
            "state_regularized",
            *(f"state_regularized.{name}" for name in ("networks", "memory", "limits", "mixtures", "bound")),
        ),
        "FA-RNNs, over any numbers": ("fa_rnn", "fa_rnn.networks", "fa_rnn.rules"),
    },
    "neural": {
        "Layers": (
            *(
                "example_6",
                "rrnn_b",
                "rrnn_b_max_plus",
                "rrnn_c",
                "rrnn_f",
                "sru",
                "qrnn",
                "strongly_typed",
                "scrn",
                "rcnn",
            ),
            *("isan", "elman"),
        ),
        "State-regularized networks": (
            "state_regularized",
            *(
                f"state_regularized.{name}"
                for name in ("layers", "component", "parts", "acceptor", "files", "unrolled_gru")
            ),
        ),
        "FA-RNNs": (
            "fa_rnn",
            *(
                f"fa_rnn.{name}"
                for name in (
                    "network",
                    "cells",
                    "factors",
                    "approximate",
                    "bidirectional",
                    "classifier",
                    "aggregation",
                    "editing",
                    "files",
                )
            ),
        ),
        "What layers share": (
            *(
                "stacked",
                "unrolled",
                "layer",
                "cell",
                "gated",
                "rrnn",
                "affine",
                "shapes",
                "states",
                "recurrence",
                "checkpoints",
            ),
        ),
        "Their automata, and how gates round": ("pattern", "reading", "tracked", "rounding"),
    },
    "ratproof": {
        "What evidence is": ("kinds", "evidence", "results", "ledger", "disagreement"),
        "Comparing the two sides": (
            *(
                "agree",
                "comparisons",
                "networks",
                "exhaust",
                "decide",
                "prove",
                "invariant_boxes",
                "no_automaton",
                "ladder",
                "network_ladder",
                "sampled_runs",
                "chernoff",
                "text",
                "strategies",
            ),
        ),
        "Claims of your own": ("believe", "believe_module", "check"),
        "Showing that a cell is no automaton": (
            *("not_rational", "not_rational.hankel_bound", "not_rational.matrix"),
            *(f"not_rational.{name}" for name in ("every_size", "attraction", "duals", "poles", "germs")),
        ),
        "FA-RNNs": ("fa_rnn_decided", "fa_rnn_runs"),
        "Certified temperature": (
            *(
                "certify",
                "certify.certify",
                "certify.numbers",
                "certify.cells",
                "certify.mixing",
                "certify.soft_run",
            ),
            *(
                f"certify.{name}"
                for name in ("boxes", "floats", "balls", "proof", "certificate", "hard", "ball_run", "search")
            ),
        ),
        "A network's automata and pictures": (
            *("extraction", "extraction.counts", "extraction.probabilities", "extraction.figures"),
        ),
        "Checking a certificate, with no other code of ratproof": (
            "check_boxes",
            "check_certificate",
            "check_bisimulation",
            "check_hankel",
            "check_invariant",
        ),
        "Running": (
            "verify",
            "hunt",
            "plugin",
            "judge",
            "checkers",
            "report",
            "proof_text",
            "counterexamples",
        ),
        "The command line": ("main", "terminal", "interruptions"),
    },
}
"""The order of the modules that have a place; a module that has none here comes behind them."""


def pages() -> dict[str, str]:
    """The pages, by path: an index, one for each room, and one for each module."""
    made = {"api/index.md": _index()}
    for room in ROOMS:
        made[f"api/{room}.md"] = _room(room)
        for name in _modules(room):
            title = name.removeprefix(f"{room}.").replace("_", "\\_")
            made[f"api/{name}.md"] = (
                f"# {title}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"
            )
    return made


def _modules(room: str) -> list[str]:
    """The room's modules, sub-packages before what is in them; the commands have a page of their own."""
    found = pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    return [m.name for m in found if not m.name.startswith("ratproof.commands")]


def _index() -> str:
    rooms = "".join(f"- [{room}]({room}.md): {_first_sentence(room)}\n" for room in ROOMS)
    return (
        "# Reference\n\nThe packages, each knowing only those above it; theory and neural do not know each"
        f" other.\n\n{rooms}\nThe commands have [a page of their"
        f" own](command-line.md).\n\n{_toctree(['command-line', *ROOMS])}"
    )


def _room(room: str) -> str:
    parts = [f"# {room}\n\n{_first_sentence(room)}\n"]
    listed: list[str] = []
    for purpose, names in _grouped(room).items():
        parts += [f"## {purpose}\n"] if purpose else []
        parts.append("".join(f"- [`{name}`]({name}.md): {_first_sentence(name)}\n" for name in names))
        listed += names
    return "\n".join([*parts, _toctree(listed)])


def _toctree(names: list[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _grouped(room: str) -> dict[str, list[str]]:
    left = _modules(room)
    groups: dict[str, list[str]] = {}
    for purpose, short in PURPOSES.get(room, {}).items():
        groups[purpose] = [f"{room}.{name}" for name in short if f"{room}.{name}" in left]
    placed = {name for names in groups.values() for name in names}
    groups["More" if groups else ""] = [name for name in left if name not in placed]
    return {purpose: names for purpose, names in groups.items() if names}


def _first_sentence(module: str) -> str:
    words = importlib.import_module(module).__doc__ or ""
    return plain(words.strip().partition("\n")[0])
