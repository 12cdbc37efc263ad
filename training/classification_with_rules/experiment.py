"""A run of text classification with rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.text.number_text import plural
from neural.fa_rnn import files
from neural.seeding import seeded
from ratproof.commands.terminal import headed
from training.classification_with_rules.copies import without_copies
from training.classification_with_rules.data import RuledSentences, load
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.paper import paper
from training.classification_with_rules.plain_networks import PlainNetwork
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import OWN, SOURCES, RuleSource
from training.classification_with_rules.task import RuleTask
from training.classification_with_rules.vectors import AROUND, vectors, word_vector_file
from training.data_folder import Data
from training.engine.experiment import ExperimentRun, accuracy_line
from training.engine.labelled import standard_error
from training.engine.names import NETWORK
from training.engine.progress import Progress
from training.engine.seeds import mixed


class RuleRun(ExperimentRun[RuleClassification]):
    """A run that trains and evaluates a network; without training sentences, it only evaluates."""

    kind = "text classifier with rules"
    task: RuleTask

    @property
    def trains(self) -> bool:
        """Return whether there are training sentences."""
        return self.settings.share > 0

    def called(self, preset: str) -> str:
        """Return the name of the run's folder; for the user's own sentences, it includes their folder."""
        own = f"{OWN}-{self.data.folder.resolve().name}-{self.settings.model}-{self.settings.seed}"
        return own if self.experiment == OWN else super().called(preset)

    def read(self) -> dict[str, Any]:
        """Read the sentences, the rules and the word vectors."""
        s, self.source = self.settings, SOURCES[self.experiment]
        self.sentences = load(self.source, self.data, s.share, s.seed)
        self.table, about = _word_vectors(self.source, self.sentences, s, self.data)
        return self.sentences.described | about

    def build(self) -> RuleTask:
        """Measure the untrained network and the rules, and return the training task."""
        network = build(self.sentences, self.settings, self.table)
        task = RuleTask(network, self.settings, self.sentences)
        self.before: dict[str, float | None] = {}
        for part in self.parts:
            self.before |= _agreement_with_rules(task, network, part)
        return task

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the network, before and after training."""
        metrics: dict[str, Any] = self.before
        for part in self.parts:
            metrics |= _measured(self.task, self.network, part, self.source.positive)
        return metrics | {"parameters": self.size()}, {}

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for this run."""
        return paper(self.experiment, self.settings)

    def keep(self, path: Path, result: dict[str, Any]) -> None:
        """Write the network to a file; if possible, in the format of ``ratproof rules read-back``."""
        network = self.network
        if isinstance(network, FANetwork) and network.settings.is_classifier:
            files.save(network.classifier(self.sentences).cpu(), path, self.about(result))
        else:
            super().keep(path, result)

    def title(self, result: dict[str, Any]) -> tuple[str, str]:
        """Return the first line that is printed about a result: the highlighted name, and the other text."""
        count, name = result["data"]["trained_on"], result["data"].get("folder", result["experiment"])
        epochs = f"{count:,} sentences, {plural(result['epochs'], 'epoch')}, {result['seconds']:.0f} s"
        best = f"; epoch {result['best_epoch']} was best on the dev set" if result["epochs"] else ""
        return f"{name} {result['model']}", f", seed {result['seed']}: {epochs}{best}"

    def lines(self, result: dict[str, Any]) -> Iterator[Any]:
        """Yield lines that describe the data, and lines with the accuracies of the network and the rules."""
        data, metrics, paper = result["data"], result["metrics"], result["paper"]
        if data["vectors"] is not None:
            without = f"; {data.get('words_without_a_vector', 0)} words have no vector"
            yield headed("  word vectors", f": {data['vectors']}{without}")
        missing = data["words_of_rules_that_no_sentence_has"]
        if missing:
            yield f"  words of rules that occur in no sentence: {', '.join(missing)}"
        comparison = "" if paper is None else f"; {paper['source']}: {paper['test_accuracy']:.1%}"
        yield accuracy_line(result, "dev", "sentences")
        yield accuracy_line(result, "test", "sentences", comparison)
        if metrics.get("test_copies") and metrics["test_accuracy_without_copies"] is not None:
            yield (
                f"  without the {metrics['test_copies']} test sentences that are also in the training file:"
                f" {metrics['test_accuracy_without_copies']:.1%}"
            )
        yield (
            f"  accuracy of the rules on the test sentences: {metrics['rules_test_accuracy']:.1%}; the"
            f" untrained network agrees with them on {metrics['untrained_test_agrees_with_rules']:.1%}"
        )

    def last_lines(self, result: dict[str, Any], folder: Path) -> str:
        """Return the last line to print, with the command that reads the rules back if this is possible."""
        readable = RuleClassification(**result["configuration"]).is_classifier
        reads = (
            f"; ratproof rules read-back {folder / NETWORK} --data DIR reads its rules" if readable else ""
        )
        return super().last_lines(result, folder) + reads


def build(
    data: RuledSentences, settings: RuleClassification, table: Tensor | None
) -> FANetwork | PlainNetwork:
    """Return the untrained network; ``table`` contains the word vectors, shape ``(V, D)``."""
    with seeded(mixed(settings.seed, 2)):
        if settings.is_fa:
            return FANetwork(data, settings, table)
        assert table is not None
        return PlainNetwork(settings, table, len(data.labels))


def _word_vectors(
    source: RuleSource, data: RuledSentences, settings: RuleClassification, where: Data
) -> tuple[Tensor | None, dict[str, Any]]:
    """Return the word vectors, or ``None`` if the network needs none, and their description in the result."""
    if settings.is_fa and (settings.beta == 1 or settings.tensor == "whole"):
        if where.vectors is not None and source.published is None:
            raise InputError("--beta must be below 1 for --vectors to have an effect, got 1")
        return None, {"vectors": None}
    file = where.vectors or word_vector_file(where.folder, where.folder / source.folder)
    read = vectors(file, data.words, settings.seed)
    if settings.word_vectors == "random":
        generator = torch.Generator().manual_seed(mixed(settings.seed, 5))
        table = AROUND * torch.randn(read.table.shape, generator=generator)
        return table, {"vectors": "random"}
    return read.table, {"vectors": Path(read.source).name, "words_without_a_vector": read.without}


def _agreement_with_rules(task: RuleTask, network: nn.Module, part: str) -> dict[str, float | None]:
    """Return the accuracies of the rules and of the untrained network, and the share of equal predictions."""
    truth, by_rules = task.parts[part].labels, task.data.by_rules(part)
    predicted, _ = task.predict(network, part)
    return {
        f"rules_{part}_accuracy": float((by_rules == truth).double().mean()),
        f"rules_{part}_accuracy_without_copies": without_copies(by_rules == truth, task.data.copied[part]),
        f"untrained_{part}_accuracy": float((predicted == truth).double().mean()),
        f"untrained_{part}_agrees_with_rules": float((predicted == by_rules).double().mean()),
    }


def _measured(task: RuleTask, network: nn.Module, part: str, positive: str | None) -> dict[str, Any]:
    truth = task.parts[part].labels
    predicted, loss = task.predict(network, part)
    accuracy = float((predicted == truth).double().mean())
    metrics = {
        f"{part}_accuracy": accuracy,
        f"{part}_standard_error": standard_error(accuracy, len(truth)),
        f"{part}_copies": int(task.data.copied[part].sum()),
        f"{part}_accuracy_without_copies": without_copies(predicted == truth, task.data.copied[part]),
        f"{part}_loss": loss,
    }
    if positive is not None and positive in task.data.labels:
        index = task.data.labels.index(positive)
        both = int(((predicted == index) & (truth == index)).sum())
        metrics[f"{part}_precision"] = both / max(1, int((predicted == index).sum()))
        metrics[f"{part}_recall"] = both / max(1, int((truth == index).sum()))
    return metrics
