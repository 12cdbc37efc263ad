"""The base class of runs that classify sequences; a subclass reads the data and builds the network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from training.engine.experiment import ExperimentRun, accuracy_line, per_second
from training.engine.progress import Progress
from training.sequences.settings import SequenceClassification
from training.sequences.task import SequenceExamples, SequenceTask

S = TypeVar("S", bound=SequenceClassification)


class SequenceRun(ExperimentRun[S]):
    """A run on images or reviews.

    Attributes:
        examples: the examples of each split, set by :meth:`build`.
    """

    examples: dict[str, SequenceExamples]

    def more_parts(self) -> dict[str, SequenceExamples]:
        """Return further labelled examples to measure, keyed by name, besides the splits."""
        return {}

    def centroids(self, task: SequenceTask, network: Any) -> dict[str, Any]:
        """Return the data about centroids to include in the result of a state-regularized network."""
        raise NotImplementedError

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the trained network, and the data about its centroids."""
        measured = {part: self.examples[part] for part in self.parts} | self.more_parts()
        metrics = self.task.figures(measured)
        metrics["steps_per_second"] = per_second(int(self.examples["train"].lengths.sum()), progress)
        metrics["parameters"] = self.size()
        regularized = self.test and self.settings.regularized
        return metrics, self.centroids(self.task, self.network) if regularized else {}

    def lines(self, result: dict[str, Any]) -> Iterator[str]:
        """Yield a line for each accuracy."""
        paper = result["paper"] or {}
        for name in [key.removesuffix("_accuracy") for key in result["metrics"] if key.endswith("_accuracy")]:
            comparison = ""
            if name == "test" and "test_accuracy" in paper:
                comparison = f"; the paper: {paper['test_accuracy']:.1%}"
            length = name.partition("_")[2]
            cut = f", the first {length} words of each" if length else ""
            yield accuracy_line(result, name, "examples", comparison, cut)
