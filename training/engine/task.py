"""What the loop trains: an experiment's network and data, behind one interface."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from training.engine.noise import Noise
from training.engine.sampler import batches
from training.engine.settings import Settings


class Task(Protocol):
    """A network and its data. Examples are named by numbers.

    Attributes:
        network: what is trained.
        carries: is there a state that goes from one batch to the next?
        average: the decay of a running mean of the weights, which is measured and kept in their place; 0:
            there is none. Learning rates of the optimiser's groups keep their ratios.
        finished: is there nothing left to train, after this step?
    """

    network: nn.Module
    carries: bool
    average: float

    @property
    def finished(self) -> bool: ...

    def batches(self, epoch: int) -> list[Tensor]:
        """The examples of each batch of an epoch, from 0 on; they depend on the seed and the epoch alone."""

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the loss of each example, shape ``(B,)``.

        Args:
            network: the one that is called, which may be the wrapped one.
            examples: numbers of examples, on the CPU: reading them makes nobody wait for a GPU.
            noise: of this step, on the network's device.
        """

    def stepped(self) -> bool:
        """Called after each step, which the network's weights have by then. Has the task given the network
        the weights of a new start? Then all that training has made of the old ones begins anew with it:
        the optimiser's state, the learning rates, the best weights and the mean ones.
        """

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """On the dev set: a score, of which more is better, and what else is kept of each epoch."""

    def in_words(self, score: float) -> str:
        """A score as a person reads it."""

    def optimiser(self) -> torch.optim.Optimizer:
        """The optimiser of the network's parameters."""

    def next_rate(self, epoch: int, rate: float) -> float:
        """The learning rate after so many epochs, besides what is halved."""

    def carried(self) -> dict[str, Tensor]:
        """The state that the next batch begins with, by name."""

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Begin the next batch with that state."""


class ExampleTask:
    """A task whose examples are apart: batches of like lengths, by Adam, and no state between them.

    Args:
        network: what is trained.
        settings: how.
        lengths: of the training set's examples, shape ``(N,)``; an example's name is its place.
    """

    carries = False
    average = 0.0

    @property
    def finished(self) -> bool:
        """The settings say when."""
        return False

    def __init__(self, network: nn.Module, settings: Settings, lengths: Tensor) -> None:
        self.network, self.settings, self.lengths = network, settings, lengths

    def batches(self, epoch: int) -> list[Tensor]:
        """Every example once."""
        return batches(self.lengths, self.settings.batch, self.settings.seed, epoch)

    def stepped(self) -> bool:
        """No step is followed by a new start."""
        return False

    def in_words(self, score: float) -> str:
        """An accuracy."""
        return f"{score:.2%}"

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam, with the squared parameters in the loss."""
        s = self.settings
        return torch.optim.Adam(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """The same."""
        return rate

    def carried(self) -> dict[str, Tensor]:
        """None."""
        return {}

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Nothing is carried."""
