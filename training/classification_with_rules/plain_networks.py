"""The baselines of FA-RNNs (Jiang et al. 2020, section 4.2).

The baselines are recurrent, convolutional and averaging networks, and networks whose inputs include the
matching rules.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.classification_with_rules.data import SentenceBatch
from training.classification_with_rules.settings import RuleClassification
from training.engine.noise import Noise

RECURRENT = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
LAYERS = 4
"""The number of layers of a CNN and of a DAN."""
WIDTH = 3
"""The number of words that a convolution reads."""
LAST, VECTORS = 0, 1
"""The streams of random numbers for the dropout of the encoder's features and of the word vectors."""


class PlainRecurrent(nn.Module):
    """An encoder that returns the last state of a recurrent network, or of two directions, concatenated."""

    def __init__(self, kind: str, width: int, hidden: int, both: bool) -> None:
        super().__init__()
        self.layer = RECURRENT[kind](width, hidden, bidirectional=both)
        self.size = hidden * (1 + both)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return the last states, shape ``(B, size)``, from vectors of shape ``(T, B, width)``."""
        packed = nn.utils.rnn.pack_padded_sequence(vectors, lengths.cpu(), enforce_sorted=False)
        state = self.layer(packed)[1]
        last: Tensor = state[0] if isinstance(state, tuple) else state
        return last.transpose(0, 1).flatten(1)


class Convolutional(nn.Module):
    """An encoder of stacked convolutions that returns each channel's maximum over the words (Kim 2014)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        sizes = [width, *[hidden] * LAYERS]
        layers = [nn.Conv1d(sizes[i], sizes[i + 1], WIDTH, padding=WIDTH // 2) for i in range(LAYERS)]
        for layer in layers:  # with the default initialisation, nothing is learned on ATIS
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)
        self.layers = nn.ModuleList(layers)
        self.size = hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return features, shape ``(B, size)``, from vectors of shape ``(T, B, width)``."""
        values = vectors.permute(1, 2, 0)
        inside = torch.arange(values.shape[2], device=lengths.device) < lengths[:, None, None]
        for layer in self.layers:
            values = torch.relu(layer(values * inside))
        return (values * inside).amax(dim=2)  # after ReLU, no value is less than the padding


class Averaging(nn.Module):
    """An encoder that applies linear layers with ReLU to the mean of the word vectors (Iyyer et al. 2015)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        sizes = [width, *[hidden] * LAYERS]
        self.layers = nn.ModuleList(nn.Linear(sizes[i], sizes[i + 1]) for i in range(LAYERS))
        self.size = hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return features, shape ``(B, size)``, from vectors of shape ``(T, B, width)``."""
        inside = torch.arange(len(vectors), device=lengths.device)[:, None] < lengths
        values = (vectors * inside[:, :, None]).sum(dim=0) / lengths[:, None]
        for layer in self.layers:
            values = torch.relu(layer(values))
        return values


class PlainNetwork(nn.Module):
    """A sentence encoder and a two-layer perceptron.

    Rules are used as in Luo et al. 2018. The labels whose rules match are additional inputs of the perceptron
    (``+i``), or are added to the logits with a weight for each label (``+o``).

    Args:
        settings: the settings of the run.
        vectors: the word vectors, shape ``(V, D)``; they are not trained.
        labels: the number of labels.
    """

    table: Tensor

    def __init__(self, settings: RuleClassification, vectors: Tensor, labels: int) -> None:
        super().__init__()
        self.settings = settings
        kind, _, rules = settings.model.partition("+")
        self.reads, self.adds = rules in ("i", "io"), rules in ("o", "io")
        self.register_buffer("table", vectors, persistent=False)
        width, hidden = vectors.shape[1], settings.hidden
        self.encoder: PlainRecurrent | Convolutional | Averaging
        if kind == "cnn":
            self.encoder = Convolutional(width, hidden)
        elif kind == "dan":
            self.encoder = Averaging(width, hidden)
        else:
            self.encoder = PlainRecurrent(kind.removeprefix("bi"), width, hidden, kind.startswith("bi"))
        self.hidden = nn.Linear(self.encoder.size + labels * self.reads, hidden)
        self.out = nn.Linear(hidden, labels)
        if self.adds:
            self.match = nn.Parameter(torch.ones(labels))

    def forward(self, batch: SentenceBatch, noise: Noise | None = None) -> Tensor:
        """Return the labels' logits, shape ``(B, labels)``; in training, ``noise`` draws dropout masks."""
        s, vectors = self.settings, self.table[batch.words]
        if noise is not None and s.vector_dropout:
            mask = noise.kept(VECTORS, (len(vectors), vectors.shape[2]), s.vector_dropout, vectors.dtype)
            vectors = vectors * mask.transpose(0, 1)
        read = self.encoder(vectors, batch.lengths)
        if noise is not None and s.dropout:
            read = read * noise.kept(LAST, (self.encoder.size,), s.dropout, read.dtype)
        if self.reads:
            read = torch.cat([read, batch.matches.to(read)], dim=1)
        logits: Tensor = self.out(torch.tanh(self.hidden(read)))
        return logits + self.match * batch.matches.to(logits) if self.adds else logits
