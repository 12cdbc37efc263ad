"""The labelled sentences of SST-2, subj, CR and Amazon, from a folder that the user names.

SST-2 has its own three parts; subj and CR are split here, always alike, 80 : 10 : 10 (section 6.3); of
Amazon's training file the last fifth is the dev part, since its products are in no other fifth.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from ratproof.implementations.corpus import read_embeddings
from training.rational_recurrences.sentence_files import SentencePart, read
from training.rational_recurrences.sources import FIFTHS, PARTS, SOURCES, SPLIT_SEED

GLOVE = "https://nlp.stanford.edu/projects/glove/"


def load(name: str, folder: Path, any_size: bool = False, test: bool = True) -> dict[str, SentencePart]:
    """The parts of a set.

    Args:
        name: of :data:`~training.rational_recurrences.sources.SOURCES`.
        folder: the user's, with the set's files in it.
        any_size: also of files that have other numbers of sentences than the published ones.
        test: with the test part; without it, it is not read, or dropped at once.

    Raises:
        FormatError: a file is missing, cut off or no such text: which, what is right, and where it is
            published.
    """
    source = SOURCES[name]
    wanted = [part for part in source.files if test or part != "test"]
    parts = {part: read(folder / source.files[part], source, part, any_size) for part in wanted}
    if "all" in parts:
        parts = split(parts["all"])
    if FIFTHS in parts:
        parts |= in_fifths(parts.pop(FIFTHS))
    for part in parts.values():
        if not len(part):
            file = folder / next(iter(source.files.values()))
            raise FormatError(f"{file}: has too few sentences to be split {source.split}")
    if len(set(parts["train"].labels)) < 2:
        raise FormatError(
            f"{folder / next(iter(source.files.values()))}: has one label in the training part, where 0 and 1"
            " are right"
        )
    return {part: sentences for part, sentences in parts.items() if test or part != "test"}


def split(whole: SentencePart) -> dict[str, SentencePart]:
    """80 : 10 : 10, in a random order that is always the same."""
    order = list(range(len(whole)))
    random.Random(SPLIT_SEED).shuffle(order)
    tenth = round(len(order) / 10)
    places = {"test": order[:tenth], "dev": order[tenth : 2 * tenth], "train": order[2 * tenth :]}
    return {part: _taken(whole, sorted(places[part])) for part in PARTS}


def in_fifths(whole: SentencePart) -> dict[str, SentencePart]:
    """The first four fifths to train on, and the last for dev."""
    begin = len(whole) - len(whole) // 5
    order = range(len(whole))
    return {"train": _taken(whole, list(order[:begin])), "dev": _taken(whole, list(order[begin:]))}


def described(name: str, parts: dict[str, SentencePart]) -> dict[str, Any]:
    """What a result says of its data: sizes, a hash of each part, and how they were split."""
    said: dict[str, Any] = {
        part: {"sentences": len(sentences), "sha256": _hash(sentences)} for part, sentences in parts.items()
    }
    said["split"] = SOURCES[name].split
    return said


def find_vectors(folder: Path, *others: Path, instead: str = "") -> Path:
    """The word vectors in ``glove`` below the user's folder, or in other folders.

    Raises :class:`~automata.errors.InputError` where there are none; ``instead`` says what else would do.
    """
    places = (folder / "glove", *others)
    found = [file for place in places for file in sorted(place.glob("glove*")) if file.is_file()]
    if not found:
        raise InputError(
            f"{folder / 'glove'}: has no word vectors (glove*.npz or glove*.txt); GloVe's are published"
            f" at {GLOVE}, and --vectors names another file{instead}"
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


def _taken(whole: SentencePart, places: list[int]) -> SentencePart:
    return SentencePart(tuple(whole.words[i] for i in places), tuple(whole.labels[i] for i in places))


def _hash(part: SentencePart) -> str:
    return hashlib.sha256(repr((part.words, part.labels)).encode()).hexdigest()[:16]
