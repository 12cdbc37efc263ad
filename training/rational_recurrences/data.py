"""The labelled sentences of SST-2, subj, CR and Amazon, from the user's folder.

SST-2 is published with three splits. We split subj and CR 80 : 10 : 10, always in the same way
(Peng et al. 2018, section 6.3).
The dev set of Amazon is the last fifth of the training file. Its reviews are about products that do not occur
in the other four fifths.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from ratproof.implementations.corpus import read_embeddings
from training.engine.labelled import LabelledTexts
from training.rational_recurrences.sentence_files import read
from training.rational_recurrences.sources import FIFTHS, PARTS, SOURCES, SPLIT_SEED

GLOVE = "https://nlp.stanford.edu/projects/glove/"


def load(name: str, folder: Path, any_size: bool = False, test: bool = True) -> dict[str, LabelledTexts]:
    """Load the splits of a data set.

    Args:
        name: the name of the set in :data:`~training.rational_recurrences.sources.SOURCES`.
        folder: the user's folder with the set's files.
        any_size: whether to accept numbers of sentences that differ from the published numbers.
        test: whether to load the test set.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
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
            raise FormatError(f"{file}: the file must have enough sentences to be split {source.split}")
    if len(set(parts["train"].labels)) < 2:
        raise FormatError(
            f"{folder / next(iter(source.files.values()))}: the training set must have the labels 0 and 1,"
            " got one of them"
        )
    return {part: sentences for part, sentences in parts.items() if test or part != "test"}


def split(sentences: LabelledTexts) -> dict[str, LabelledTexts]:
    """Split the sentences 80 : 10 : 10, in a fixed random order."""
    order = list(range(len(sentences)))
    random.Random(SPLIT_SEED).shuffle(order)
    tenth = round(len(order) / 10)
    indices = {"test": order[:tenth], "dev": order[tenth : 2 * tenth], "train": order[2 * tenth :]}
    return {part: sentences.taken(sorted(indices[part])) for part in PARTS}


def in_fifths(sentences: LabelledTexts) -> dict[str, LabelledTexts]:
    """Use four fifths of the sentences for training and the last fifth as the dev set."""
    begin = len(sentences) - len(sentences) // 5
    return {"train": sentences.taken(range(begin)), "dev": sentences.taken(range(begin, len(sentences)))}


def described(name: str, parts: dict[str, LabelledTexts]) -> dict[str, Any]:
    """Return the description of the data for a result: sizes, hashes, and how the data are split."""
    return {part: one.described() for part, one in parts.items()} | {"split": SOURCES[name].split}


def find_vectors(folder: Path, *others: Path, instead: str = "") -> Path:
    """Return the path of the first file of word vectors in ``folder/glove`` or in other folders.

    Args:
        folder: The folder of the user's data.
        others: Folders that are searched if ``folder/glove`` has no word vectors.
        instead: The end of the error message, which suggests an alternative.

    Raises:
        InputError: If no folder has word vectors.
    """
    folders = (folder / "glove", *others)
    files = [file for directory in folders for file in sorted(directory.glob("glove*")) if file.is_file()]
    if not files:
        raise InputError(
            f"{folder / 'glove'}: the folder must have word vectors (glove*.npz or glove*.txt); GloVe's are"
            f" published at {GLOVE}; use --vectors for another file{instead}"
        )
    return files[0]


def vector_table(path: Path, words: list[str], scale: float) -> tuple[Tensor, int]:
    """Return the vectors of the words, scaled to length ``scale``, and the number of words without a vector.

    The table has shape ``(words, width)``. A word without a vector gets the mean vector (UNK).
    """
    known, mean = read_embeddings(str(path), set(words))
    rows = np.stack([known.get(word, mean) for word in words]).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = scale * rows / np.where(lengths == 0, 1, lengths)
    return torch.tensor(rows, dtype=torch.float32), sum(word not in known for word in words)
