"""Kinds of inputs of a model: token ids, or vectors of floats."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from automata.errors import InputError

LARGE, SPECIAL = 8, 3
"""The factor of large vectors, and the seed modulo 4 for which vectors are large and ids are special."""


@dataclass(frozen=True)
class Tokens:
    """Token ids, int64 of shape ``(B, T)``, at least 0 and less than the size of the vocabulary."""

    vocabulary: int

    def __post_init__(self) -> None:
        _require("vocabulary", self.vocabulary)

    def draw(self, batch: int, time: int, seed: int, dtype: torch.dtype) -> Tensor:
        """Return uniform token ids; the dtype has no effect.

        For a quarter of the seeds, half of the ids are 0, 1 or the last id, which often have a special
        meaning.
        """
        generator = _generator(seed)
        ids = torch.randint(self.vocabulary, (batch, time), generator=generator)
        if seed % 4 != SPECIAL:
            return ids
        special = torch.tensor([0, min(1, self.vocabulary - 1), self.vocabulary - 1])
        chosen = special[torch.randint(len(special), ids.shape, generator=generator)]
        return torch.where(torch.rand(ids.shape, generator=generator) < 0.5, chosen, ids)

    def unlike(self, ids: Tensor, others: Tensor) -> Tensor:
        """Return the ids, changed at the positions where they equal ``others``."""
        return torch.where(ids == others, (ids + 1) % self.vocabulary, ids)

    def says(self) -> str:
        """Return a short description of the inputs."""
        return f"a vocabulary of {self.vocabulary}"


@dataclass(frozen=True)
class Vectors:
    """Floats of shape ``(B, T, size)``, normally distributed."""

    size: int

    def __post_init__(self) -> None:
        _require("size", self.size)

    def draw(self, batch: int, time: int, seed: int, dtype: torch.dtype) -> Tensor:
        """Return normally distributed vectors of the dtype.

        For a quarter of the seeds they are 8 times as large.
        """
        shape = (batch, time, self.size)
        numbers = torch.randn(shape, generator=_generator(seed), dtype=torch.float64)
        return (numbers * (LARGE if seed % 4 == SPECIAL else 1)).to(dtype)

    def unlike(self, vectors: Tensor, others: Tensor) -> Tensor:
        """Return the vectors unchanged, because independently drawn vectors already differ."""
        return vectors

    def says(self) -> str:
        """Return a short description of the inputs."""
        return f"vectors of {self.size}"


Inputs = Tokens | Vectors


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _require(what: str, value: int) -> None:
    if type(value) is not int or value < 1:
        raise InputError(f"{what} must be a positive integer, got {value!r:.60}")
