"""Sessions, which save the sampled mutants and their outcomes in a JSON file, so that a run can be resumed.

``proofs_tests/mutants_equivalent.toml`` lists the mutants that are judged to be equivalent to the original
code, with the reasons.
"""

from __future__ import annotations

import json
import os
import random
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mutants.mutations import Mutation, MutationSite, diff, mutation, mutation_sites

EQUIVALENT = "proofs_tests/mutants_equivalent.toml"


@dataclass
class Mutant:
    """A mutation of a file, with its outcomes.

    Attributes:
        passes: for each pass, the outcome (``killed``, ``timed out`` or ``survived``), and the test that
            failed or timed out.
    """

    room: str
    file: str
    line: int
    definition: str
    operator: str
    before: str
    after: str
    diff: str
    passes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key of the mutant, which is independent of the file's name and of line numbers."""
        return self.room, self.definition, self.before.strip(), self.after.strip()

    @property
    def outcome(self) -> str | None:
        """The outcome of the last pass; ``None`` before the first pass."""
        return next(reversed(self.passes.values()))["outcome"] if self.passes else None


@dataclass
class MutantSession:
    """A session: the sampled mutants and the times of the tests.

    Attributes:
        path: the session's file.
        seed: the seed of the sample.
        mutants: the mutants in the order of drawing.
        tree: the digest of the tree on which the tests' times were measured (:func:`mutants.trial.digest`).
        clean: the seconds of each test without a mutant, keyed by the number of examples; ``None`` for
            failing tests.
    """

    path: Path
    seed: int
    mutants: list[Mutant] = field(default_factory=list)
    tree: str = ""
    clean: dict[str, dict[str, float | None]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, seed: int) -> MutantSession:
        """Load the session from a file, or create a new session."""
        if not path.exists():
            return cls(path, seed)
        data = json.loads(path.read_text())
        mutants = [Mutant(**m) for m in data["mutants"]]
        return cls(path, data["seed"], mutants, data["tree"], data["clean"])

    def write(self) -> None:
        """Replace the file atomically."""
        data = {"seed": self.seed, "mutants": [asdict(m) for m in self.mutants]}
        data |= {"tree": self.tree, "clean": self.clean}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(data, indent=1))
        os.replace(partial, self.path)

    def fit(self, tree: str) -> None:
        """Discard the measured times of the tests if the tree has changed."""
        if self.tree != tree:
            self.tree, self.clean = tree, {}

    def draw(self, root: Path, rooms: Iterable[str], size: int) -> None:
        """Draw mutants until there are ``size``, spread over the packages in proportion to their lines."""
        for room, count in shares(root, rooms, size).items():
            there = [m for m in self.mutants if m.room == room]
            drawn, keys = sampled(root, room, self.seed), {(m.file, m.line) for m in there}
            while len(there) < count and (mutant := next(drawn, None)) is not None:
                if (mutant.file, mutant.line) not in keys:
                    there.append(mutant)
                    self.mutants.append(mutant)


def files_of(root: Path, room: str) -> list[Path]:
    """Return the source files of a top-level package."""
    return sorted((root / room).rglob("*.py"))


def shares(root: Path, rooms: Iterable[str], size: int) -> dict[str, int]:
    """Divide ``size`` mutants among the top-level packages, in proportion to their nonblank lines."""
    lines = {r: sum(bool(x.strip()) for p in files_of(root, r) for x in p.open()) for r in rooms}
    exact = {r: size * n / sum(lines.values()) for r, n in lines.items()}
    result = {r: int(x) for r, x in exact.items()}
    for room in sorted(exact, key=lambda r: result[r] - exact[r])[: size - sum(result.values())]:
        result[room] += 1
    return result


def sampled(root: Path, room: str, seed: int) -> Iterator[Mutant]:
    """Yield one mutant for each line that has any, in a random order that the seed determines.

    With the same seed, a larger sample begins with the smaller one.
    """
    by_line: dict[tuple[Path, int], list[MutationSite]] = {}
    for path in files_of(root, room):
        for site in mutation_sites(path.read_text()):
            by_line.setdefault((path, site.line), []).append(site)
    rng = random.Random(f"{seed} {room}")
    lines = list(by_line)
    rng.shuffle(lines)
    for path, line in lines:
        source, choices = path.read_text(), by_line[path, line]
        rng.shuffle(choices)
        for site in choices:
            mutated = mutation(source, site)
            if mutated is not None:
                yield mutant_of(root, room, path, site.operator, mutated)
                break


def mutant_of(root: Path, room: str, path: Path, operator: str, change: Mutation) -> Mutant:
    """Return a mutation of a file as a mutant without outcomes."""
    name = path.relative_to(root).as_posix()
    text = diff(name, path.read_text(), change.text)
    return Mutant(room, name, change.line, change.definition, operator, change.before, change.after, text)


def located(source: str, definition: str, before: str, after: str) -> Iterator[Mutation]:
    """Yield the mutations of a source text in the given definition that change ``before`` to ``after``."""
    before, after = before.strip(), after.strip()
    first = before.splitlines()[:1]
    lines = {i for i, line in enumerate(source.splitlines(), start=1) if [line.strip()] == first}
    last = len(before.splitlines()) + 1
    for site in mutation_sites(source):
        if any(i - 1 <= site.line < i + last for i in lines):
            change = mutation(source, site)
            if change is None or change.definition != definition:
                continue
            if (change.before.strip(), change.after.strip()) == (before, after):
                yield change


def equivalent(root: Path) -> dict[tuple[str, str, str, str], str]:
    """Return the mutants that are judged equivalent, with the reason for each."""
    path = root / EQUIVALENT
    entries = tomllib.loads(path.read_text()).get("equivalent", []) if path.exists() else []
    return {(e["room"], e["in"], e["before"].strip(), e["after"].strip()): e["why"] for e in entries}


def stale(root: Path, rooms: Iterable[str]) -> list[tuple[str, str, str, str]]:
    """Return the entries of ``mutants_equivalent.toml`` that no longer match a mutation."""
    return [key for key in equivalent(root) if key[0] in rooms and not _applies(root, *key)]


def _applies(root: Path, room: str, where: str, before: str, after: str) -> bool:
    sources = (p.read_text() for p in files_of(root, room))
    near = (s for s in sources if before.splitlines()[0] in s)
    return any(True for s in near for _ in located(s, where, before, after))
