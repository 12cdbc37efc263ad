"""The progress of a run: all values that its checkpoint keeps as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["trained", "out of time", "interrupted"]


@dataclass
class Progress:
    """The progress of a run.

    Attributes:
        epoch: epochs done; batch: batches done of the next epoch; step: batches done in all.
        loss: summed over the examples of this epoch so far.
        rate: the learning rate.
        best: the best epoch's score on the dev set; ``None`` before the first epoch, also after a new start.
        best_epoch: the best epoch, from 1 on; if there is none, how many were done before the start.
        seconds: time spent, including that before an interruption.
        history: for each epoch its number, mean loss, learning rate, and dev measurements.
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
