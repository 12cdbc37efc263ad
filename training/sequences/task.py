"""The classification of sequences as a task of the training engine."""

from __future__ import annotations

import math
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.engine.noise import Noise
from training.engine.rmsprop import rmsprop
from training.engine.task import ExampleTask
from training.sequences.settings import SequenceClassification

AT_ONCE = 250


class SequenceExamples(Protocol):
    """Labelled sequences.

    Attributes:
        labels: shape ``(N,)``.
        lengths: shape ``(N,)``, at least 1.
    """

    labels: Tensor
    lengths: Tensor

    def at(self, indices: Tensor) -> Tensor:
        """Return the network's input for the examples at these indices, time first."""


class SequenceTask(ExampleTask):
    """A classifier with its training set and dev set.

    Args:
        network: the classifier, called with examples, lengths and noise.
        settings: the settings of the run.
        training, dev: labelled sequences.
    """

    def __init__(
        self,
        network: nn.Module,
        settings: SequenceClassification,
        training: SequenceExamples,
        dev: SequenceExamples,
    ) -> None:
        super().__init__(network, settings, training.lengths)
        self.how, self.training, self.dev = settings, training, dev

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the cross-entropy of each example, shape ``(B,)``."""
        values, lengths, labels = self.taken(self.training, examples)
        return functional.cross_entropy(network(values, lengths, noise), labels, reduction="none")

    def taken(self, part: SequenceExamples, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return inputs, lengths and labels of the examples at these indices, on the network's device."""
        like, chosen = next(self.network.parameters()), indices.cpu()
        values = part.at(chosen)
        values = values.to(like) if values.is_floating_point() else values.to(like.device)
        return values, part.lengths[chosen].to(like.device), part.labels[chosen].to(like.device)

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the accuracy on the dev set as the score, and the mean cross-entropy."""
        accuracy, loss = self.measured(network, self.dev)
        return accuracy, {"dev_accuracy": accuracy, "dev_loss": loss}

    @torch.no_grad()
    def measured(self, network: nn.Module, part: SequenceExamples) -> tuple[float, float]:
        """Return the accuracy and the mean cross-entropy on a split."""
        right, loss = 0, 0.0
        for indices in torch.split(part.lengths.argsort(descending=True, stable=True), AT_ONCE):
            values, lengths, labels = self.taken(part, indices)
            scores = network(values, lengths)
            right += int((scores.argmax(dim=1) == labels).sum())
            loss += float(functional.cross_entropy(scores, labels, reduction="sum"))
        return right / len(part.labels), loss / len(part.labels)

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam or RMSProp."""
        s, parameters = self.how, [p for p in self.network.parameters() if p.requires_grad]
        if s.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=s.rate, weight_decay=s.weight_decay)
        return rmsprop(parameters, s.rate, s.weight_decay, s.smoothing)


def figures(task: SequenceTask, network: nn.Module, parts: dict[str, Any]) -> dict[str, float]:
    """Return the accuracy, its standard error, and the mean cross-entropy of each split, keyed by name."""
    result: dict[str, float] = {}
    for name, part in parts.items():
        accuracy, loss = task.measured(network, part)
        error = math.sqrt(accuracy * (1 - accuracy) / len(part.labels))
        result |= {f"{name}_accuracy": accuracy, f"{name}_standard_error": error, f"{name}_loss": loss}
    return result
