"""A run of image classification."""

from __future__ import annotations

from typing import Any

from training.images.files import LABELS, Pixels, load
from training.images.prototypes import prototypes
from training.images.settings import PixelByPixel, paper
from training.sequences.network import SequenceClassifier
from training.sequences.run import SequenceRun
from training.sequences.task import SequenceTask


class ImageRun(SequenceRun[PixelByPixel]):
    """A run on MNIST or Fashion-MNIST.

    The result of a state-regularized network includes pictures of its centroids.
    """

    kind = "image classifier"

    def read(self) -> dict[str, Any]:
        """Read the images."""
        images = load(self.experiment, self.data.folder, self.data.any_size, self.test)
        if self.settings.images:
            images["train"] = images["train"].part(0, self.settings.images)
        self.images = images
        split = "the set's own test part; dev: the end of the training file"
        return {name: one.described() for name, one in images.items()} | {"split": split}

    def build(self) -> SequenceTask:
        """Return a training task with the untrained network."""
        s = self.settings
        self.pixels = {name: Pixels(one, s.side, s.order) for name, one in self.images.items()}
        self.examples = dict(self.pixels)
        return SequenceTask(SequenceClassifier(s, 1, LABELS), s, self.pixels["train"], self.pixels["dev"])

    def centroids(self, task: SequenceTask, network: Any) -> dict[str, Any]:
        """Return the pictures of the centroids."""
        return {"prototypes": prototypes(task, network, self.pixels["test"], self.settings.order)}

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for this run."""
        return paper(self.experiment, self.settings)
