"""What the loop trains: an experiment's network and data, behind one interface."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor, nn

from training.engine.noise import Noise


class Task(Protocol):
    """A network and its data. Examples are named by their places in the training set.

    Attributes:
        network: what is trained.
        lengths: of the training set's examples, shape ``(N,)``: batches are of like lengths.
    """

    network: nn.Module
    lengths: Tensor

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """The loss of each example, shape ``(B,)``; ``network`` is the one that is called, which may be the
        wrapped one.
        """

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """On the dev set: a score, of which more is better, and what else is kept of each epoch."""
