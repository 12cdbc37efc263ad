"""Labelled strings of tokens, as a network reads them: padded rows, lengths, and what each string is."""

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
    """A string that was drawn: its tokens, whether it is in the language, and how it was made."""

    tokens: Sequence[int]
    label: bool
    kind: str


@dataclass(frozen=True)
class Strings:
    """N labelled strings, shortest first.

    Attributes:
        tokens: places in the alphabet, zeros behind a string's end, shape ``(N, L)``, of bytes.
        lengths: shape ``(N,)``, of int64.
        labels: is it in the language? Shape ``(N,)``, of booleans.
        kinds: how each was made.
    """

    tokens: Tensor
    lengths: Tensor
    labels: Tensor
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.kinds)

    @classmethod
    def of(cls, drawn: Sequence[DrawnStrings]) -> Strings:
        """From strings in any order; of equal lengths the first stays first."""
        if not drawn:
            raise InputError("there are no strings, where at least one is right")
        ordered = sorted(drawn, key=lambda one: len(one.tokens))
        lengths = np.array([len(one.tokens) for one in ordered])
        tokens = np.zeros((len(ordered), int(lengths[-1])), dtype=np.uint8)
        for row, one in zip(tokens, ordered, strict=True):
            row[: len(one.tokens)] = one.tokens
        labels = torch.tensor([one.label for one in ordered])
        kinds = tuple(one.kind for one in ordered)
        return cls(torch.from_numpy(tokens), torch.from_numpy(lengths), labels, kinds)

    def up_to(self, length: int) -> int:
        """How many strings have at most that length."""
        return int(torch.searchsorted(self.lengths, length, right=True))

    def at(self, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens, shape ``(T, B)`` with T the longest of them, lengths and labels, shape ``(B,)``."""
        lengths = self.lengths[places]
        longest = int(lengths.max())
        return self.tokens[places, :longest].T.long(), lengths, self.labels[places]

    def described(self) -> dict[str, Any]:
        """How many there are, and a digest of all of them."""
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
    """Add so many new strings from a source, or fewer: there may not be as many short ones as are wanted."""
    goal, rounds = len(drawn) + many, 0
    while len(drawn) < goal and rounds < TRIES:
        for one in source(goal - len(drawn)):
            drawn.setdefault(tuple(one.tokens), one)
        rounds += 1
