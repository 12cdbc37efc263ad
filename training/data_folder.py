"""The location of a run's data, for the command line and campaigns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Data:
    """The location of the data.

    Attributes:
        folder: the folder with the data; each experiment's ``sources.py`` lists its files.
        vectors: a file of word vectors; ``None`` selects the word vectors in the folder.
        any_size: whether to accept files whose sizes differ from the published sizes.
        rules: a file of rules; ``None`` selects the file in the folder of the sentences.
    """

    folder: Path
    vectors: Path | None = None
    any_size: bool = False
    rules: Path | None = None
