"""The Penn Treebank as prepared by Mikolov.

Each line is a sentence of words separated by spaces. ``<unk>`` replaces rare words; ``N`` replaces numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from training.language_modelling.settings import SIZES
from training.published_files import existing_file, read_lines

WHERE = "http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz, in data/"
FORMAT = "a sentence on each line, words with spaces between them"
END = "</s>"
FILES = {"train": "ptb/ptb.train.txt", "dev": "ptb/ptb.valid.txt", "test": "ptb/ptb.test.txt"}


@dataclass(frozen=True)
class LanguageCorpus:
    """The splits of a corpus, each as a sequence of word indices.

    Attributes:
        words: the vocabulary of the training set; the first entry is the end of a sentence.
        parts: the splits by name, shape ``(tokens,)``.
        files: the names of the files that were read.
    """

    words: tuple[str, ...]
    parts: dict[str, Tensor]
    files: tuple[str, ...]

    def described(self) -> dict[str, Any]:
        """Return the description of the corpus in a result."""
        return {
            **{
                name: {"tokens": len(ids), "sha256": hashlib.sha256(ids.numpy().tobytes()).hexdigest()[:16]}
                for name, ids in self.parts.items()
            },
            "words": len(self.words),
            "split": "the set's own",
        }


def load(folder: Path, any_size: bool = False) -> LanguageCorpus:
    """Load ``ptb/ptb.train.txt``, ``.valid.txt`` and ``.test.txt`` from a folder, with or without ``.gz``.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
    """
    paths = {part: existing_file(folder / name) for part, name in FILES.items()}
    texts = {part: _tokens(path, part, any_size) for part, path in paths.items()}
    words = tuple(dict.fromkeys([END, *texts["train"]]))
    index = {word: number for number, word in enumerate(words)}
    for part, tokens in texts.items():
        unknown = next((token for token in tokens if token not in index), None)
        if unknown is not None:
            raise FormatError(
                f"{folder / FILES[part]}: words must occur in the training set, got {unknown!r:.40}{_about()}"
            )
    parts = {part: torch.tensor([index[token] for token in tokens]) for part, tokens in texts.items()}
    return LanguageCorpus(words, parts, tuple(path.name for path in paths.values()))


def columns(ids: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Cut a text into columns that are read in parallel; return the words, and the word after each word.

    Both results have shape ``(steps, count)``. The last words are dropped if they do not fill a row.

    >>> x, y = columns(torch.arange(8), 2)
    >>> x.tolist(), y.tolist()
    ([[0, 3], [1, 4], [2, 5]], [[1, 4], [2, 5], [3, 6]])

    Raises:
        InputError: If the text has fewer than ``count + 1`` words.
    """
    steps = (len(ids) - 1) // count
    if not steps:
        raise InputError(
            f"a text for {count:,} columns must have at least {count + 1:,} words and ends of sentences, got"
            f" {len(ids):,}"
        )
    return ids[: steps * count].view(count, steps).t(), ids[1 : steps * count + 1].view(count, steps).t()


def _tokens(path: Path, part: str, any_size: bool) -> list[str]:
    tokens = [token for line in read_lines(path, _about()) for token in (*line.split(), END)]
    if all(token == END for token in tokens):
        raise FormatError(f"{path}: the file must contain words{_about()}")
    if len(tokens) != SIZES[part] and not any_size:
        raise FormatError(
            f"{path}: the file must have {SIZES[part]:,} words and ends of sentences, like the published"
            f" file, got {len(tokens):,}; pass --any-size to accept other sizes{_about()}"
        )
    return tokens


def _about() -> str:
    return f"; expected the Penn Treebank as Mikolov prepared it: {FORMAT}, published at {WHERE}"
