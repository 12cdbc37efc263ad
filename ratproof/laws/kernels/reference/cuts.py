"""The chunks of a string, and arrays of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Chunks:
    """Where chunks begin, and the arrays of their steps: axes step in the chunk, chunk, and what an array had
    behind its time. A chunk that is shorter than others is filled with its last step, which nothing reads.
    """

    begins: Whole
    lengths: Whole

    @classmethod
    def of(cls, time: int, chunk: int, backwards: bool) -> Chunks:
        """Of so many tokens; ``backwards``, the last chunk, which may be shorter, is the first."""
        lengths = np.diff(np.append(np.arange(0, time, chunk), time))
        lengths = lengths[::-1] if backwards else lengths
        return cls(np.cumsum(lengths) - lengths, lengths)

    def split(self, array: Any) -> Any:
        """An array of steps."""
        steps = np.arange(self.lengths.max())[:, None]
        return array[np.minimum(self.begins + steps, self.begins + self.lengths - 1)]

    def joined(self, array: Any) -> Any:
        """The steps one after another, of such an array."""
        every = np.arange(self.lengths.sum())
        chunk = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return array[every - self.begins[chunk], chunk]

    def at_ends(self, array: Any) -> Any:
        """Of an array of what is before each step and behind the last: what is behind each chunk."""
        return array[self.lengths, np.arange(len(self.lengths))]
