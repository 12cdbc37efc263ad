"""Labelled strings of tokens as padded arrays with lengths and labels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from automata.errors import InputError

TRIES = 50
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True)
class DrawnStrings:
    """One drawn string: its tokens, its label, and its kind, which states how it was drawn."""

    tokens: Sequence[int]
    label: bool
    kind: str


@dataclass(frozen=True)
class Strings:
    """N labelled strings, sorted by length.

    Attributes:
        tokens: indices in the alphabet, padded with zeros, shape ``(N, L)``, uint8.
        lengths: shape ``(N,)``, int64.
        labels: whether each string is in the language, shape ``(N,)``, bool.
        kinds: the kind of each string, which states how it was drawn.
    """

    tokens: Tensor
    lengths: Tensor
    labels: Tensor
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.kinds)

    @classmethod
    def of(cls, drawn: Sequence[DrawnStrings]) -> Strings:
        """Sort the strings by length; strings of equal length keep their order."""
        if not drawn:
            raise InputError("the drawn strings must not be an empty sequence")
        ordered = sorted(drawn, key=lambda one: len(one.tokens))
        lengths = np.array([len(one.tokens) for one in ordered])
        tokens = np.zeros((len(ordered), int(lengths[-1])), dtype=np.uint8)
        for row, one in zip(tokens, ordered, strict=True):
            row[: len(one.tokens)] = one.tokens
        labels = torch.tensor([one.label for one in ordered])
        kinds = tuple(one.kind for one in ordered)
        return cls(torch.from_numpy(tokens), torch.from_numpy(lengths), labels, kinds)

    def count_up_to(self, length: int) -> int:
        """Return the number of strings of at most ``length`` symbols."""
        return int(torch.searchsorted(self.lengths, length, right=True))

    def at(self, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return tokens, shape ``(T, B)``, and lengths and labels, shape ``(B,)``, at these indices."""
        lengths = self.lengths[indices]
        longest = int(lengths.max())
        return self.tokens[indices, :longest].T.long(), lengths, self.labels[indices]

    def described(self) -> dict[str, Any]:
        """Return the number of strings and a digest of all of them."""
        digest = hashlib.sha256()
        for tensor in (self.tokens, self.lengths, self.labels):
            digest.update(tensor.contiguous().numpy().tobytes())
        return {
            "strings": len(self),
            "accepted": int(self.labels.sum()),
            "longest": int(self.lengths[-1]),
            "sha256": digest.hexdigest(),
        }


def collect(
    drawn: dict[tuple[int, ...], DrawnStrings], many: int, source: Callable[[int], Iterable[DrawnStrings]]
) -> None:
    """Add up to ``many`` new strings from a source; fewer are added if it repeats strings too often."""
    goal, rounds = len(drawn) + many, 0
    while len(drawn) < goal and rounds < TRIES:
        for one in source(goal - len(drawn)):
            drawn.setdefault(tuple(one.tokens), one)
        rounds += 1
