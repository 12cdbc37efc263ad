r"""Reader for rule files: ``[label]`` headers, one rule on each line, ``//`` comments.

>>> labelled = loads("[fare]\n$ * cost $ *  // what is the cost\n$ * how much\n\n[city]\n$ * city")
>>> [(rule.label, rule.line, str(rule.rule)) for rule in labelled]
[('fare', 2, '$ * cost $ *'), ('fare', 3, '$ * how much'), ('city', 6, '$ * city')]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from automata.errors import FormatError, InputError
from automata.io.files import read_text
from automata.rules.parser import parse
from automata.rules.syntax import Rule
from automata.text.number_text import shorten

COMMENT = re.compile(r"(^|(?<=\s))//.*$")


@dataclass(frozen=True)
class Labelled:
    """A rule from a file.

    Attributes:
        label: the header above it; ``None`` in a file without headers.
        rule: the parsed rule.
        line: the line number, from 1.
        file: the file's name, or ``None``.
    """

    label: str | None
    rule: Rule
    line: int
    file: str | None = None

    @property
    def where(self) -> str:
        """The file and line, for error messages."""
        return f"line {self.line}" if self.file is None else f"{self.file}: line {self.line}"


def read(path: str | Path) -> tuple[Labelled, ...]:
    """Read the rules in a file; raise FormatError with line and column if it is malformed."""
    return loads(read_text(path), str(path))


def loads(text: str, where: str = "rules") -> tuple[Labelled, ...]:
    """Parse the rules in a text."""
    label: str | None = None
    labelled: list[Labelled] = []
    headers: set[str] = set()
    for number, line in enumerate(text.split("\n"), start=1):
        code = COMMENT.sub("", line).rstrip()
        bare = code.lstrip()
        if not bare:
            continue
        if bare.startswith("["):
            label = _header(bare, f"{where}: line {number}")
            if label in headers:
                raise FormatError(f"{where}: line {number}: the label {shorten(label)} must have one header")
            if labelled and not headers:
                raise FormatError(f"{where}: line {labelled[0].line}: a rule must follow a [label]")
            headers.add(label)
        else:
            rule = parse(bare, where, number, len(code) - len(bare) + 1)
            labelled.append(Labelled(label, rule, number, where))
    if not labelled:
        raise FormatError(f"{where}: the file must have at least one rule, such as $ * what is $ *")
    return tuple(labelled)


def _header(text: str, where: str) -> str:
    name = text[1:-1].strip()
    if not text.endswith("]") or not name:
        raise FormatError(f"{where}: a header must be [label], got {shorten(text)}")
    return name


def rule_file_in(folder: Path) -> Path:
    """Return the only rule file in a folder."""
    files = sorted(folder.glob("*.config"))
    if len(files) != 1:
        raise InputError(f"{folder}: the folder must have one rule file (.config), got {len(files)}")
    return files[0]
