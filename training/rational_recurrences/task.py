"""Text classification as a task of the training engine."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.engine.noise import Noise
from training.engine.task import ExampleTask
from training.rational_recurrences.classifier import SentenceClassifier
from training.rational_recurrences.sentence_files import SentencePart

AT_ONCE = 256


class EncodedTexts:
    """Sentences as indices into a table of word vectors.

    Args:
        part: the sentences.
        index: the index of each word.
    """

    def __init__(self, part: SentencePart, index: dict[str, int]) -> None:
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

    def portions(self) -> Iterator[Tensor]:
        """Yield the indices of all sentences in batches, in the order of their lengths."""
        yield from torch.split(self.lengths.argsort(descending=True, stable=True), AT_ONCE)


class ClassificationTask(ExampleTask):
    """A training task for a classifier, with training and dev sentences.

    Args:
        network: the classifier.
        training, dev: the sentences.
        table: the word vectors, shape ``(words, width)``.
    """

    def __init__(
        self, network: SentenceClassifier, training: EncodedTexts, dev: EncodedTexts, table: Tensor
    ) -> None:
        super().__init__(network, network.settings, training.lengths)
        self.training, self.dev, self.table = training, dev, table

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the cross-entropy of each example, shape ``(B,)``."""
        vectors, lengths, labels = self.training.at(examples, self._table())
        return functional.cross_entropy(network(vectors, lengths, noise), labels, reduction="none")

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the accuracy on the dev set as the score, and the mean cross-entropy."""
        accuracy, loss = self.measured(network, self.dev)
        return accuracy, {"dev_accuracy": accuracy, "dev_loss": loss}

    @torch.no_grad()
    def measured(
        self, network: nn.Module, part: EncodedTexts, table: Tensor | None = None
    ) -> tuple[float, float]:
        """Return the accuracy and the mean cross-entropy on a split."""
        right, loss = 0, 0.0
        for indices in part.portions():
            vectors, lengths, labels = part.at(indices, self._table() if table is None else table)
            scores = network(vectors, lengths)
            right += int((scores.argmax(dim=1) == labels).sum())
            loss += float(functional.cross_entropy(scores, labels, reduction="sum"))
        return right / len(part.labels), loss / len(part.labels)

    def _table(self) -> Tensor:
        """Return the word vectors on the network's device and in its dtype."""
        like = next(self.network.parameters())
        if self.table.device != like.device or self.table.dtype != like.dtype:
            self.table = self.table.to(like)
        return self.table


def standard_error(accuracy: float, sentences: int) -> float:
    """Return the standard error of an accuracy on ``sentences`` sentences: sqrt(p (1 - p) / n).

    >>> round(standard_error(0.83, 378), 3)
    0.019
    """
    return math.sqrt(accuracy * (1 - accuracy) / sentences)
