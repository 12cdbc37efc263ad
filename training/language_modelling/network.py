"""The language model of section 6.2 (Peng et al. 2018).

The model consists of word vectors, recurrent layers and a softmax. The softmax shares its weights with the
word vectors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from neural.seeding import seeded
from training.engine.noise import Noise
from training.engine.seeds import mixed
from training.language_modelling.layers import enlarge_updates, layer_of
from training.language_modelling.settings import LanguageModelling

State = list[tuple[Tensor, ...]]
"""The state of each layer, tensors of shape ``(1, B, d)``."""


class LanguageModel(nn.Module):
    """A model that maps words to scores of the next words.

    Args:
        settings: the settings of the run.
        words: the number of words.
    """

    def __init__(self, settings: LanguageModelling, words: int) -> None:
        super().__init__()
        self.settings = settings
        d = settings.hidden
        with seeded(mixed(settings.seed, 2)):
            self.vectors = nn.Embedding(words, d)
            nn.init.uniform_(self.vectors.weight, -((3.0 / d) ** 0.5), (3.0 / d) ** 0.5)
            self.bias = nn.Parameter(torch.zeros(words))
            self.layers = nn.ModuleList(
                layer_of(settings.model, one, two) for one, two in pairwise([d] * (settings.layers + 1))
            )

            if settings.gain:
                for layer in self.layers:
                    enlarge_updates(layer, settings.gain)

    def forward(self, ids: Tensor, state: State | None, noise: Noise | None = None) -> tuple[Tensor, State]:
        """Return scores of shape ``(T, B, words)``, and the state after the last word.

        Args:
            ids: word indices, shape ``(T, B)``.
            state: the state before the first word; by default, the layers' first states.
            noise: the noise of a training step; by default, there is no dropout.
        """
        s, values = self.settings, self.vectors(ids)
        if noise is not None:
            values = noise.dropout(values, 0, s.dropped(s.input_dropout), each_step=True)
        after: State = []
        for number, layer in enumerate(self.layers):
            if noise is not None:
                if number:
                    values = noise.dropout(values, 2 * number, s.dropped(s.vertical_dropout))
                values = noise.dropout(values, 2 * number + 1, s.dropped(s.recurrent_dropout))
            values, last = layer(values, None if state is None else _layer_state(state[number]))
            after.append(last if isinstance(last, tuple) else (last,))
        if noise is not None:
            values = noise.dropout(values, 2 * len(self.layers), s.dropped(s.output_dropout), each_step=True)
        return self.scores(values), after

    def scores(self, values: Tensor) -> Tensor:
        """Return the scores of all words from the output of the last layer."""
        return values @ self.vectors.weight.t() + self.bias

    def inputs(self, ids: Tensor) -> list[Tensor]:
        """Return each layer's inputs, shapes ``(T, B, d)``, without dropout and from the initial states."""
        values, read = self.vectors(ids), []
        for layer in self.layers:
            read.append(values)
            values = layer(values)[0]
        return read


def _layer_state(state: tuple[Tensor, ...]) -> Any:
    return state if len(state) > 1 else state[0]
