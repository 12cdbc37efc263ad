"""The language model of appendix C.2 (Wang & Niepert 2019).

The model has word vectors, recurrent layers, and a softmax. The paper's numbers of parameters imply that the
softmax does not share weights with the word vectors.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from neural.seeding import seeded
from neural.state_regularized.layers import LSTMP, SRLSTM, SRLSTMP
from training.engine.seeds import mixed
from training.language_modelling.network import LanguageModel
from training.wikipedia.settings import WikipediaModelling


class WikipediaModel(LanguageModel):
    """A model that maps words to scores of the next words.

    Args:
        settings: the settings of the run.
        words: the number of words.
    """

    def __init__(self, settings: WikipediaModelling, words: int) -> None:
        nn.Module.__init__(self)
        self.settings, d = settings, settings.hidden
        with seeded(mixed(settings.seed, 2)):
            self.vectors = nn.Embedding(words, d)
            nn.init.uniform_(self.vectors.weight, -((3.0 / d) ** 0.5), (3.0 / d) ** 0.5)
            self.layers = nn.ModuleList(_layer(settings) for _ in range(settings.layers))
            self.out = nn.Linear(d, words)

    def scores(self, values: Tensor) -> Tensor:
        """Return the scores of all words from the output of the last layer."""
        scores: Tensor = self.out(values)
        return scores


def _layer(settings: WikipediaModelling) -> nn.Module:
    s, d = settings, settings.hidden
    if s.model == "lstm":
        return nn.LSTM(d, d)
    if s.model == "lstm-p":
        return LSTMP(d, d)
    kind: Any = {"sr-lstm": SRLSTM, "sr-lstm-p": SRLSTMP}[s.model]
    layer: nn.Module = kind(d, d, k=s.k, temperature=s.temperature)
    return layer
