"""A kind of file for mutation tests: what writes a specimen, and the commands that read it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proofs_tests.mutated_files.running import result

Commands = tuple[tuple[str, ...], ...]
"""The program and its arguments, for each command."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: the name in tests and messages.
        write: writes well-formed files into an empty folder, and returns the names of those that are
            mutated.
        commands: those that read the files, in that folder.
        agree: all commands are run on each mutant, and have to accept the same ones.
        share: how many mutants there are of it, more or less than of others: fewer where reading one takes
            long.
    """

    name: str
    write: Callable[[Path], tuple[str, ...]]
    commands: Commands
    agree: bool = False
    share: float = 1.0


def ratproof(line: str) -> tuple[str, ...]:
    """A command of ratproof's, split as a shell does it."""
    return ("ratproof", *shlex.split(line))


def run(line: str) -> None:
    """Run a command that writes a file."""
    answer = result("ratproof", shlex.split(line))
    assert answer.status in (0, 1), answer
