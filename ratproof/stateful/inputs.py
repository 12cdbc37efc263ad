"""What a model reads: token ids, or vectors of floats."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from automata.errors import InputError


@dataclass(frozen=True)
class Tokens:
    """Token ids, int64 of shape ``(B, T)``, from 0 up to the size of the vocabulary."""

    vocabulary: int

    def __post_init__(self) -> None:
        _require("vocabulary", self.vocabulary)

    def draw(self, batch: int, time: int, seed: int, dtype: torch.dtype) -> Tensor:
        """Uniform ones; the format is of floats, and says nothing here."""
        return torch.randint(self.vocabulary, (batch, time), generator=_generator(seed))

    def says(self) -> str:
        """In a few words."""
        return f"a vocabulary of {self.vocabulary}"


@dataclass(frozen=True)
class Vectors:
    """Floats of shape ``(B, T, size)``, normally distributed."""

    size: int

    def __post_init__(self) -> None:
        _require("size", self.size)

    def draw(self, batch: int, time: int, seed: int, dtype: torch.dtype) -> Tensor:
        """Normal ones, of that format."""
        shape = (batch, time, self.size)
        return torch.randn(shape, generator=_generator(seed), dtype=torch.float64).to(dtype)

    def says(self) -> str:
        """In a few words."""
        return f"vectors of {self.size}"


Inputs = Tokens | Vectors


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _require(what: str, value: int) -> None:
    if type(value) is not int or value < 1:
        raise InputError(f"{what} is {value!r:.60}, where a whole number from 1 on is right")
