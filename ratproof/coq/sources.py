"""The source of ``theory/coq``: its files, and each theorem's sentence and statement, as they stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import theory

UNPROVED_COMMAND = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Context|Declare\s+Instance|give_up|bypass_check|Unset\s+\w+\s+Checking)\b"
)
"""Commands that would assume something, or skip a check."""


@dataclass(frozen=True)
class Statement:
    """A theorem as it stands in its file.

    Attributes:
        name: its file below ``theory/coq`` and its own name, with dots.
        says: the sentence above it.
        text: from ``Theorem`` to the proof.
        given: what its section takes for granted, in order: variables and hypotheses.
        line: where it begins.
    """

    name: str
    says: str
    text: str
    given: tuple[str, ...]
    line: int

    @property
    def module(self) -> str:
        """The file, as Coq names it."""
        return "ratproof." + self.name.rpartition(".")[0]


def source_folder() -> Path:
    """The folder of the files: ``theory/coq`` of a clone, or of the installed package."""
    return Path(next(iter(theory.__path__))) / "coq"


def source_files() -> list[Path]:
    """All files of the development."""
    return sorted(source_folder().rglob("*.v"))


def modules() -> list[str]:
    """All files, as Coq names them."""
    return [
        "ratproof." + ".".join(file.relative_to(source_folder()).with_suffix("").parts)
        for file in source_files()
    ]


def unproved_commands() -> list[str]:
    """The commands that leave something unproved, each with its file and line; and the parts that
    :data:`TOKEN` does not match.
    """
    return [
        f"{file.relative_to(source_folder())}{problem}"
        for file in source_files()
        for problem in _problems(file.read_text(encoding="utf-8"))
    ]


@cache  # files are read anew for each theorem, and hardly ever change
def _problems(text: str) -> tuple[str, ...]:
    text = _without_comments(text)
    problems = []
    for match in UNPROVED_COMMAND.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        problems.append(f", line {line}: {match[0]}")
    return (*problems, *(f": {what}" for what in _unmatched(text)))


@cache
def statements() -> dict[str, Statement]:
    """Every theorem by its name."""
    by_name = {}
    for file in source_files():
        module = ".".join(file.relative_to(source_folder()).with_suffix("").parts)
        for statement in _statements(module, file.read_text(encoding="utf-8")):
            by_name[statement.name] = statement
    return by_name


def requirements(module: str) -> list[str]:
    """The lines by which a file (``ratproof.fa_rnn.beta_1``) imports others of the development."""
    file = source_folder().joinpath(*module.split(".")[1:]).with_suffix(".v")
    return re.findall(
        r"^From ratproof\S* Require Import .*\.$", file.read_text(encoding="utf-8"), re.MULTILINE
    )


TOKEN = re.compile(
    r"\(\*(?P<comment>.*?)\*\)|^Section (?P<section>\w+)\.|^End"
    r" (?P<end>\w+)\.|^(?P<given>(?:Variables?|Hypothesis|Hypotheses) .*?\.)$"
    r"|^Theorem (?P<name>\w+)(?P<rest>.*?\.)\s*\nProof\.",
    re.DOTALL | re.MULTILINE,
)


def _unmatched(text: str) -> list[str]:
    """Parts of a file without comments that :data:`TOKEN` does not match: theorems in another form, and
    hypotheses outside of sections.
    """
    theorems, read = len(re.findall(r"\bTheorem\b", text)), len(_statements("", text))
    problems = (
        [
            f"{theorems} theorems, of which {read} stand at the beginning of a line, with Proof. on a line of"
            " its own"
        ]
        if theorems != read
        else []
    )
    depth = 0
    for match in re.finditer(r"^\s*(Section|End|Variables?|Hypothes[ie]s)\s+(\w+)", text, re.MULTILINE):
        if match[1] == "Section":
            depth += 1
        elif match[1] == "End":
            depth -= f"Section {match[2]}." in text
        elif depth == 0:
            problems.append(f"{match[0].strip()} outside of a section")
    return problems


def _statements(module: str, text: str) -> list[Statement]:
    theorems, sections = [], list[list[str]]()
    sentence = ""
    for match in TOKEN.finditer(text):
        if match["comment"] is not None:
            sentence = " ".join(match["comment"].split())
        elif match["section"]:
            sections.append([])
        elif match["end"]:
            if f"Section {match['end']}." in text:  # else it ends a module
                sections.pop()
        elif match["given"] and sections:
            sections[-1].append(match["given"])
        elif match["name"]:
            given = tuple(line for section in sections for line in section)
            line = text.count("\n", 0, match.start("name")) + 1
            theorems.append(
                Statement(
                    f"{module}.{match['name']}",
                    sentence,
                    f"Theorem {match['name']}{match['rest']}",
                    given,
                    line,
                )
            )
    return theorems


def _without_comments(text: str) -> str:
    """The text with blanks in place of comments, so that lines keep their numbers."""
    return re.sub(r"\(\*.*?\*\)", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)
