"""The classification of sequences as a task of the training engine."""

from __future__ import annotations

import math
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.engine.noise import Noise
from training.engine.task import ExampleTask
from training.sequences.settings import SequenceClassification

AT_ONCE = 250
PUBLISHED = {"alpha": 0.95, "eps": 1e-2, "momentum": 0.9}
"""The constants of RMSProp in the authors' programs."""


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
        """Return cross-entropies, shape ``(B,)``."""
        values, lengths, labels = self.taken(self.training, examples)
        return functional.cross_entropy(network(values, lengths, noise), labels, reduction="none")

    def taken(self, part: SequenceExamples, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the examples at these indices, with lengths and labels, on the network's device."""
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
        """Return RMSProp (appendix B), or Adam.

        The paper's "momentum of 0.9" is read as the smoothing, as in
        :mod:`training.state_regularized.settings`. An LSTM then learns the first 10 words of IMDB's reviews.
        At 784 steps of MNIST, the loss is not stable with the paper's rate of 0.01, and the gradient can
        become infinite.

        ``published`` is the optimiser of the authors' programs (https://github.com/deepsemantic/sr-rnns),
        which is also that of Theano's LSTM tutorial: a momentum of 0.9, a smoothing of 0.95, and 1e-4 under
        the root, for which torch adds 1e-2 to the root. Its rate is the constant 1e-4; the argument for the
        rate, 0.01 as in the paper, has no effect. It also subtracts the squared mean of the gradients from
        their mean square. This is left out, because torch adds nothing under the root, so that rounding can
        make the difference negative. An LSTM's gradients stay finite with it, but its loss on MNIST stays at
        2.30, which is chance, in the first 468 steps.
        """
        s, parameters = self.how, [p for p in self.network.parameters() if p.requires_grad]
        if s.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=s.rate, weight_decay=s.weight_decay)
        constants: dict[str, Any] = PUBLISHED if s.optimiser == "published" else {"alpha": s.smoothing}
        return torch.optim.RMSprop(parameters, lr=s.rate, weight_decay=s.weight_decay, **constants)


def figures(task: SequenceTask, network: nn.Module, parts: dict[str, Any]) -> dict[str, float]:
    """Return the accuracy, its standard error, and the mean cross-entropy of each split, keyed by name."""
    result: dict[str, float] = {}
    for name, part in parts.items():
        accuracy, loss = task.measured(network, part)
        error = math.sqrt(accuracy * (1 - accuracy) / len(part.labels))
        result |= {f"{name}_accuracy": accuracy, f"{name}_standard_error": error, f"{name}_loss": loss}
    return result
