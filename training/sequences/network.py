"""Recurrent layers and a linear classifier of their final states, for SR-LSTMs and the paper's baselines.

>>> from training.sequences.settings import SequenceClassification
>>> network = SequenceClassifier(SequenceClassification(hidden=4, k=3), 2, labels=5)
>>> network(torch.zeros(7, 3, 2), torch.tensor([7, 2, 1])).shape
torch.Size([3, 5])
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from neural.seeding import seeded
from neural.state_regularized.fast_steps import steps
from neural.state_regularized.layers import LSTMP, SRGRU, SRLSTM, SRLSTMP
from training.engine.noise import Noise
from training.engine.seeds import mixed
from training.sequences.settings import SequenceClassification

REGULARIZED = {"sr-lstm": SRLSTM, "sr-lstm-p": SRLSTMP, "sr-gru": SRGRU}


class LayerStates(NamedTuple):
    """The states of one layer on a batch of sequences.

    Attributes:
        u: the outputs of the recurrent component, shape ``(T, B, d)``.
        h: the hidden states, shape ``(T, B, d)``; without a stochastic component, they are u.
        alpha: the transition probabilities, shape ``(T, B, k)``; ``None`` without centroids.
        c: each sequence's last cell state, shape ``(B, d)``; ``None`` for a GRU.
    """

    u: Tensor
    h: Tensor
    alpha: Tensor | None
    c: Tensor | None


class SequenceClassifier(nn.Module):
    """A network that maps sequences of vectors to a score for each label.

    Args:
        settings: the settings of the run.
        width: the size of the vectors.
        labels: the number of labels.
        ends: whether sequences end in a token, after which the stochastic component is not applied
            (section 3.3).
    """

    def __init__(self, settings: SequenceClassification, width: int, labels: int, ends: bool = False) -> None:
        super().__init__()
        self.settings, self.ends = settings, ends
        s = settings
        with seeded(mixed(s.seed, 2)):
            sizes = [width, *[s.hidden] * (s.layers - 1)]
            self.layers = nn.ModuleList(_layer(s, size) for size in sizes)
            parts = {"h": 1, "max-h": 1, "c": s.layers, "h-c": 1 + s.layers}[s.head]
            self.memory = s.model not in ("gru", "sr-gru")
            self.out = nn.Linear(s.hidden * (parts if self.memory else 1), labels)

    def forward(self, values: Tensor, lengths: Tensor, noise: Noise | None = None) -> Tensor:
        """Return the labels' scores, shape ``(B, labels)``.

        Args:
            values: shape ``(T, B, width)``; values after a sequence's end are ignored.
            lengths: the lengths of the sequences, at least 1, shape ``(B,)``.
            noise: the noise of a training step; by default, there is no dropout.
        """
        layer_states = self.run(values, lengths)
        read = self._read(layer_states, lengths)
        if noise is not None and self.settings.dropout:
            read = read * noise.kept(0, (read.shape[1],), self.settings.dropout, read.dtype)
        scores: Tensor = self.out(read)
        return scores

    def run(self, values: Tensor, lengths: Tensor) -> list[LayerStates]:
        """Return the states of each layer."""
        layer_states: list[LayerStates] = []
        for layer in self.layers:
            layer_states.append(_run(layer, values, lengths))
            values = layer_states[-1].h
        return layer_states

    def _read(self, layer_states: list[LayerStates], lengths: Tensor) -> Tensor:
        """Return the classifier's input, computed from the last layer's states, shape ``(B, size)``."""
        head, top = self.settings.head, layer_states[-1]
        if head == "max-h":
            behind = torch.arange(len(top.h), device=lengths.device)[:, None] >= lengths
            return top.h.masked_fill(behind[..., None], -torch.inf).amax(dim=0)
        parts = [] if head == "c" else [last(top.u if self.ends else top.h, lengths)]
        if head != "h" and self.memory:
            parts += [one.c for one in layer_states if one.c is not None]
        return torch.cat(parts, dim=1)


def last(values: Tensor, lengths: Tensor) -> Tensor:
    """Return each sequence's last value, shape ``(B, d)``, from values ``(T, B, d)``."""
    return values[lengths - 1, torch.arange(len(lengths), device=lengths.device)]


def _run(layer: Any, values: Tensor, lengths: Tensor) -> LayerStates:
    if isinstance(layer, nn.GRU):
        h = layer(values)[0]
        return LayerStates(h, h, None, None)
    if isinstance(layer, nn.LSTM):
        packed = nn.utils.rnn.pack_padded_sequence(values, lengths.cpu(), enforce_sorted=False)
        h, (_, c) = layer(packed)
        h = nn.utils.rnn.pad_packed_sequence(h, total_length=len(values))[0]
        return LayerStates(h, h, None, c[0])
    result = steps(layer.cell, values, layer.cell.start(values.shape[1]))
    return LayerStates(
        result.u, result.h, result.alpha, None if result.c is None else last(result.c, lengths)
    )


def _layer(settings: SequenceClassification, size: int) -> nn.Module:
    s = settings
    layer: Any
    if s.model in ("lstm", "gru"):
        layer = (nn.LSTM if s.model == "lstm" else nn.GRU)(size, s.hidden)
        bias = layer.bias_ih_l0
    else:
        layer = (
            REGULARIZED[s.model](size, s.hidden, k=s.k, temperature=s.temperature)
            if s.regularized
            else LSTMP(size, s.hidden)
        )
        bias = layer.cell.part.input.bias
    with torch.no_grad():
        bias[s.hidden : 2 * s.hidden] += s.forget_bias  # f of an LSTM, z of a GRU
    result: nn.Module = layer
    return result
