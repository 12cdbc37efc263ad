"""Files of labelled sentences: one ``label<TAB>words`` per line.

The files are ``train.tsv``, ``dev.tsv`` and ``test.tsv``.
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
        words: the words of each sentence, with BOS first and EOS last.
        labels: the label of each sentence.
    """

    words: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def read(folder: str | Path) -> dict[str, Sentences]:
    """Read the files ``train.tsv``, ``dev.tsv`` and ``test.tsv`` in a folder.

    The result maps ``"train"``, ``"dev"`` and ``"test"`` to the sentences.

    Raises:
        FormatError: If a file is missing, or a line is not a labelled sentence.
    """
    return {part: part_of(Path(folder) / f"{part}.tsv") for part in PARTS}


def part_of(path: Path) -> Sentences:
    """Read the sentences of a file, and add BOS and EOS where they are missing."""
    if not path.is_file():
        raise FormatError(
            f"{path}: the path must be a file with one label<TAB>words per line (such as those that Jiang et"
            " al. 2020 published with their program), got no file"
        )
    words, labels = [], []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        label, tab, text = line.partition("\t")
        if not tab or not label.strip():
            raise FormatError(f"{path}: line {number}: the line must be label<TAB>words, got {shorten(line)}")
        inside = text.split()
        inside = inside[1:] if inside[:1] == [BEGIN] else inside
        inside = inside[:-1] if inside[-1:] == [END] else inside
        if BEGIN in inside:
            raise FormatError(f"{path}: line {number}: {BEGIN} must not occur inside the sentence")
        words.append((BEGIN, *inside, END))
        labels.append(label.strip())
    if not labels:
        raise FormatError(f"{path}: the file must have at least one sentence")
    return Sentences(tuple(words), tuple(labels))


def vocabulary(parts: dict[str, Sentences]) -> tuple[str, ...]:
    """Return the words of all sentences in alphabetical order, without BOS and EOS.

    Words that occur only in rules need no entry.
    """
    return tuple(
        sorted(
            {word for part in parts.values() for sentence in part.words for word in sentence} - {BEGIN, END}
        )
    )


def accuracy(model: Classifier, part: Sentences) -> float:
    """Return the share of sentences whose predicted label is correct."""
    model.eval()
    labels = zip(model.predict(part.words), part.labels, strict=True)
    return sum(predicted == label for predicted, label in labels) / len(part)
