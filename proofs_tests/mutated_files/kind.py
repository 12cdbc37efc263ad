"""A kind of file for mutation tests: a function that writes a specimen, and the commands that read it."""

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
        name: Name in tests and messages.
        write: Function that writes well-formed files into an empty folder, and returns the names of the files
            to mutate.
        lines: Commands of ratproof or of another program, which read the files in the folder.
        agree: Whether all commands are run on each mutant, and must accept the same mutants.
        share: Relative number of mutants; smaller if reading one takes long.
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


def writer_for(write: Callable[[Path], object], *names: str) -> Writer:
    """Return a function that writes the files to mutate."""

    def written(folder: Path) -> tuple[str, ...]:
        write(folder)
        return names

    return written


def run(line: str) -> None:
    """Run a command that writes a file."""
    answer = result("ratproof", shlex.split(line))
    assert answer.status in (0, 1), answer
