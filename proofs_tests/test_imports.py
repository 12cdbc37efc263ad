"""Tests that the graph of imports between the project's files has no cycle, including imports inside
functions.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import automata

ROOT = Path(automata.__file__).parent.parent
ROOMS = ("automata", "theory", "neural", "ratproof", "training")


def module_name(path: Path) -> str:
    """Return the dotted name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}


def import_statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return all imports below a node, except for those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in vars(child.test).values():
            yield from import_statements(ast.Module(child.orelse, []))
        elif not isinstance(child, ast.expr):
            yield from import_statements(child)


def imported(name: str, path: Path, source: str) -> set[str]:
    """Return the other modules of the project that a file imports."""
    targets: set[str] = set()
    for statement in import_statements(ast.parse(source)):
        if isinstance(statement, ast.Import):
            targets.update(alias.name for alias in statement.names)
            continue
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        above = package[: len(package) - statement.level + 1] if statement.level else []
        base = ".".join([*above, *([statement.module] if statement.module else [])])
        members = {f"{base}.{alias.name}" for alias in statement.names}
        submodules = members & MODULES.keys()
        targets |= submodules
        if len(submodules) < len(members):
            targets.add(base)
    return (targets & MODULES.keys()) - {name}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return the nodes of a cycle, or an empty list if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@cache
def graph() -> dict[str, set[str]]:
    """Return, for each module of the project, the modules of the project that it imports."""
    return {name: imported(name, path, path.read_text("utf-8")) for name, path in MODULES.items()}


def test_no_cycle_of_imports():
    assert cycle(graph()) == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_cycle_of_folders(room):
    """Inside a top-level package, folders do not import each other either; files next to them count
    separately.
    """

    def folder(name: str) -> str:
        parts = name.split(".")
        return ".".join(parts[:2]) if (ROOT / room / parts[1 if len(parts) > 1 else 0]).is_dir() else name

    folders: dict[str, set[str]] = {}
    for name, targets in graph().items():
        if name.startswith(f"{room}."):
            own = {folder(target) for target in targets if target.startswith(f"{room}.")}
            folders.setdefault(folder(name), set()).update(own - {folder(name)})
    assert cycle({name: targets & folders.keys() for name, targets in folders.items()}) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from automata.wfsa import WFSA", {"automata.wfsa"}),
        ("def f():\n    import automata.wfsa as w", {"automata.wfsa"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from automata.wfsa import WFSA", set()),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    from automata.wfsa import WFSA", {"automata.wfsa"}),
        ("from automata import wfsa, semirings", {"automata.wfsa", "automata.semirings"}),
        ("from .wfsa import WFSA", {"automata.wfsa"}),
        ("from . import wfsa", {"automata.wfsa"}),
        ("from automata.rules import nothing_there", {"automata.rules"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_read_from_a_file_s_text(source, expected):
    assert imported("automata.example", ROOT / "automata" / "example.py", source) == expected


def test_files_that_import_each_other_are_a_cycle():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) in (["b", "c", "b"], ["c", "b", "c"])
