"""Selection of the tests that import a module, directly or indirectly, ordered by the number of imports."""

import ast
import re
from collections import deque
from pathlib import Path

ROOMS = ("automata", "theory", "neural", "ratproof")
CODE = (*ROOMS, "training", "proofs_tests")
_STARTS_PROGRAMS = re.compile(r"\bsubprocess\b|\bpytester\b|\brunpytest\w*\b")


def own_folders(root: Path, room: str) -> list[str]:
    """Return the folders with the tests of a package: those in ``proofs_tests``, and its own, for doctests.

    A folder of ``proofs_tests`` belongs to the package that has this name, or has a subpackage with this
    name. If there are several, it belongs to the first in :data:`ROOMS`. For example, ``proofs_tests/fa_rnn``
    belongs to ``theory``, because ``theory/fa_rnn`` comes before ``neural/fa_rnn``. ``theory`` also gets the
    tests of all claims.
    """
    first: dict[str, str] = {}
    for each in ROOMS:
        for folder in [root / each, *sorted(p for p in (root / each).iterdir() if p.is_dir())]:
            first.setdefault(folder.name, each)
    tests = root / "proofs_tests"
    names = [name for name, owner in first.items() if owner == room and (tests / name).is_dir()]
    ladder = (
        ["proofs_tests/test_ladder.py"] if room == "theory" and (tests / "test_ladder.py").is_file() else []
    )
    return [*(f"proofs_tests/{name}" for name in names), *ladder, room]


def test_files(root: Path) -> list[str]:
    """Return all files with tests or doctests."""
    tests = sorted(p for p in (root / "proofs_tests").rglob("test_*.py"))
    code = sorted(p for folder in (*ROOMS, "training") for p in (root / folder).rglob("*.py"))
    with_doctests = [p for p in code if ">>> " in p.read_text()]
    return [p.relative_to(root).as_posix() for p in tests + with_doctests]


class ImportGraph:
    """The import graph of the files in a source tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        files = [p for folder in CODE for p in sorted((root / folder).rglob("*.py"))]
        self.modules = {_dotted(p.relative_to(root)): p.relative_to(root).as_posix() for p in files}
        self.importers: dict[str, set[str]] = {}
        self.programs: set[str] = set()
        for path in self.modules.values():
            for imported in self._imports(path):
                self.importers.setdefault(imported, set()).add(path)

    def distances(self, path: str) -> dict[str, int]:
        """Return the distance, in imports, from each file that imports ``path`` directly or indirectly."""
        result, queue = {path: 0}, deque([path])
        while queue:
            near = queue.popleft()
            for importer in self.importers.get(near, ()):
                if importer not in result:
                    result[importer] = result[near] + 1
                    queue.append(importer)
        return result

    def ordered(self, path: str, tests: list[str]) -> list[str]:
        """Return the tests that import ``path``: first the tests with its name, then the others.

        The others are ordered by their distance from ``path`` in the import graph. Tests that start programs
        come last, because they import everything and are slow.
        """
        distances = self.distances(path)
        name = Path(path).stem

        def key(test: str) -> tuple[bool, bool, bool, int, str]:
            own = Path(test).stem.removeprefix("test_") == name
            return test != path, not own, test in self.programs, distances[test], test

        return sorted((t for t in tests if t in distances), key=key)

    def _imports(self, path: str) -> set[str]:
        text = (self.root / path).read_text()
        tree = ast.parse(text)
        package = Path(path).parent.as_posix().replace("/", ".")
        names = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    parents = package.split(".")
                    base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [base])])
                names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        if "walk_packages" in text or "iter_modules" in text:  # all modules below a package
            named = {n.split(".")[0] for n in names} | set(re.findall(r'import_module\("(\w+)"\)', text))
            names |= {m for m in self.modules if m.split(".")[0] in named & {"theory", "neural"}}
        if path.startswith("proofs_tests/") and _STARTS_PROGRAMS.search(text):
            names |= {m for m in self.modules if m.startswith(("ratproof.", "training."))}
            self.programs.add(path)
        # conftest files are read with the tests in the same folder and below it
        if path.startswith("proofs_tests/"):
            names |= {
                m
                for m in self.modules
                if m.endswith("conftest") and package.startswith(m[: -len(".conftest")])
            }
        # a package's own file runs first
        names |= {
            ".".join(parts[:k]) for n in names for parts in [n.split(".")] for k in range(1, len(parts))
        }
        return {self.modules[n] for n in names if n in self.modules} - {path}


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
