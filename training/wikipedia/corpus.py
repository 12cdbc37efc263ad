"""The Wikipedia corpus of Daniluk et al. (2017), as text: words with spaces between them; each line ends a
sentence. It is not to be had here: the names of the files are ours.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from pathlib import Path

import torch

from automata.errors import FormatError
from training.language_modelling.corpus import END, Corpus

WHERE = "https://goo.gl/s8cyYa, as the paper says (Daniluk et al. 2017)"
FILES = {"train": "wikipedia/train.txt", "dev": "wikipedia/valid.txt", "test": "wikipedia/test.txt"}
SIZES = {"train": 22_500_000, "dev": 1_200_000, "test": 1_200_000}
"""Words, to the digits that the paper has."""
NEAR = 0.05
"""A part may have so many more or fewer words, of the paper's number."""
UNKNOWN = "<unk>"


def load(folder: Path, most: int, any_size: bool = False) -> Corpus:
    """The three parts in a folder with ``wikipedia/train.txt``, ``valid.txt`` and ``test.txt``, each as it is
    or with ``.gz``; words that are not among the ``most`` most frequent of the training part are ``<unk>``.

    Raises :class:`~automata.errors.FormatError`: a file is missing, cut off, or no such text: which, what is
    right, and where it is published.
    """
    texts, files = {}, []
    for part, name in FILES.items():
        path = folder / name
        zipped = path.with_name(path.name + ".gz")
        path = zipped if zipped.exists() and not path.exists() else path
        texts[part] = _tokens(path, part, any_size)
        files.append(path.name)
    counts = Counter(texts["train"])
    for own in (END, UNKNOWN):
        counts.pop(own, None)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    words = (END, UNKNOWN, *ranked)
    place = {word: number for number, word in enumerate(words)}
    parts = {part: torch.tensor([place.get(token, 1) for token in tokens]) for part, tokens in texts.items()}
    return Corpus(words, parts, tuple(files))


def _tokens(path: Path, part: str, any_size: bool) -> list[str]:
    about = f"; it holds Wikipedia's articles: words with spaces between them, published at {WHERE}"
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be read: {why}{about}") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: is no UTF-8 text (byte {error.start} is wrong){about}") from None
    if "\0" in text:
        raise FormatError(f"{path}: is binary (byte {text.index(chr(0))} is NUL){about}")
    if not text.endswith("\n"):
        raise FormatError(
            f"{path}: line {text.count(chr(10)) + 1}: has no line feed at its end, as where a file was cut"
            f" off{about}"
        )
    tokens = [token for line in text[:-1].split("\n") for token in (*line.split(), END)]
    words = sum(token != END for token in tokens)
    if abs(words - SIZES[part]) > NEAR * SIZES[part] and not any_size:
        raise FormatError(
            f"{path}: has {words:,} words, where the published one has about {SIZES[part]:,}; --any-size"
            f" takes it as it is{about}"
        )
    return tokens
