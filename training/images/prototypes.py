"""Pictures of the centroids of a trained network.

A picture shows, for each pixel, the mean probability of a centroid over the images of one label (Figures 7
and 16, Wang & Niepert 2019).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from training.images.files import LABELS, Pixels, permutation
from training.sequences.network import SequenceClassifier
from training.sequences.task import AT_ONCE, SequenceTask

GREYS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
"""The letters that encode 64 levels of probability, one letter per pixel."""
SOME = 4
"""The number of images, the first in the set, whose own probabilities are stored as pictures (Figure 17)."""


@torch.no_grad()
def prototypes(task: SequenceTask, network: SequenceClassifier, part: Pixels, order: str) -> dict[str, Any]:
    """Return pictures of the centroids as text.

    A picture is a string of ``side * side`` letters, row by row.

    Returns:
        An object with the fields ``side``, ``labels`` and ``images``. ``labels`` has a list for each label,
        with one picture per centroid. ``images`` has a list for each of the first images: the image, and then
        its picture for each centroid.
    """
    k, steps = network.settings.k, int(part.lengths[0])
    sums, counts = torch.zeros(LABELS, k, steps, dtype=torch.float64), torch.zeros(LABELS)
    shown: list[list[Tensor]] = []
    for indices in torch.split(torch.arange(len(part.labels)), AT_ONCE):
        values, lengths, _ = task.taken(part, indices)
        alpha = network.run(values, lengths)[-1].alpha
        assert alpha is not None
        probabilities = alpha.permute(1, 2, 0).cpu()
        if not shown:
            read = part.values[indices[:SOME]]
            shown = [[read[i], *probabilities[i]] for i in range(len(read))]
        sums.index_add_(0, part.labels[indices], probabilities.double())
        counts += torch.bincount(part.labels[indices], minlength=LABELS)
    side = round(steps**0.5)
    order_of_pixels = permutation(side) if order == "permuted" else torch.arange(steps)
    back = torch.argsort(order_of_pixels)
    means = sums / counts.clamp(min=1)[:, None, None]
    return {
        "side": side,
        "labels": [[_letters(one[back]) for one in label] for label in means],
        "images": [[_letters(one[back]) for one in image] for image in shown],
    }


def _letters(values: Tensor) -> str:
    levels = (values.double() * (len(GREYS) - 1)).round().clamp(0, len(GREYS) - 1)
    return "".join(GREYS[int(level)] for level in levels)
