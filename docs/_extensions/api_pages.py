"""The reference pages: one for each folder of documented modules, and one for the commands.

Modules have no pages of their own, because each page contains links to all other pages. A page for each
module would take most of the time of a build. Modules that only their own package uses are listed, with the
paths of their files.
"""

import importlib
import pkgutil
from itertools import filterfalse

import typer
from page_text import environment, render
from typer.testing import CliRunner

from neural.layer_kind import LayerKind
from ratproof.commands.app import app
from theory.claim import Claim

ROOMS = ("automata", "theory", "neural", "ratproof", "training")
DOCUMENTED = (
    "automata",
    "theory.claim",
    "theory.generality",
    "theory.induction",
    "theory.places",
    "theory.reading",
    "theory.signature",
    "theory.without",
    "neural.any_order",
    "neural.scan.matrices",
    "ratproof.api",
    "ratproof.certification.ordinary_networks.rounding",
    "ratproof.ladder.rungs",
    "ratproof.ladder.written",
    "ratproof.laws.kernels.adapters",
    "ratproof.laws.kernels.bounds",
    "ratproof.laws.kernels.published",
    "ratproof.laws.models",
)
"""The modules and packages, besides layers and claims, whose functions and classes have an entry."""
_PLAIN = {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
"""The environment variables with which the commands' help is printed."""


def pages() -> dict[str, str]:
    """Return the reference pages by path: an index, a page for each folder of modules, and the commands."""
    environment().filters |= {"opening": _opening, "file": _file}
    pages_by_path = {"api/index.md": render("api_index", rooms=ROOMS), "api/command-line.md": _commands()}
    for room in ROOMS:
        groups = [
            (page, title, list(filter(is_documented, names)), list(filterfalse(is_documented, names)))
            for page, (title, names) in _grouped(room).items()
        ]
        pages_by_path[f"api/{room}.md"] = render("api_room", room=room, groups=groups)
        for page, title, documented, _ in groups:
            if documented:
                pages_by_path[f"api/{page}.md"] = render("api_modules", title=title, names=documented)
    return pages_by_path


def is_documented(module: str) -> bool:
    """Return whether the functions and classes of a module have an entry in the reference."""
    is_named = any(f"{module}.".startswith(f"{name}.") for name in DOCUMENTED)
    return is_named or _has(LayerKind, module) or (module.startswith("theory.") and _has(Claim, module))


def _has(kind: type, module: str) -> bool:
    return any(isinstance(value, kind) for value in vars(importlib.import_module(module)).values())


def _grouped(room: str) -> dict[str, tuple[str, list[str]]]:
    """Return the groups of modules of a top-level package, each with a title, by the names of their pages."""
    groups: dict[str, tuple[str, list[str]]] = {f"{room}-more": (f"Modules of {room}", [])}
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
        folder = ".".join(module.name.split(".")[:2])
        if ".commands" in module.name:  # the commands have their own page
            continue
        if _has(LayerKind, module.name):
            groups.setdefault(f"{room}-layers", ("Layers", []))[1].append(module.name)
        elif hasattr(importlib.import_module(folder), "__path__"):
            title = _opening(folder).rstrip(".")
            groups.setdefault(folder.replace(".", "-"), (title, []))[1].append(module.name)
        else:
            groups[f"{room}-more"][1].append(module.name)
    return {page: group for page, group in groups.items() if group[1]}


def _opening(module: str) -> str:
    """Return the first paragraph of a module's docstring."""
    words = importlib.import_module(module).__doc__ or ""
    return words.strip().partition("\n\n")[0].replace("\n", " ")


def _file(module: str) -> str:
    """Return the path of a module's file in the repository."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if hasattr(importlib.import_module(module), "__path__") else f"{path}.py"


def _commands() -> str:
    """Return the page with the output of ``--help`` for each command."""
    names: list[str] = typer.main.get_command(app).list_commands(None)  # type: ignore[attr-defined, arg-type]
    helps = {
        name: CliRunner()
        .invoke(app, [*name.split(), "--help"], prog_name="ratproof", env=_PLAIN)
        .output.strip()
        for name in ("", *names)
    }
    return render("command_line", helps=helps)
