"""A run of text classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from training.engine.experiment import ExperimentRun, accuracy_line, per_second
from training.engine.progress import Progress
from training.rational_recurrences import data
from training.rational_recurrences.classifier import SentenceClassifier
from training.rational_recurrences.decided import decide
from training.rational_recurrences.settings import Classification, paper
from training.rational_recurrences.task import ClassificationTask, EncodedTexts


class SentenceRun(ExperimentRun[Classification]):
    """A run on SST-2, subj, CR or Amazon.

    Whether the units are equal to their automata is decided only if the run uses the test set.
    """

    kind = "text classifier"
    task: ClassificationTask

    def read(self) -> dict[str, Any]:
        """Read the sentences and the word vectors."""
        read = data.load(self.experiment, self.data.folder, self.data.any_size, self.test)
        words = sorted({word for part in read.values() for sentence in part.words for word in sentence})
        file = self.data.vectors or data.find_vectors(self.data.folder)
        self.table, without = data.vector_table(file, words, self.settings.scale)
        index = {word: number for number, word in enumerate(words)}
        self.encoded = {name: EncodedTexts(part, index) for name, part in read.items()}
        about = {"vectors": file.name, "words": len(words), "words_without_a_vector": without}
        return data.described(self.experiment, read) | about

    def build(self) -> ClassificationTask:
        """Return a training task with the untrained network."""
        network = SentenceClassifier(self.settings, self.table.shape[1])
        return ClassificationTask(network, self.encoded["train"], self.encoded["dev"], self.table)

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the trained network, and whether its units equal their automata."""
        metrics = self.task.figures({part: self.encoded[part] for part in self.parts})
        metrics["words_per_second"] = per_second(int(self.encoded["train"].lengths.sum()), progress)
        return metrics, {"decided": self.decide()} if self.test else {}

    def decide(self) -> dict[str, Any] | None:
        """Decide whether all units of a rational model are equal to their automata."""
        network: Any = self.network
        return decide(network, self.encoded["train"], self.table)

    def paper(self) -> dict[str, Any]:
        """Return the paper's figures for this run."""
        return paper(self.experiment, self.settings.model)

    def lines(self, result: dict[str, Any]) -> Iterator[str]:
        """Yield the accuracy lines, and a line that the units equal their automata if this was decided."""
        paper = result["paper"]
        yield accuracy_line(result, "dev", "sentences")
        comparison = f"; the paper, with {paper['vectors']}: {paper['test_accuracy']:.1%}"
        yield accuracy_line(result, "test", "sentences", comparison)
        decided = result.get("decided")
        if decided is not None:
            symbols = " and ".join(f"{layer['symbols']} {layer['of']}" for layer in decided["layers"])
            yield (
                f"  all {decided['units']} units are equal to their automata ({decided['claim']}), on all"
                f" strings of {symbols}: decided"
            )
