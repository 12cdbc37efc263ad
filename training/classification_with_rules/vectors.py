"""Pretrained word vectors for a vocabulary (Jiang et al. 2020, section 3.3).

The formats are GloVe's text format, npz, and the files that the authors published with ATIS.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from automata.errors import FormatError
from automata.io.files import read_text
from automata.rules.words import BEGIN, END
from ratproof.implementations.corpus import mean_of, read_embeddings
from ratproof.npz_files import arrays, vectors_of
from training.rational_recurrences.data import find_vectors

AROUND = 0.4
"""The standard deviation of the random vectors of BOS and EOS, similar to that of GloVe's entries."""
STRIPPED = ".,;:!?'\"()-*&#<>/"


@dataclass(frozen=True)
class WordVectors:
    """The word vectors E_w.

    Attributes:
        table: shape ``(V, D)``.
        without: the number of words without a vector, which are assigned the mean vector.
        source: the file.
    """

    table: Tensor
    without: int
    source: str


ONE_HOT = "one-hot"
"""The value of ``--vectors`` for one-hot vectors (E_w = I).

With one-hot vectors, the matrix G has an independent row for each word.
"""


def word_vector_file(folder: Path, sentences: Path) -> Path:
    """Find word vectors in the user's folder, next to the sentences, or below ``RATPROOF_DATA``.

    Raises:
        InputError: If there are none.
    """
    more = [Path(os.environ["RATPROOF_DATA"]) / "glove"] if "RATPROOF_DATA" in os.environ else []
    return find_vectors(folder, sentences, *more, instead=f"; --vectors {ONE_HOT} needs none")


def vectors(path: str | Path, words: tuple[str, ...], seed: int = 0) -> WordVectors:
    """Read the vectors of the words from a file, or return one-hot vectors if ``path`` is ``one-hot``.

    A word without a vector is looked up in lower case, and then without surrounding punctuation. If it is
    still not found, its vector is the mean of all vectors.

    Raises:
        FormatError: If the file is invalid.
    """
    if str(path) == ONE_HOT:
        return WordVectors(torch.eye(len(words)), 0, ONE_HOT)
    forms = {word: list(dict.fromkeys((word, word.lower(), word.lower().strip(STRIPPED)))) for word in words}
    needed = {form for several in forms.values() for form in several if form}
    known, mean = _published(Path(path), needed) or read_embeddings(str(path), needed)
    rng = np.random.default_rng(seed)
    rows: list[np.ndarray] = []
    without = 0
    for word in words:
        form = next((form for form in forms[word] if form in known), None)
        if word in (BEGIN, END):
            rows.append(rng.normal(0, AROUND, len(mean)))
        else:
            rows.append(mean if form is None else known[form])
            without += form is None
    return WordVectors(torch.tensor(np.array(rows), dtype=torch.float32), without, str(path))


def _published(path: Path, needed: set[str]) -> tuple[dict[str, np.ndarray], np.ndarray] | None:
    """Read an npz file with an array ``emb``, which has one row for each word of ``vocab_labels.json``.

    Return the vectors of the needed words and the mean vector, or ``None`` for any other file.
    """
    words_file = path.parent / "vocab_labels.json"
    if path.suffix != ".npz" or not words_file.is_file():
        return None
    data = arrays(path)
    if "emb" not in data:
        return None
    table, words = vectors_of(data, "emb", path), _listed(words_file)
    if len(table) != len(words):
        raise FormatError(
            f"{path}: the file must have one vector for each of the {len(words)} words of {words_file.name},"
            f" got {len(table)}"
        )
    return {word: row for word, row in zip(words, table, strict=True) if word in needed}, mean_of(table)


def _listed(path: Path) -> list[str]:
    """Return the words in ``vocab_labels.json``, in the order of the rows."""
    text = read_text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(
            f"{path}: the file must be JSON, an object with a list of words under 'vocab'"
        ) from None
    words = data.get("vocab") if isinstance(data, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FormatError(f"{path}: the file must have a list of words under 'vocab'")
    return words
