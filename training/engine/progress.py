"""The progress of a run, which its checkpoint stores as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["trained", "out of time", "interrupted"]


@dataclass
class Progress:
    """The progress of a run.

    Attributes:
        epoch: the number of finished epochs.
        batch: the number of finished batches of the current epoch.
        step: the total number of finished batches.
        loss: the sum of the losses of the current epoch's examples so far.
        rate: the learning rate.
        best: the best score on the dev set; ``None`` if no epoch has ended since the start or a restart.
        best_epoch: the number of the best epoch, from 1; if ``best`` is ``None``, the number of epochs before
            the restart.
        seconds: the time spent, including the time before interruptions.
        history: the number, mean loss, learning rate and dev measurements of each epoch.
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
