"""Text classification as a task of the training engine."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.engine.labelled import LabelledTask, LabelledTexts
from training.rational_recurrences.classifier import SentenceClassifier


class EncodedTexts:
    """Sentences as indices into a table of word vectors.

    Args:
        part: the sentences.
        index: the index of each word.
    """

    def __init__(self, part: LabelledTexts, index: dict[str, int]) -> None:
        self.rows = [
            torch.tensor([index[word] for word in sentence], dtype=torch.long) for sentence in part.words
        ]
        self.labels = torch.tensor(part.labels)
        self.lengths = torch.tensor([len(row) for row in self.rows])

    def at(self, indices: Tensor, table: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the vectors, ``(T, B, width)``, and lengths and labels, ``(B,)``, at these indices."""
        chosen = indices.cpu()
        words = nn.utils.rnn.pad_sequence([self.rows[i] for i in chosen.tolist()]).to(table.device)
        if not len(words):  # all sentences are empty, and layers need a step
            words = words.new_zeros(1, len(chosen))
        return table[words], self.lengths[chosen].to(table.device), self.labels[chosen].to(table.device)


class ClassificationTask(LabelledTask):
    """A training task for a classifier, with training and dev sentences.

    Args:
        network: the classifier.
        training, dev: the sentences.
        table: the word vectors, shape ``(words, width)``.
    """

    at_once = 256

    def __init__(
        self, network: SentenceClassifier, training: EncodedTexts, dev: EncodedTexts, table: Tensor
    ) -> None:
        super().__init__(network, network.settings, training, dev)
        self.table = table

    def taken(self, part: EncodedTexts, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return vectors, lengths and labels of the sentences at these indices, on the network's device."""
        like = next(self.network.parameters())
        if self.table.device != like.device or self.table.dtype != like.dtype:
            self.table = self.table.to(like)
        return part.at(indices, self.table)
