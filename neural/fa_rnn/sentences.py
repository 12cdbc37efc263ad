"""Labelled sentences in files: ``label<TAB>words``, one a line, in ``train.tsv``, ``dev.tsv`` and
``test.tsv``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from automata.errors import FormatError
from automata.io.files import read_text
from automata.rules.words import BEGIN, END
from automata.text.number_text import shorten

if TYPE_CHECKING:
    from neural.fa_rnn.classifier import Classifier

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Sentences:
    """Sentences and their labels.

    Attributes:
        words: of each sentence, BOS first and EOS last.
        labels: of each.
    """

    words: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def read(folder: str | Path) -> dict[str, Sentences]:
    """The three parts in a folder.

    Raises :class:`~automata.errors.FormatError`: a file is missing, or a line is no sentence with a label.
    """
    return {part: part_of(Path(folder) / f"{part}.tsv") for part in PARTS}


def part_of(path: Path) -> Sentences:
    """The sentences in a file. BOS and EOS are put where they are not."""
    if not path.is_file():
        raise FormatError(
            f"{path}: is missing; it has a sentence a line, as label<TAB>words (such as those that Jiang et"
            " al. 2020 published with their program)"
        )
    words, labels = [], []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        label, tab, text = line.partition("\t")
        if not tab or not label.strip():
            raise FormatError(f"{path}: line {number}: is {shorten(line)}, where label<TAB>words is right")
        inside = text.split()
        inside = inside[1:] if inside[:1] == [BEGIN] else inside
        inside = inside[:-1] if inside[-1:] == [END] else inside
        if BEGIN in inside:
            raise FormatError(f"{path}: line {number}: has {BEGIN} inside the sentence")
        words.append((BEGIN, *inside, END))
        labels.append(label.strip())
    if not labels:
        raise FormatError(f"{path}: has no sentence")
    return Sentences(tuple(words), tuple(labels))


def vocabulary(parts: dict[str, Sentences]) -> tuple[str, ...]:
    """The words of all parts, in alphabetical order; not BOS and EOS. Rules need no word that a sentence has
    to be unknown.
    """
    return tuple(
        sorted(
            {word for part in parts.values() for sentence in part.words for word in sentence} - {BEGIN, END}
        )
    )


def accuracy(model: Classifier, part: Sentences) -> float:
    """The share of sentences with the right label."""
    model.eval()
    labels = zip(model.said(part.words), part.labels, strict=True)
    return sum(predicted == label for predicted, label in labels) / len(part)
