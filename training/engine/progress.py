"""How far a run is: all that its checkpoint says in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["trained", "out of time", "interrupted"]


@dataclass
class Progress:
    """How far a run is.

    Attributes:
        epoch: how many are done; batch: how many of the next one's batches are; step: batches in all.
        loss: summed over the examples of this epoch so far.
        rate: the learning rate.
        best: the score on the dev set of the best epoch so far, ``None`` before the first one, or the first
            one after a new start.
        best_epoch: which one, from 1 on; where there is none, how many were done before the start.
        seconds: spent, those before an interruption too.
        history: of each epoch its number, mean loss, learning rate, and what the dev set says.
    """

    epoch: int = 0
    batch: int = 0
    step: int = 0
    loss: float = 0.0
    rate: float = 0.0
    best: float | None = None
    best_epoch: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)
