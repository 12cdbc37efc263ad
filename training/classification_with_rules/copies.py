"""Accuracies on the dev and test sets, excluding texts that also occur in the training set ("copies")."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from neural.fa_rnn.sentences import Sentences

KEPT = Path(__file__).parents[1] / "results" / "copied_texts.json"
"""The file with the numbers of copied texts in each set, written by ``training.rules.copied_texts``."""


def copies(parts: Mapping[str, Sentences]) -> dict[str, Tensor]:
    """Return, for each split except the training set, whether each text also occurs in the training set."""
    known = set(parts["train"].words)
    return {
        name: torch.tensor([words in known for words in part.words])
        for name, part in parts.items()
        if name != "train"
    }


def without_copies(right: Tensor, copied: Tensor) -> float | None:
    """Return the accuracy on the texts that are not copied; ``None`` if all are copied."""
    others = right[~copied]
    return float(others.double().mean()) if len(others) else None


def bounds(accuracy: float, texts: int, copied: int) -> tuple[float, float]:
    """Return a lower and an upper bound on the accuracy without the copied texts.

    Args:
        accuracy: the accuracy on all texts.
        texts: the number of texts.
        copied: the number of copied texts.

    >>> bounds(0.75, 8, 4)  # of 6 correct texts, 2 to 4 are copied
    (0.5, 1.0)
    """
    right, others = round(accuracy * texts), texts - copied
    return max(0, right - copied) / others, min(right, others) / others
