"""The state of training, without the weights and the random state.

All three together determine the next iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from automata.errors import InputError

COUNTS = ("restarts", "iterations", "since", "level")


@dataclass
class TrainingState:
    """The state of training.

    Attributes:
        restarts: the number of restarts.
        iterations: the total number of iterations.
        since: the number of iterations since the last advance or restart.
        level: the index of the curriculum's current level, or the number of levels if all are finished.
        done: whether training is done.
        boxes: the number of boxes that are closed under the network's steps, computed in float arithmetic.
        history: for each restart, the number of iterations and the level before it.
        wrong: the indices of the training strings that were wrong at the last check.
        noise: the current noise.
    """

    restarts: int = 0
    iterations: int = 0
    since: int = 0
    level: int = 0
    done: bool = False
    boxes: int | None = None
    history: list[list[int]] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    noise: float = 0.0

    def tensors(self) -> dict[str, Tensor]:
        """Return the state as tensors for a checkpoint."""
        boxes = -1 if self.boxes is None else self.boxes
        return {
            "counts": torch.tensor([*(getattr(self, name) for name in COUNTS), self.done, boxes]),
            "history": torch.tensor(self.history, dtype=torch.long).reshape(-1, 2),
            "wrong": torch.tensor(self.wrong, dtype=torch.long),
            "noise": torch.tensor(self.noise, dtype=torch.double),
        }


def state_of(tensors: dict[str, Tensor], levels: int, strings: int) -> TrainingState:
    """Return the state of training from the tensors of :meth:`TrainingState.tensors`.

    Args:
        tensors: the tensors by name.
        levels: the number of levels of the curriculum.
        strings: the number of training strings.

    Raises:
        InputError: If the tensors are invalid.
    """
    counts, noise = _integers(tensors, "counts", 1), tensors["noise"]
    if counts.shape != (len(COUNTS) + 2,) or counts[4] not in (0, 1) or counts[5] < -1:
        raise InputError(
            f"'counts' must have {len(COUNTS) + 2} integers, as written by a run, got {counts.tolist()!r:.80}"
        )
    for name, value in zip(COUNTS, counts.tolist(), strict=False):
        if value < 0:
            raise InputError(f"'{name}' must be non-negative, got {value}")
    if counts[3] > levels:
        raise InputError(f"'level' must be at most {levels}, got {int(counts[3])}")
    history, wrong = _integers(tensors, "history", 2), _integers(tensors, "wrong", 1)
    if history.shape[1] != 2:
        raise InputError(f"'history' must have two integers per restart, got {history.shape[1]}")
    if bool((history < 0).any()):
        raise InputError(f"'history' must be non-negative, got {int(history.min())}")
    if bool(((wrong < 0) | (wrong >= strings)).any()):
        bad = int(wrong[(wrong < 0) | (wrong >= strings)][0])
        raise InputError(f"'wrong' must contain indices from 0 to {strings - 1}, got {bad}")
    if noise.shape != () or noise.dtype != torch.double or not 0 <= float(noise) < float("inf"):
        raise InputError(
            f"'noise' must be one finite non-negative float64, got {noise.tolist()!r:.60} ({noise.dtype})"
        )
    restarts, iterations, since, level, done, boxes = counts.tolist()
    closed = None if boxes < 0 else boxes
    lists = history.tolist(), wrong.tolist()
    return TrainingState(restarts, iterations, since, level, bool(done), closed, *lists, float(noise))


def _integers(tensors: dict[str, Tensor], name: str, dimensions: int) -> Tensor:
    tensor = tensors[name]
    if tensor.dtype != torch.long or tensor.dim() != dimensions:
        raise InputError(
            f"'{name}' must be an int64 tensor of dimension {dimensions}, got {tensor.dtype} of dimension"
            f" {tensor.dim()}"
        )
    return tensor
