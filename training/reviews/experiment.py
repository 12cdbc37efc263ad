"""A run of review classification."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from training.data_folder import Data
from training.rational_recurrences.data import find_vectors, vector_table
from training.reviews.files import SPLIT, Encoded, load, vocabulary
from training.reviews.network import ReviewClassifier
from training.reviews.settings import Sentiment, paper
from training.reviews.words import words
from training.sequences.run import SequenceRun
from training.sequences.task import SequenceExamples, SequenceTask


class ReviewRun(SequenceRun[Sentiment]):
    """A run on IMDB.

    The result of a state-regularized network includes the words that lead to each centroid.
    """

    kind = "review classifier"

    def read(self) -> dict[str, Any]:
        """Read the reviews and the word vectors."""
        self.reviews = load(self.data.folder, self.data.any_size, self.test)
        self.index = vocabulary(self.reviews["train"], self.settings.vocabulary)
        self.table, about = _vectors(self.settings, self.data, self.index)
        return {name: one.described() for name, one in self.reviews.items()} | {"split": SPLIT, **about}

    def build(self) -> SequenceTask:
        """Return a training task with the untrained network."""
        s = self.settings
        self.examples = {name: self._cut(name, s.length) for name in self.reviews}
        network = ReviewClassifier(s, self.table, len(self.index) + 3)
        return SequenceTask(network, s, self.examples["train"], self.examples["dev"])

    def more_parts(self) -> dict[str, SequenceExamples]:
        """Return splits whose reviews are truncated to other lengths, keyed by name."""
        pairs = [(name, n) for n in self.settings.lengths for name in ("train", "test") if self.test]
        return {f"{name}_{length}": self._cut(name, length) for name, length in pairs}

    def centroids(self, task: SequenceTask, network: Any) -> dict[str, Any]:
        """Return the words that lead to the centroids."""
        return {"words": words(task, network, self._cut("test", self.settings.length), self.index)}

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for this run."""
        return paper(self.settings)

    def about(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the description to store in the network's file."""
        return {**super().about(result), "words": list(self.index)}

    def _cut(self, part: str, length: int) -> Encoded:
        return Encoded(self.reviews[part], self.index, length, self.settings.tokens)


def _vectors(s: Sentiment, files: Data, index: dict[str, int]) -> tuple[Tensor | None, dict[str, Any]]:
    """Return the table of word vectors and a description of it; the first three rows are for special tokens.

    If the vectors are learned, the table is ``None``.
    """
    about: dict[str, Any] = {"words": len(index)}
    if s.embedding == "learned":
        return None, about
    file = files.vectors or find_vectors(files.folder)
    table, without = vector_table(file, list(index), s.scale)
    about |= {"vectors": file.name, "words_without_a_vector": without}
    return torch.cat([table.mean(dim=0, keepdim=True).expand(3, -1), table]), about
