"""A kind of file for mutation tests: what writes a specimen, and the commands that read it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proofs_tests.mutated_files.running import PROGRAMS, result

Writer = Callable[[Path], tuple[str, ...]]


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: the name in tests and messages.
        write: writes well-formed files into an empty folder, and returns the names of those that are
            mutated.
        lines: the commands that read the files, in that folder: of ratproof, or of another program.
        agree: all commands are run on each mutant, and have to accept the same ones.
        share: how many mutants there are of it, more or less than of others: fewer if reading one takes long.
    """

    name: str
    write: Writer
    lines: tuple[str, ...]
    agree: bool = False
    share: float = 1.0

    @property
    def commands(self) -> list[tuple[str, ...]]:
        """The program and its arguments, for each command."""
        split = [tuple(shlex.split(line)) for line in self.lines]
        return [(("ratproof",) if words[0] not in PROGRAMS else ()) + words for words in split]


def of(write: Callable[[Path], object], *names: str) -> Writer:
    """Return a writer of whose files these are mutated."""

    def written(folder: Path) -> tuple[str, ...]:
        write(folder)
        return names

    return written


def run(line: str) -> None:
    """Run a command that writes a file."""
    answer = result("ratproof", shlex.split(line))
    assert answer.status in (0, 1), answer
