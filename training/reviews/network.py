"""A classifier of reviews: word vectors before the recurrent layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from neural.seeding import seeded
from training.engine.noise import Noise
from training.engine.seeds import mixed
from training.reviews.files import END, START
from training.reviews.settings import Sentiment
from training.sequences.network import LayerStates, SequenceClassifier


class ReviewClassifier(nn.Module):
    """A network that maps word indices to a score for each label.

    Args:
        settings: the settings of the run.
        table: word vectors, shape ``(words, width)``. The first row is for words outside the vocabulary, the
            next two rows for the start and the end. If ``None``, vectors are learned from random values.
        words: the number of rows of the table.
    """

    def __init__(self, settings: Sentiment, table: Tensor | None, words: int) -> None:
        super().__init__()
        self.settings = settings
        with seeded(mixed(settings.seed, 4)):
            if table is None:
                table = torch.randn(words, settings.width) * settings.width**-0.5
            self.marks = nn.Parameter(torch.randn(2, table.shape[1]) * table.shape[1] ** -0.5)
        if settings.fixed:
            self.register_buffer("table", table, persistent=False)
        else:
            self.table = nn.Parameter(table)
        self.classifier = SequenceClassifier(settings, table.shape[1], 2, ends=settings.tokens)

    def forward(self, ids: Tensor, lengths: Tensor, noise: Noise | None = None) -> Tensor:
        """Return scores, shape ``(B, 2)``, from word indices, shape ``(T, B)``.

        The other arguments are those of :meth:`training.sequences.network.SequenceClassifier.forward`.
        """
        scores: Tensor = self.classifier(self.read(ids), lengths, noise)
        return scores

    def run(self, ids: Tensor, lengths: Tensor) -> list[LayerStates]:
        """Return the states of each layer."""
        return self.classifier.run(self.read(ids), lengths)

    def read(self, ids: Tensor) -> Tensor:
        """Return the vectors of the words, shape ``(T, B, width)``."""
        vectors = nn.functional.embedding(ids, self.table)
        for token, mark in zip((START, END), self.marks, strict=True):
            vectors = torch.where((ids == token)[..., None], mark, vectors)
        return vectors
