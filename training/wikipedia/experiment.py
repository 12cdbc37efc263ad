"""A run of language modelling on Wikipedia."""

from __future__ import annotations

from typing import Any

import torch

from training.language_modelling.corpus import LanguageCorpus
from training.language_modelling.experiment import TextRun
from training.language_modelling.task import LanguageTask
from training.wikipedia.corpus import load
from training.wikipedia.network import WikipediaModel
from training.wikipedia.settings import WikipediaModelling, paper


class WikipediaTask(LanguageTask):
    """A language model and its text, trained with Adam."""

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam."""
        s = self.settings
        return torch.optim.Adam(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)


class WikipediaRun(TextRun[WikipediaModelling]):
    """A run on Wikipedia's articles; its networks are not rational."""

    def load(self) -> LanguageCorpus:
        """Load the corpus of Wikipedia's articles."""
        return load(self.data.folder, self.settings.vocabulary, self.data.any_size)

    def build(self) -> WikipediaTask:
        """Return a training task with the untrained network."""
        return WikipediaTask(WikipediaModel(self.settings, len(self.corpus.words)), self.corpus)

    def paper(self) -> dict[str, Any]:
        """Return the paper's figures for this run."""
        return paper(self.settings)

    def decide(self) -> None:
        """Do nothing and return ``None``, because these networks are not rational."""
