"""The words that lead to each centroid (Tables 8 and 16, Figures 14 and 15; Wang & Niepert 2019)."""

from __future__ import annotations

from typing import Any

import torch

from training.engine.labelled import LabelledTexts
from training.reviews.files import END, UNKNOWN, Encoded, words_of
from training.reviews.network import ReviewClassifier
from training.sequences.task import AT_ONCE, SequenceTask

LEAST = 50
"""The minimum number of occurrences of a word; the paper does not state its minimum."""
TOP = 10
SENTENCES = (
    "i loved this film , it is one of the best i have ever seen !",
    "i hated this film , it is boring and the worst i have ever seen .",
)
"""Example sentences (not from the paper), for which the result has the probabilities after each word."""


@torch.no_grad()
def words(
    task: SequenceTask, network: ReviewClassifier, part: Encoded, index: dict[str, int]
) -> dict[str, Any]:
    """Return the words with the highest mean probability of each centroid of the last layer.

    Returns:
        An object with these fields:

        - ``least``: the minimum number of occurrences of a word.
        - ``centroids``: for each centroid, a list of ``[word, mean probability, number of occurrences]``.
        - ``sentences``: for each example sentence, a list of ``[word, probabilities after the word]``.
    """
    k, count = network.settings.k, len(index) + END + 1
    sums, often = torch.zeros(count, k, dtype=torch.float64), torch.zeros(count, dtype=torch.float64)
    for indices in torch.split(part.lengths.argsort(), AT_ONCE):
        ids, lengths, _ = task.taken(part, indices)
        alpha = network.run(ids, lengths)[-1].alpha
        assert alpha is not None
        there = torch.arange(len(ids), device=ids.device)[:, None] < lengths
        sums.index_add_(0, ids[there].cpu(), alpha[there].cpu().double())
        often += torch.bincount(ids[there].cpu(), minlength=count)
    names = {number: word for word, number in index.items()}
    means = sums / often.clamp(min=1)[:, None]
    means[(often < LEAST)] = -1
    means[UNKNOWN : END + 1] = -1
    top = min(TOP, count)
    ranked = [
        [
            [names[number], round(float(means[number, centroid]), 3), int(often[number])]
            for number in means[:, centroid].argsort(descending=True, stable=True)[:top].tolist()
            if means[number, centroid] >= 0
        ]
        for centroid in range(k)
    ]
    return {"least": LEAST, "centroids": ranked, "sentences": _sentences(network, index)}


def _sentences(network: ReviewClassifier, index: dict[str, int]) -> list[list[list[Any]]]:
    shown = []
    device = network.marks.device
    for text in SENTENCES:
        tokens = words_of(text)
        part = Encoded(LabelledTexts((tokens,), (0,)), index, 0, network.settings.tokens)
        alpha = network.run(part.at(torch.tensor([0])).to(device), part.lengths.to(device))[-1].alpha
        assert alpha is not None
        names = ("(start)", *tokens, "(end)") if network.settings.tokens else tokens
        rows = [[round(float(p), 3) for p in row] for row in alpha[:, 0]]
        shown.append([[name, row] for name, row in zip(names, rows, strict=True)])
    return shown
