"""The interface of the training loop to an experiment's network and data."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from training.engine.noise import Noise
from training.engine.sampler import batches
from training.engine.settings import Settings


class Task(Protocol):
    """A network and its training examples, which are identified by integers.

    The loop keeps the ratios of the learning rates of the optimiser's parameter groups constant.

    Attributes:
        network: the network to train.
        carries: whether a recurrent state passes from one batch to the next.
        average: the decay of a running mean of the weights, which is measured and saved instead of the
            weights; 0 for none.
        finished: whether training ends after this step.
    """

    network: nn.Module
    carries: bool
    average: float

    @property
    def finished(self) -> bool: ...

    def batches(self, epoch: int) -> list[Tensor]:
        """Return the examples of each batch of an epoch; epochs are counted from 0.

        The batches depend only on the seed and the epoch.
        """

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the loss of each example, shape ``(B,)``.

        Args:
            network: the network to call, which Fabric may have wrapped.
            examples: the indices of the examples, shape ``(B,)``, on the CPU, which avoids waiting for a GPU.
            noise: the noise of this step, on the network's device.
        """

    def stepped(self) -> bool:
        """Return whether the task restarted the network with new weights after this step.

        The loop calls this method after it updates the weights. After a restart, the loop resets the
        optimiser's state, the learning rates, the best weights and the mean weights.
        """

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Measure the network on the dev set, and return a score (higher is better) and values to log."""

    def in_words(self, score: float) -> str:
        """Return the score of an epoch as text."""

    def optimiser(self) -> torch.optim.Optimizer:
        """Return the optimiser of the network's parameters."""

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the learning rate for the next epoch.

        Args:
            epoch: the number of finished epochs.
            rate: the rate of the scheduler, which halves the rate if the score does not improve.
        """

    def carried(self) -> dict[str, Tensor]:
        """Return the recurrent state with which the next batch begins, keyed by name."""

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Set the recurrent state with which the next batch begins."""


class ExampleTask:
    """A task with independent examples, batches of similar lengths, Adam, and no carried state.

    Args:
        network: the network to train.
        settings: the settings of the run.
        lengths: the lengths of the training examples, shape ``(N,)``; an example is identified by its
            position.
    """

    carries = False
    average = 0.0

    @property
    def finished(self) -> bool:
        """Return False, because the settings decide when training ends."""
        return False

    def __init__(self, network: nn.Module, settings: Settings, lengths: Tensor) -> None:
        self.network, self.settings, self.lengths = network, settings, lengths

    def batches(self, epoch: int) -> list[Tensor]:
        """Return every example once."""
        return batches(self.lengths, self.settings.batch, self.settings.seed, epoch)

    def stepped(self) -> bool:
        """Return False, because this task never restarts the network."""
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
        """Return an empty state, because examples are independent."""
        return {}

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Do nothing, because examples are independent."""
