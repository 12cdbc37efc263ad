"""The network of section 6.3 (Peng et al. 2018): recurrent layers and a classifier of the last state.

The classifier is a tanh-MLP with two layers, or one linear layer.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from neural.rrnn_b import RRNNB
from neural.rrnn_b_max_plus import RRNNBMaxPlus
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF
from neural.seeding import seeded
from training.engine.noise import Noise
from training.engine.seeds import mixed
from training.rational_recurrences.settings import Classification

LAYERS = {"lstm": nn.LSTM, "rrnn-b": RRNNB, "rrnn-b-max-plus": RRNNBMaxPlus, "rrnn-c": RRNNC, "rrnn-f": RRNNF}
LABELS = 2


class SentenceClassifier(nn.Module):
    """A network that maps sentences of word vectors to a score for each label.

    Dropout is applied as in appendix E.3 and the authors' program: to word vectors, to the last state, to the
    inputs of a layer's gates, and between layers. The last two use one mask for all steps of a sentence.

    Args:
        settings: the settings of the run.
        width: the size of the word vectors.
    """

    def __init__(self, settings: Classification, width: int) -> None:
        super().__init__()
        self.settings = settings
        with seeded(mixed(settings.seed, 2)):
            sizes = [width, *[settings.hidden] * settings.layers]
            self.layers = nn.ModuleList(LAYERS[settings.model](one, other) for one, other in pairwise(sizes))
            if settings.classifier == "mlp":
                self.hidden = nn.Linear(settings.hidden, settings.hidden)
            self.out = nn.Linear(settings.hidden, LABELS)

    def forward(self, vectors: Tensor, lengths: Tensor, noise: Noise | None = None) -> Tensor:
        """Return the labels' scores, shape ``(B, 2)``.

        Args:
            vectors: word vectors, shape ``(T, B, width)``; values after a sentence's end are ignored.
            lengths: the lengths of the sentences, shape ``(B,)``; an empty sentence's last state is zero.
            noise: the noise of a training step; by default, there is no dropout.
        """
        s, values = self.settings, vectors
        if noise is not None:
            values = noise.dropout(values, 0, s.embedding_dropout, each_step=True)
        for number, layer in enumerate(self.layers):
            if noise is not None:
                if number:
                    values = noise.dropout(values, 2 * number, s.vertical_dropout)
                values = noise.dropout(values, 2 * number + 1, s.recurrent_dropout)
            values = layer(values)[0]
        last = values[(lengths - 1).clamp(min=0), torch.arange(len(lengths), device=lengths.device)]
        last = torch.where((lengths > 0)[:, None], last, torch.zeros_like(last))
        if noise is not None:
            last = noise.dropout(last[None], 2 * len(self.layers), s.embedding_dropout)[0]
        if s.classifier == "mlp":
            last = torch.tanh(self.hidden(last))
        scores: Tensor = self.out(last)
        return scores

    def inputs(self, vectors: Tensor) -> list[Tensor]:
        """Return each layer's inputs without dropout, each of shape ``(T, B, size)``."""
        values, read = vectors, []
        for layer in self.layers:
            read.append(values)
            values = layer(values)[0]
        return read
