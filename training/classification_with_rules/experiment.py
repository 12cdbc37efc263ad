"""One run of text classification with rules: sentences, rules and settings in, a result out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from neural.fa_rnn import files
from neural.seeding import seeded
from ratproof.commands.terminal import headed
from training.classification_with_rules.data import RuledSentences, load
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.paper import paper
from training.classification_with_rules.plain_networks import PlainNetwork
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import OWN, SOURCES, RuleSource
from training.classification_with_rules.task import RuleTask
from training.classification_with_rules.vectors import AROUND, beside, vectors
from training.data_folder import Data
from training.engine.experiment import ExperimentRun, right_on
from training.engine.names import NETWORK
from training.engine.progress import Progress
from training.engine.seeds import mixed
from training.rational_recurrences.task import standard_error


class RuleRun(ExperimentRun[RuleClassification]):
    """A run on sentences and rules; without training sentences, the untrained network is measured."""

    kind = "text classifier with rules"
    task: RuleTask

    @property
    def trains(self) -> bool:
        """Are there training sentences?"""
        return self.settings.share > 0

    def called(self, preset: str) -> str:
        """Return what the run's folder is called: by the folder of one's own sentences."""
        own = f"{OWN}-{self.data.folder.resolve().name}-{self.settings.model}-{self.settings.seed}"
        return own if self.experiment == OWN else super().called(preset)

    def read(self) -> dict[str, Any]:
        """Read the sentences, the rules and the word vectors."""
        s, self.source = self.settings, SOURCES[self.experiment]
        self.sentences = load(self.source, self.data, s.share, s.seed)
        self.table, about = _word_vectors(self.source, self.sentences, s, self.data)
        return self.sentences.described | about

    def build(self) -> RuleTask:
        """Return the untrained network, as a task; it is measured beside the rules."""
        network = build(self.sentences, self.settings, self.table)
        task = RuleTask(network, self.settings, self.sentences)
        self.before: dict[str, float] = {}
        for part in self.parts:
            self.before |= _beside_rules(task, network, part)
        return task

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the network, before and after training."""
        metrics: dict[str, Any] = self.before
        for part in self.parts:
            metrics |= _measured(self.task, self.network, part, self.source.positive)
        return metrics | {"parameters": self.size()}, {}

    def paper(self) -> dict[str, Any] | None:
        """Return what the paper has of such a run."""
        return paper(self.experiment, self.settings)

    def keep(self, path: Path, said: dict[str, Any]) -> None:
        """Keep the network; one whose rules can be read back as what ``ratproof rules read-back`` reads."""
        network = self.network
        if isinstance(network, FANetwork) and network.settings.is_classifier:
            files.save(network.classifier(self.sentences).cpu(), path, self.about(said))
        else:
            super().keep(path, said)

    def title(self, said: dict[str, Any]) -> tuple[str, str]:
        """Return the name of a result, and the rest of its first line."""
        count, name = said["data"]["trained_on"], said["data"].get("folder", said["experiment"])
        epochs = f"{count:,} sentences, {said['epochs']} epochs, {said['seconds']:.0f} s"
        best = f"; epoch {said['best_epoch']} was best on the dev part" if said["epochs"] else ""
        return f"{name} {said['model']}", f", seed {said['seed']}: {epochs}{best}"

    def lines(self, said: dict[str, Any]) -> Iterator[Any]:
        """Yield what was read, and the accuracies of the network and of the rules."""
        data, metrics, paper = said["data"], said["metrics"], said["paper"]
        if data["vectors"] is not None:
            without = f"; {data.get('words_without_a_vector', 0)} words have none of their own"
            yield headed("  word vectors", f": {data['vectors']}{without}")
        missing = data["words_of_rules_that_no_sentence_has"]
        if missing:
            yield f"  words of rules that no sentence has: {', '.join(missing)}"
        beside = "" if paper is None else f"; {paper['source']}: {paper['test_accuracy']:.1%}"
        yield right_on(said, "dev", "sentences")
        yield right_on(said, "test", "sentences", beside)
        yield (
            f"  the rules are right on {metrics['rules_test_accuracy']:.1%} of the test sentences; the"
            f" untrained network says the same on {metrics['untrained_test_agrees_with_rules']:.1%}"
        )

    def kept(self, said: dict[str, Any], folder: Path) -> str:
        """Return the last line, which says how to read the rules back if they can be."""
        readable = RuleClassification(**said["configuration"]).is_classifier
        reads = (
            f"; ratproof rules read-back {folder / NETWORK} --data DIR reads its rules" if readable else ""
        )
        return super().kept(said, folder) + reads


def build(
    data: RuledSentences, settings: RuleClassification, table: Tensor | None
) -> FANetwork | PlainNetwork:
    """The untrained network; ``table`` are word vectors, shape ``(V, D)``."""
    with seeded(mixed(settings.seed, 2)):
        if settings.is_fa:
            return FANetwork(data, settings, table)
        assert table is not None
        return PlainNetwork(settings, table, len(data.labels))


def _word_vectors(
    source: RuleSource, data: RuledSentences, settings: RuleClassification, where: Data
) -> tuple[Tensor | None, dict[str, Any]]:
    """The vectors of the words, and what is said of them; none where the network reads none."""
    if settings.is_fa and (settings.beta == 1 or settings.tensor == "whole"):
        if where.vectors is not None and source.published is None:
            raise InputError("--vectors does not count at beta = 1: --beta below 1 is right")
        return None, {"vectors": None}
    file = where.vectors or beside(where.folder, where.folder / source.folder)
    read = vectors(file, data.words, settings.seed)
    if settings.word_vectors == "random":
        generator = torch.Generator().manual_seed(mixed(settings.seed, 5))
        table = AROUND * torch.randn(read.table.shape, generator=generator)
        return table, {"vectors": "random"}
    return read.table, {"vectors": Path(read.source).name, "words_without_a_vector": read.without}


def _beside_rules(task: RuleTask, network: nn.Module, part: str) -> dict[str, float]:
    """The rule system's accuracy, the untrained network's, and how often both say the same."""
    truth, by_rules = task.parts[part].labels, task.data.by_rules(part)
    said, _ = task.said(network, part)
    return {
        f"rules_{part}_accuracy": float((by_rules == truth).double().mean()),
        f"untrained_{part}_accuracy": float((said == truth).double().mean()),
        f"untrained_{part}_agrees_with_rules": float((said == by_rules).double().mean()),
    }


def _measured(task: RuleTask, network: nn.Module, part: str, positive: str | None) -> dict[str, Any]:
    truth = task.parts[part].labels
    said, loss = task.said(network, part)
    accuracy = float((said == truth).double().mean())
    metrics = {
        f"{part}_accuracy": accuracy,
        f"{part}_standard_error": standard_error(accuracy, len(truth)),
        f"{part}_loss": loss,
    }
    if positive is not None and positive in task.data.labels:
        place = task.data.labels.index(positive)
        both = int(((said == place) & (truth == place)).sum())
        metrics[f"{part}_precision"] = both / max(1, int((said == place).sum()))
        metrics[f"{part}_recall"] = both / max(1, int((truth == place).sum()))
    return metrics
