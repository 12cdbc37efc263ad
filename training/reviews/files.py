"""The reviews of IMDB (Maas et al. 2011), one per line, in files that may be compressed with gzip.

A line consists of ``pos`` or ``neg``, a rating, a number and the text, separated by tabs.

>>> words_of("It's <br />GREAT, 10/10!")
('it', 's', 'great', '10', '10', '!')
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import torch
from torch import Tensor, nn

from automata.errors import FormatError
from training.engine.labelled import LabelledTexts
from training.published_files import existing_file, read_lines

WHERE = "https://ai.stanford.edu/~amaas/data/sentiment/"
FORMAT = "pos or neg, a rating, a number and the text, with tabs between, on each line"
FILES = {"train": "imdb/train.tsv", "test": "imdb/test.tsv"}
SIZES = {"train": 25_000, "test": 25_000}
LABELS = {"neg": 0, "pos": 1}
SPLIT_SEED = 2019
SPLIT = f"the set's own test part; dev: a tenth of the training file, by random.Random({SPLIT_SEED}).shuffle"
UNKNOWN, START, END = 0, 1, 2
"""The indices of special tokens: a word outside the vocabulary, and the start and end of a review."""
WORD = re.compile(r"[^\W\d_]+|\d+|[!?]")


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into lower-case words, numbers, exclamation marks and question marks.

    HTML line breaks are removed.
    """
    return tuple(WORD.findall(text.replace("<br />", " ").lower()))


def load(folder: Path, any_size: bool = False, test: bool = True) -> dict[str, LabelledTexts]:
    """Load the splits; the dev set is a fixed tenth of the training file.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
    """
    full = _read(folder, "train", any_size)
    order = list(range(len(full.labels)))
    random.Random(SPLIT_SEED).shuffle(order)
    cut = len(order) // 10
    if not cut or len(set(full.labels)) < 2:
        raise FormatError(
            f"{_file(folder, 'train')}: the file must have at least ten reviews with both labels, got"
            f" {len(order)}"
        )
    parts = {"train": full.taken(sorted(order[cut:])), "dev": full.taken(sorted(order[:cut]))}
    return parts | ({"test": _read(folder, "test", any_size)} if test else {})


def vocabulary(training: LabelledTexts, most: int) -> dict[str, int]:
    """Return the index of each of the most frequent words; ties are resolved in alphabetical order."""
    counts = Counter(word for review in training.words for word in review)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return {word: number for number, word in enumerate(ranked, END + 1)}


class Encoded:
    """Reviews as word indices.

    Args:
        reviews: the reviews as words.
        index: the index of each word.
        length: the number of words to which a review is truncated; 0 for no limit.
        tokens: whether to add a start token and an end token.
    """

    def __init__(self, reviews: LabelledTexts, index: dict[str, int], length: int, tokens: bool) -> None:
        self.rows = []
        for words in reviews.words:
            row = [index.get(word, UNKNOWN) for word in (words[:length] if length else words)]
            row = [START, *row, END] if tokens else row or [UNKNOWN]
            self.rows.append(torch.tensor(row, dtype=torch.int32))
        self.labels = torch.tensor(reviews.labels)
        self.lengths = torch.tensor([len(row) for row in self.rows])

    def at(self, indices: Tensor) -> Tensor:
        """Return the word indices of the reviews at these indices, shape ``(T, B)``."""
        return nn.utils.rnn.pad_sequence([self.rows[i] for i in indices.tolist()]).long()


def _file(folder: Path, part: str) -> Path:
    return existing_file(folder / FILES[part], prefer_gzipped=True)


def _read(folder: Path, part: str, any_size: bool) -> LabelledTexts:
    path = _file(folder, part)
    about = f"; expected reviews of IMDB: {FORMAT}, published at {WHERE}"
    words, labels = [], []
    for number, line in enumerate(read_lines(path, about), 1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[0] not in LABELS:
            raise FormatError(
                f"{path}: line {number}: the line must have four fields, got {line!r:.40}{about}"
            )
        labels.append(LABELS[fields[0]])
        words.append(words_of(fields[3]))
    if len(labels) != SIZES[part] and not any_size:
        raise FormatError(
            f"{path}: the file must have {SIZES[part]:,} reviews, like the published file, got"
            f" {len(labels):,}; pass --any-size to accept other sizes{about}"
        )
    return LabelledTexts(tuple(words), tuple(labels))
