"""Files of labelled sentences: a label, 0 or 1, a space, and words with spaces between them on each line
(CR as it is published has a sentence without words); or words alone, and the labels in a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automata.errors import FormatError
from training.published_files import read_lines
from training.rational_recurrences.sources import TextSource


@dataclass(frozen=True)
class SentencePart:
    """Labelled sentences: words, and the label, 0 or 1, of each."""

    words: tuple[tuple[str, ...], ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)


def read(path: Path, source: TextSource, part: str, any_size: bool) -> SentencePart:
    """A file of labelled sentences.

    Raises :class:`~automata.errors.FormatError`: it is none; which file, what is right, and where it is
    published.
    """
    about, lines = source.says(), _lines(path, source)
    if source.labels_beside:
        words, labels = [tuple(line.split()) for line in lines], _labels(path, source, len(lines))
    else:
        words, labels = [], []
        for number, line in enumerate(lines, 1):
            label, _, rest = line.partition(" ")
            if label not in ("0", "1"):
                raise FormatError(f"{path}: line {number}: is {line!r:.40}, where the file holds {about}")
            labels.append(int(label))
            words.append(tuple(rest.split()))
    if not any(words):
        raise FormatError(f"{path}: has no words; it holds {about}")
    right = source.sizes[part]
    if len(labels) != right and not any_size:
        raise FormatError(
            f"{path}: has {len(labels):,} sentences, where the published one has {right:,}: was it cut?"
            f" --any-size takes it as it is; it holds {about}"
        )
    return SentencePart(tuple(words), tuple(labels))


def _labels(path: Path, source: TextSource, sentences: int) -> list[int]:
    """Those of the file beside: 1 is negative, and 2 positive."""
    file = path.with_name(path.name.removesuffix(".txt.tok") + ".cat")
    lines = _lines(file, source)
    wrong = next((n for n, line in enumerate(lines, 1) if line.strip() not in ("1", "2")), None)
    if wrong is not None:
        raise FormatError(f"{file}: line {wrong}: is {lines[wrong - 1]!r:.40}; there is {source.says()}")
    if len(lines) != sentences:
        raise FormatError(
            f"{file}: has {len(lines):,} labels, where {path.name} has {sentences:,} sentences; there is"
            f" {source.says()}"
        )
    return [int(line) - 1 for line in lines]


def _lines(path: Path, source: TextSource) -> list[str]:
    return read_lines(path, f"; it holds {source.says()}", source.latin_1)
