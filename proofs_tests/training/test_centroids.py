"""Tests of the stored pictures and words of trained centroids.

Pictures are stored row by row, for any order of the pixels. Words are stored with their mean probability over
the tokens that were read, without padding.
"""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from training.engine.labelled import LabelledTexts
from training.images.files import Images, Pixels
from training.images.prototypes import GREYS, prototypes
from training.reviews import words as kept_words
from training.reviews.files import Encoded, vocabulary
from training.sequences.network import LayerStates


class Looks:
    """A network of two centroids; the probability of the first is the brightness of a pixel."""

    settings = SimpleNamespace(k=2)

    def run(self, values: Tensor, lengths: Tensor) -> list[LayerStates]:
        return [LayerStates(values, values, torch.cat([values, 1 - values], dim=2), None)]


class Spells:
    """A network whose first centroid has probability 3/4 for even word indices and padding, otherwise 1/4."""

    settings = SimpleNamespace(k=2, tokens=True)
    marks = torch.zeros(1)

    def run(self, ids: Tensor, lengths: Tensor) -> list[LayerStates]:
        behind = torch.arange(len(ids))[:, None] >= lengths
        alpha = torch.full((*ids.shape, 2), 0.25)
        alpha.scatter_(2, torch.where(behind, 0, ids % 2)[..., None], 0.75)
        return [LayerStates(alpha, alpha, alpha, None)]


def taken(part: Any, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return part.at(indices), part.lengths[indices], part.labels[indices]


TASK: Any = SimpleNamespace(taken=taken)


@pytest.mark.parametrize("order", ["normal", "permuted"])
def test_a_picture_is_stored_row_by_row_in_either_order(order):
    pixels = torch.randint(0, 256, (5, 28, 28), generator=torch.Generator().manual_seed(1), dtype=torch.uint8)
    images = Images(pixels, torch.tensor([3, 3, 1, 3, 1]))
    network: Any = Looks()
    kept = prototypes(TASK, network, Pixels(images, 7, order), order)
    small = Pixels(images, 7, "normal").values

    def read(letters: str) -> Tensor:
        return torch.tensor([GREYS.index(letter) for letter in letters]) / 63

    half_a_level = 0.5 / 63 + 1e-6
    for number, (image, first, second) in enumerate(kept["images"]):
        assert image == first and float((read(first) - small[number]).abs().max()) <= half_a_level
        assert float((read(second) - (1 - small[number])).abs().max()) <= half_a_level
    for label, indices in ((3, [0, 1, 3]), (1, [2, 4])):
        mean = small[indices].mean(dim=0)
        assert float((read(kept["labels"][label][0]) - mean).abs().max()) <= half_a_level
    assert kept["side"] == 7 and set(kept["labels"][0][0]) == {"0"}  # no image has the label 0


def test_words_have_their_mean_probability_over_the_tokens_read(monkeypatch):
    monkeypatch.setattr(kept_words, "LEAST", 2)
    reviews = LabelledTexts((("a", "b", "a", "c"), ("b",), ("a", "rare")), (0, 1, 1))
    index = vocabulary(reviews, 3)
    assert index == {"a": 3, "b": 4, "c": 5}
    network: Any = Spells()
    kept = kept_words.words(TASK, network, Encoded(reviews, index, 0, tokens=True), index)
    # "c" was read once, "rare" is not in the vocabulary, and the special tokens are not words.
    assert kept["centroids"] == [[["b", 0.75, 2], ["a", 0.25, 3]], [["a", 0.75, 3], ["b", 0.25, 2]]]
    words = [word for word, _ in kept["sentences"][0]]
    assert words[:3] == ["(start)", "i", "loved"] and words[-2:] == ["!", "(end)"]
