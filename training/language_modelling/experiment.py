"""A run of language modelling."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeVar

import torch

from training.engine.experiment import ExperimentRun, per_second
from training.engine.progress import Progress
from training.engine.seeds import mixed
from training.language_modelling.corpus import LanguageCorpus, load
from training.language_modelling.network import LanguageModel
from training.language_modelling.settings import LanguageModelling, paper
from training.language_modelling.task import LanguageTask, perplexity
from training.rational_recurrences.decided import SYMBOLS, decide_layers, some

S = TypeVar("S", bound=LanguageModelling)


class TextRun(ExperimentRun[S]):
    """A run that trains and measures a language model on a text corpus."""

    kind = "language model"
    task: LanguageTask

    def load(self) -> LanguageCorpus:
        """Return the corpus."""
        return load(self.data.folder, self.data.any_size)

    def read(self) -> dict[str, Any]:
        """Load the corpus."""
        self.corpus = self.load()
        return self.corpus.described()

    def build(self) -> LanguageTask:
        """Return a training task with the untrained network."""
        return LanguageTask(LanguageModel(self.settings, len(self.corpus.words)), self.corpus)

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the trained network, and whether its units are equal to their automata."""
        metrics: dict[str, Any] = {
            f"{part}_perplexity": perplexity(self.task.loss(self.network, part)) for part in self.parts
        }
        metrics["tokens_per_second"] = per_second(self.task.words.numel(), progress)
        metrics["parameters"] = self.size()
        return metrics, {"decided": self.decide()}

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for this run."""
        return paper(self.settings)

    def about(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the description to store in the network's file."""
        words = {"words": list(self.corpus.words)}
        return {name: result[name] for name in ("experiment", "configuration")} | words

    @torch.no_grad()
    def decide(self) -> dict[str, Any] | None:
        """Decide whether all units of a rational model are equal to their automata.

        The symbols of the first layer are words of the training set. The symbols of an upper layer are
        vectors that the layer below computed for such words.
        """
        network: Any = self.network
        rng = random.Random(mixed(self.settings.seed, 3))
        some_words = self.task.words[: 4 * SYMBOLS, :4].to(next(network.parameters()).device)
        vectors = [some(torch.unique(read.flatten(0, 1), dim=0), rng) for read in network.inputs(some_words)]
        return decide_layers(self.settings.model, list(network.layers), vectors, rng)

    def lines(self, result: dict[str, Any]) -> Iterator[str]:
        """Yield lines with the perplexities, and with the decision whether units equal their automata."""
        metrics, paper = result["metrics"], result["paper"]
        comparison = ""
        if paper is not None:
            printed = f"{paper['dev_perplexity']} and {paper['test_perplexity']}"
            comparison = f"; the paper, with {paper['parameters']} parameters: {printed}"
        yield (
            f"  perplexity {metrics['dev_perplexity']:.1f} on dev, {metrics['test_perplexity']:.1f} on test,"
            f" with {metrics['parameters']:,} parameters{comparison}"
        )
        if result["decided"] is not None:
            yield f"  all {result['decided']['units']} units are equal to their automata: decided"
