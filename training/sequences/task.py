"""The classification of sequences as a task of the training engine."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from training.engine.labelled import LabelledTask
from training.engine.rmsprop import rmsprop
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


class SequenceTask(LabelledTask):
    """A classifier of sequences with its training set and dev set."""

    at_once = AT_ONCE
    settings: SequenceClassification

    def taken(self, part: SequenceExamples, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return inputs, lengths and labels of the examples at these indices, on the network's device."""
        like, chosen = next(self.network.parameters()), indices.cpu()
        values = part.at(chosen)
        values = values.to(like) if values.is_floating_point() else values.to(like.device)
        return values, part.lengths[chosen].to(like.device), part.labels[chosen].to(like.device)

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam or RMSProp."""
        s, parameters = self.settings, [p for p in self.network.parameters() if p.requires_grad]
        if s.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=s.rate, weight_decay=s.weight_decay)
        return rmsprop(parameters, s.rate, s.weight_decay, s.smoothing)
