"""The Wikipedia corpus of Daniluk et al. (2017), as text.

Words are separated by spaces, and each line is a sentence. The corpus was not available to us, so we chose
the names of the files.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import torch

from automata.errors import FormatError
from training.language_modelling.corpus import END, LanguageCorpus
from training.published_files import existing_file, read_lines

WHERE = "https://goo.gl/s8cyYa, as the paper says (Daniluk et al. 2017)"
FILES = {"train": "wikipedia/train.txt", "dev": "wikipedia/valid.txt", "test": "wikipedia/test.txt"}
SIZES = {"train": 22_500_000, "dev": 1_200_000, "test": 1_200_000}
"""The numbers of words in each split, as rounded in the paper."""
NEAR = 0.05
"""The accepted relative deviation of a split's number of words."""
UNKNOWN = "<unk>"


def load(folder: Path, most: int, any_size: bool = False) -> LanguageCorpus:
    """Load ``wikipedia/train.txt``, ``valid.txt`` and ``test.txt`` from a folder, with or without ``.gz``.

    Only the ``most`` most frequent words of the training set are kept; other words become ``<unk>``.

    Raises:
        FormatError: If a file is missing, truncated or invalid.
    """
    paths = {part: existing_file(folder / name) for part, name in FILES.items()}
    texts = {part: _tokens(path, part, any_size) for part, path in paths.items()}
    counts = Counter(texts["train"])
    for own in (END, UNKNOWN):
        counts.pop(own, None)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    words = (END, UNKNOWN, *ranked)
    index = {word: number for number, word in enumerate(words)}
    parts = {part: torch.tensor([index.get(token, 1) for token in tokens]) for part, tokens in texts.items()}
    return LanguageCorpus(words, parts, tuple(path.name for path in paths.values()))


def _tokens(path: Path, part: str, any_size: bool) -> list[str]:
    about = f"; expected Wikipedia's articles: words with spaces between them, published at {WHERE}"
    tokens = [token for line in read_lines(path, about) for token in (*line.split(), END)]
    words = sum(token != END for token in tokens)
    if abs(words - SIZES[part]) > NEAR * SIZES[part] and not any_size:
        raise FormatError(
            f"{path}: the file must have about {SIZES[part]:,} words, like the published file, got {words:,};"
            f" pass --any-size to accept other sizes{about}"
        )
    return tokens
