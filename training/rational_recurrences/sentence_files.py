"""Files of labelled sentences.

Each line consists of a label (0 or 1), a space, and words separated by spaces. A sentence may have no words,
as in the published CR. Alternatively, lines contain only words, and a separate file contains the labels.
"""

from __future__ import annotations

from pathlib import Path

from automata.errors import FormatError
from training.engine.labelled import LabelledTexts
from training.published_files import read_lines
from training.rational_recurrences.sources import TextSource


def read(path: Path, source: TextSource, part: str, any_size: bool) -> LabelledTexts:
    """Read a file of labelled sentences.

    Raises:
        FormatError: If the file is invalid.
    """
    about, lines = source.says(), _lines(path, source)
    if source.has_label_file:
        words, labels = [tuple(line.split()) for line in lines], _labels(path, source, len(lines))
    else:
        words, labels = [], []
        for number, line in enumerate(lines, 1):
            label, _, rest = line.partition(" ")
            if label not in ("0", "1"):
                raise FormatError(
                    f"{path}: line {number}: the line must begin with 0 or 1, got {line!r:.40}; expected"
                    f" {about}"
                )
            labels.append(int(label))
            words.append(tuple(rest.split()))
    if not any(words):
        raise FormatError(f"{path}: the file must contain words; expected {about}")
    size = source.sizes[part]
    if len(labels) != size and not any_size:
        raise FormatError(
            f"{path}: the file must have {size:,} sentences, like the published file, got {len(labels):,};"
            f" pass --any-size to accept other sizes; expected {about}"
        )
    return LabelledTexts(tuple(words), tuple(labels))


def _labels(path: Path, source: TextSource, sentences: int) -> list[int]:
    """Read the labels in the .cat file next to ``path``: 1 is negative, and 2 is positive."""
    file = path.with_name(path.name.removesuffix(".txt.tok") + ".cat")
    lines = _lines(file, source)
    wrong = next((n for n, line in enumerate(lines, 1) if line.strip() not in ("1", "2")), None)
    if wrong is not None:
        raise FormatError(
            f"{file}: line {wrong}: the line must be 1 or 2, got {lines[wrong - 1]!r:.40}; expected"
            f" {source.says()}"
        )
    if len(lines) != sentences:
        raise FormatError(
            f"{file}: the file must have {sentences:,} labels, one per sentence of {path.name}, got"
            f" {len(lines):,}; expected {source.says()}"
        )
    return [int(line) - 1 for line in lines]


def _lines(path: Path, source: TextSource) -> list[str]:
    return read_lines(path, f"; expected {source.says()}", source.latin_1)
