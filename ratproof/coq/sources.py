"""The files of ``theory/coq``, the comment above each theorem, and the recorded statements.

The files are read only for comments and line numbers. The statement of a theorem is Coq's own output
(:mod:`ratproof.coq.theorems`). ``statements.txt`` records it, so that it is available without Coq and changes
are detected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import theory

KEPT = "statements.txt"
THEOREM = re.compile(r"\(\*(?P<comment>.*?)\*\)|^\s*Theorem\s+(?P<name>\w+)", re.DOTALL | re.MULTILINE)
KEPT_STATEMENT = re.compile(r"\(\* (\S+) ([0-9a-f]+) \*\)\n(.*?)\n\n", re.DOTALL)


@dataclass(frozen=True)
class Printed:
    """A statement as Coq prints it.

    Attributes:
        text: The theorem's type after every section is closed, with notations.
        digest: Hash of this type, printed without notations and with all coercions and implicit arguments.
    """

    text: str
    digest: str


@dataclass(frozen=True)
class Statement:
    """A theorem of the development.

    Attributes:
        name: The dotted name: the file below ``theory/coq``, then the theorem.
        says: The comment above it.
        line: The number of its first line.
        kept: The recorded statement; ``None`` if there is none.
    """

    name: str
    says: str
    line: int
    kept: Printed | None

    @property
    def module(self) -> str:
        """Return the file's name in Coq."""
        return "ratproof." + self.name.rpartition(".")[0]

    @property
    def text(self) -> str:
        """Return the recorded statement."""
        return "" if self.kept is None else self.kept.text


def source_folder() -> Path:
    """Return the folder of the files: ``theory/coq`` of a clone, or of the installed package."""
    return Path(next(iter(theory.__path__))) / "coq"


def source_files() -> list[Path]:
    """Return all files of the development."""
    return sorted(source_folder().rglob("*.v"))


def modules() -> list[str]:
    """Return the Coq names of all files."""
    return [
        "ratproof." + ".".join(file.relative_to(source_folder()).with_suffix("").parts)
        for file in source_files()
    ]


@cache
def statements() -> dict[str, Statement]:
    """Return every theorem by its name."""
    return statements_in(source_folder())


def statements_in(folder: Path) -> dict[str, Statement]:
    """Return the theorems in the files of a folder by their names, with the recorded statements."""
    kept = kept_statements(folder)
    by_name = {}
    for file in sorted(folder.rglob("*.v")):
        module = ".".join(file.relative_to(folder).with_suffix("").parts)
        for name, says, line in theorems_of(file.read_text(encoding="utf-8")):
            full = f"{module}.{name}"
            by_name[full] = Statement(full, says, line, kept.get(full))
    return by_name


def kept_statements(folder: Path) -> dict[str, Printed]:
    """Return the statements in a folder's ``statements.txt``, keyed by the theorems' names."""
    text = (folder / KEPT).read_text(encoding="utf-8")
    return {name: Printed(text, digest) for name, digest, text in KEPT_STATEMENT.findall(text)}


def requirements(module: str) -> list[str]:
    """Return the lines with which a file (``ratproof.fa_rnn.beta_1``) imports other files."""
    file = source_folder().joinpath(*module.split(".")[1:]).with_suffix(".v")
    return re.findall(
        r"^From ratproof\S* Require Import .*\.$", file.read_text(encoding="utf-8"), re.MULTILINE
    )


def theorems_of(text: str) -> list[tuple[str, str, int]]:
    """Return for each theorem of a file its name, the comment before it, and its line."""
    theorems, sentence = [], ""
    for match in THEOREM.finditer(text):
        if match["name"] is None:
            sentence = " ".join(match["comment"].split())
        else:
            theorems.append((match["name"], sentence, text.count("\n", 0, match.start("name")) + 1))
    return theorems
