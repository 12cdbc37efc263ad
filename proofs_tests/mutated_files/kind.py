"""What a kind of file is."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proofs_tests.mutated_files.running import result

Commands = tuple[tuple[str, ...], ...]
"""Of each the program and its arguments."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: what it is called.
        made: from an empty folder: writes a well-formed file, and what is read beside it; names those that
            are mutated.
        commands: what reads them, in that folder.
        agree: all commands are run on each mutant, and have to accept the same ones.
        share: how many mutants there are of it, more or less than of others: fewer where reading one takes
            long.
    """

    name: str
    made: Callable[[Path], tuple[str, ...]]
    commands: Commands
    agree: bool = False
    share: float = 1.0


def ratproof(line: str) -> tuple[str, ...]:
    """A command of ratproof's, as a shell reads it."""
    return ("ratproof", *shlex.split(line))


def run(line: str) -> None:
    """Run a command that makes a file."""
    found = result("ratproof", shlex.split(line))
    assert found.status in (0, 1), found
