"""The reference of the Python interface: a page for the modules of a room that serve one purpose.

A page a module would be 350 pages, each with all others beside it: most of the time of a build.
"""

from __future__ import annotations

import importlib
import pkgutil
import re

from page_text import plain

from neural.layer_kind import LayerKind

ROOMS = ("automata", "theory", "neural", "ratproof", "training")

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
        "What a claim is": (
            *("claim", "reading", "theorem", "registry", "weights", "signature", "places", "induction"),
            "generality",
        ),
        "State-regularized networks, over exact numbers": (
            "state_regularized",
            *(
                f"state_regularized.shared.{name}"
                for name in ("networks", "memory", "limits", "mixtures", "bound")
            ),
        ),
        "FA-RNNs, over any numbers": ("fa_rnn", "fa_rnn.shared.networks", "fa_rnn.shared.rules"),
    },
    "neural": {
        "What layers share": (
            *("layer_kind", "stacked", "unrolled", "layer", "cell", "gated", "rrnn", "affine", "shapes"),
            *("states", "recurrence", "checkpoints"),
        ),
        "Their automata, and how gates round": ("pattern", "reading", "tracked", "rounding"),
    },
}
"""The order of the modules that have a place. Layers come first, each folder of a room by itself, and modules
that have no place here behind them.
"""


def pages() -> dict[str, str]:
    """The pages, by path: an index, one for each room, and one for each purpose in it."""
    pages = {"api/index.md": _index()}
    for room in ROOMS:
        pages[f"api/{room}.md"] = _room(room)
        for purpose, names in _grouped(room).items():
            pages[f"api/{_page(room, purpose)}.md"] = _modules_page(purpose, names)
    return pages


def _page(room: str, purpose: str) -> str:
    """The name of a purpose's page."""
    return f"{room}-{re.sub('[^a-z0-9]+', '-', purpose.lower()).strip('-')[:50]}"


def _modules_page(purpose: str, names: list[str]) -> str:
    parts = [f"# {plain(purpose)}\n"]
    parts += [
        f"## {plain(name)}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n" for name in names
    ]
    return "\n".join(parts)


def _modules(room: str) -> list[str]:
    """The room's modules, sub-packages before what is in them; the commands have a page of their own."""
    modules = pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    return [m.name for m in modules if ".commands" not in m.name]


def _index() -> str:
    rooms = "".join(f"- [{room}]({room}.md): {_first_sentence(room)}\n" for room in ROOMS)
    return (
        "# Reference\n\nThe packages, each knowing only those above it; theory and neural do not know each"
        f" other; training stands above them all.\n\n{rooms}\nThe commands have [a page of their"
        " own](command-line.md), and the [Coq sources](coq.md) theirs.\n\n"
        + _toctree(["command-line", *ROOMS, "coq"])
    )


def _room(room: str) -> str:
    parts = [f"# {room}\n\n{_first_sentence(room)}\n"]
    groups = _grouped(room)
    for purpose, names in groups.items():
        parts.append(f"## [{plain(purpose)}]({_page(room, purpose)}.md)\n")
        parts.append("".join(f"- {{py:mod}}`{name}`: {_first_sentence(name)}\n" for name in names))
    return "\n".join([*parts, _toctree([_page(room, purpose) for purpose in groups])])


def _toctree(names: list[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _grouped(room: str) -> dict[str, list[str]]:
    left = _modules(room)
    groups: dict[str, list[str]] = {}
    if room == "neural":
        groups["Layers"] = [name for name in left if _is_layer(name)]
    for purpose, short in PURPOSES.get(room, {}).items():
        groups[purpose] = [f"{room}.{name}" for name in short if f"{room}.{name}" in left]
    placed = {name for names in groups.values() for name in names}
    for name in left:
        folder = ".".join(name.split(".")[:2])
        if name not in placed and folder in left and hasattr(importlib.import_module(folder), "__path__"):
            groups.setdefault(_opening(folder).rstrip("."), []).append(name)
            placed.add(name)
    groups["More" if groups else f"All of {room}"] = [name for name in left if name not in placed]
    return {purpose: names for purpose, names in groups.items() if names}


def _is_layer(name: str) -> bool:
    """Has the module the record of a layer?"""
    return any(isinstance(value, LayerKind) for value in vars(importlib.import_module(name)).values())


def _first_sentence(module: str) -> str:
    return plain(_opening(module))


def _opening(module: str) -> str:
    words = importlib.import_module(module).__doc__ or ""
    return words.strip().partition("\n\n")[0].replace("\n", " ")
