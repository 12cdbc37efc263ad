"""The interface of the training loop to an experiment's network and data."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from training.engine.noise import Noise
from training.engine.sampler import batches
from training.engine.settings import Settings


class Task(Protocol):
    """A network and its data. Examples are identified by numbers.

    Attributes:
        network: what is trained.
        carries: whether a state passes from one batch to the next.
        average: the decay of a running mean of the weights, which is measured and kept in their place; 0 for
            none. Learning rates of the optimiser's groups keep their ratios.
        finished: whether nothing is left to train after this step.
    """

    network: nn.Module
    carries: bool
    average: float

    @property
    def finished(self) -> bool: ...

    def batches(self, epoch: int) -> list[Tensor]:
        """Return the examples of each batch of an epoch, counted from 0.

        They depend on the seed and the epoch only.
        """

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the loss of each example, shape ``(B,)``.

        Args:
            network: the network to call, possibly wrapped.
            examples: numbers of examples, on the CPU, so that reading them does not wait for a GPU.
            noise: of this step, on the network's device.
        """

    def stepped(self) -> bool:
        """Return whether the task gave the network the weights of a new start after this step.

        It is called after the weights are updated. After a new start, the optimiser's state, the learning
        rates, the best weights and the mean weights are reset.
        """

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Measure on the dev set: return a score, the higher the better, and what to log of the epoch."""

    def in_words(self, score: float) -> str:
        """Return a score as text."""

    def optimiser(self) -> torch.optim.Optimizer:
        """Return the optimiser of the network's parameters."""

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the learning rate after that many epochs, apart from the halving."""

    def carried(self) -> dict[str, Tensor]:
        """Return the state that the next batch begins with, by name."""

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Begin the next batch with that state."""


class ExampleTask:
    """A task with independent examples: batches of similar lengths, Adam, and no state between batches.

    Args:
        network: what is trained.
        settings: of the run.
        lengths: of the training set's examples, shape ``(N,)``; an example is identified by its position.
    """

    carries = False
    average = 0.0

    @property
    def finished(self) -> bool:
        """Return false: the settings decide when training ends."""
        return False

    def __init__(self, network: nn.Module, settings: Settings, lengths: Tensor) -> None:
        self.network, self.settings, self.lengths = network, settings, lengths

    def batches(self, epoch: int) -> list[Tensor]:
        """Return every example once."""
        return batches(self.lengths, self.settings.batch, self.settings.seed, epoch)

    def stepped(self) -> bool:
        """Return false: no step is followed by a new start."""
        return False

    def in_words(self, score: float) -> str:
        """Return an accuracy in percent."""
        return f"{score:.2%}"

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam with a penalty on the squared parameters."""
        s = self.settings
        return torch.optim.Adam(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the rate unchanged."""
        return rate

    def carried(self) -> dict[str, Tensor]:
        """Return no state."""
        return {}

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Do nothing: there is no state."""
