"""The Penn Treebank as Mikolov prepared it: a sentence on each line, words with spaces between them,
``<unk>`` and
``N`` among them; each line ends a sentence.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from training.published_files import found, read_lines

WHERE = "http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz, in data/"
FORMAT = "a sentence on each line, words with spaces between them"
END = "</s>"
FILES = {"train": "ptb/ptb.train.txt", "dev": "ptb/ptb.valid.txt", "test": "ptb/ptb.test.txt"}
SIZES = {"train": 929_589, "dev": 73_760, "test": 82_430}


@dataclass(frozen=True)
class LanguageCorpus:
    """The parts as numbers of words.

    Attributes:
        words: the vocabulary of the training part; its first is the end of a sentence.
        parts: by name, shape ``(tokens,)``.
        files: the names of those that were read.
    """

    words: tuple[str, ...]
    parts: dict[str, Tensor]
    files: tuple[str, ...]

    def described(self) -> dict[str, Any]:
        """What a result says of it."""
        return {
            **{
                name: {"tokens": len(ids), "sha256": hashlib.sha256(ids.numpy().tobytes()).hexdigest()[:16]}
                for name, ids in self.parts.items()
            },
            "words": len(self.words),
            "split": "the set's own",
        }


def load(folder: Path, any_size: bool = False) -> LanguageCorpus:
    """The three parts in a folder with ``ptb/ptb.train.txt``, ``.valid.txt`` and ``.test.txt``, each as it
    is or with ``.gz``.

    Raises :class:`~automata.errors.FormatError`: a file is missing, cut off, or no such text: which, what is
    right, and where it is published.
    """
    paths = {part: found(folder / name) for part, name in FILES.items()}
    texts = {part: _tokens(path, part, any_size) for part, path in paths.items()}
    words = tuple(dict.fromkeys([END, *texts["train"]]))
    place = {word: number for number, word in enumerate(words)}
    for part, tokens in texts.items():
        strange = next((token for token in tokens if token not in place), None)
        if strange is not None:
            raise FormatError(
                f"{folder / FILES[part]}: {strange!r:.40} is no word of the training part{_about()}"
            )
    parts = {part: torch.tensor([place[token] for token in tokens]) for part, tokens in texts.items()}
    return LanguageCorpus(words, parts, tuple(path.name for path in paths.values()))


def columns(ids: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """A text cut into columns that are read side by side, and what follows each word, both of shape
    ``(steps, count)``; the rest, of less than ``count`` words, is left out.

    >>> x, y = columns(torch.arange(8), 2)
    >>> x.tolist(), y.tolist()
    ([[0, 3], [1, 4], [2, 5]], [[1, 4], [2, 5], [3, 6]])

    Raises :class:`~automata.errors.InputError`: the text is shorter than a row and the word behind it.
    """
    steps = (len(ids) - 1) // count
    if not steps:
        raise InputError(
            f"a text of {len(ids):,} words and ends of sentences is too short for {count:,} columns: at least"
            f" {count + 1:,} are right"
        )
    return ids[: steps * count].view(count, steps).t(), ids[1 : steps * count + 1].view(count, steps).t()


def _tokens(path: Path, part: str, any_size: bool) -> list[str]:
    tokens = [token for line in read_lines(path, _about()) for token in (*line.split(), END)]
    if all(token == END for token in tokens):
        raise FormatError(f"{path}: has no words{_about()}")
    if len(tokens) != SIZES[part] and not any_size:
        raise FormatError(
            f"{path}: has {len(tokens):,} words and ends of sentences, where the published one has"
            f" {SIZES[part]:,}: was it cut? --any-size takes it as it is{_about()}"
        )
    return tokens


def _about() -> str:
    return f"; it holds the Penn Treebank as Mikolov prepared it: {FORMAT}, published at {WHERE}"
