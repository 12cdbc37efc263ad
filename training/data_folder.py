"""Where a run's data are, as the command line and campaigns say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Data:
    """Where the data are.

    Attributes:
        folder: the user's; which files are in it, each experiment's ``sources.py`` says.
        vectors: a file of word vectors; ``None``: those that are found in the folder.
        any_size: also take files of other sizes than the published ones.
        rules: a file of rules; ``None``: the one beside the sentences.
    """

    folder: Path
    vectors: Path | None = None
    any_size: bool = False
    rules: Path | None = None
