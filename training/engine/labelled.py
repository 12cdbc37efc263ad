"""Labelled texts, and the classification of labelled examples as a task of the training engine."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.engine.noise import Noise
from training.engine.settings import Settings
from training.engine.task import ExampleTask


@dataclass(frozen=True)
class LabelledTexts:
    """Labelled texts: a tuple of words and a label (0 or 1) for each text."""

    words: tuple[tuple[str, ...], ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def taken(self, indices: Sequence[int]) -> LabelledTexts:
        """Return the texts at these indices."""
        return LabelledTexts(tuple(self.words[i] for i in indices), tuple(self.labels[i] for i in indices))

    def described(self) -> dict[str, Any]:
        """Return the number of texts and a hash of them, for a result."""
        digest = hashlib.sha256(repr((self.words, self.labels)).encode()).hexdigest()
        return {"sentences": len(self), "sha256": digest[:16]}


class LabelledTask(ExampleTask):
    """A classifier with its training set and dev set.

    Args:
        network: the classifier, called with examples, lengths and noise.
        settings: the settings of the run.
        training, dev: the examples, with ``lengths`` and ``labels``, both of shape ``(N,)``.

    Attributes:
        at_once: the number of examples that are classified at once in a measurement.
    """

    at_once = 250

    def __init__(self, network: nn.Module, settings: Settings, training: Any, dev: Any) -> None:
        super().__init__(network, settings, training.lengths)
        self.training, self.dev = training, dev

    def taken(self, part: Any, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return inputs, lengths and labels of the examples at these indices, on the network's device."""
        raise NotImplementedError

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the cross-entropy of each example, shape ``(B,)``."""
        values, lengths, labels = self.taken(self.training, examples)
        return functional.cross_entropy(network(values, lengths, noise), labels, reduction="none")

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the accuracy on the dev set as the score, and the mean cross-entropy."""
        accuracy, loss = self.measured(network, self.dev)
        return accuracy, {"dev_accuracy": accuracy, "dev_loss": loss}

    @torch.no_grad()
    def measured(self, network: nn.Module, part: Any) -> tuple[float, float]:
        """Return the accuracy and the mean cross-entropy on a split."""
        right, loss = 0, 0.0
        for indices in torch.split(part.lengths.argsort(descending=True, stable=True), self.at_once):
            values, lengths, labels = self.taken(part, indices)
            scores = network(values, lengths)
            right += int((scores.argmax(dim=1) == labels).sum())
            loss += float(functional.cross_entropy(scores, labels, reduction="sum"))
        return right / len(part.labels), loss / len(part.labels)

    def figures(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Return the network's accuracy, its standard error, and the mean cross-entropy on each split."""
        result: dict[str, Any] = {}
        for name, part in parts.items():
            accuracy, loss = self.measured(self.network, part)
            error = standard_error(accuracy, len(part.labels))
            result |= {f"{name}_accuracy": accuracy, f"{name}_standard_error": error, f"{name}_loss": loss}
        return result


def standard_error(accuracy: float, sentences: int) -> float:
    """Return the standard error of an accuracy on ``sentences`` sentences: sqrt(p (1 - p) / n).

    >>> round(standard_error(0.83, 378), 3)
    0.019
    """
    return math.sqrt(accuracy * (1 - accuracy) / sentences)
