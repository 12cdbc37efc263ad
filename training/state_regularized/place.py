"""How far a network is that learns a language: all that decides what the next iteration is, besides weights
and random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from automata.errors import InputError

COUNTS = ("restarts", "iterations", "since", "level")


@dataclass
class Place:
    """How far it is.

    Attributes:
        restarts: how often it has started again.
        iterations: in all; since: since the last step up or start.
        level: of the curriculum; one more than it has: the finish.
        done: is the network trained?
        boxes: how many close around the soft run at the end, in floats.
        history: for each start the iterations it took and the level it reached.
        wrong: places of training strings that were wrong when last looked at.
        noise: at present.
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
        """As a checkpoint keeps it."""
        boxes = -1 if self.boxes is None else self.boxes
        return {
            "counts": torch.tensor([*(getattr(self, name) for name in COUNTS), self.done, boxes]),
            "history": torch.tensor(self.history, dtype=torch.long).reshape(-1, 2),
            "wrong": torch.tensor(self.wrong, dtype=torch.long),
            "noise": torch.tensor(self.noise, dtype=torch.double),
        }


def place_of(tensors: dict[str, Tensor], levels: int, strings: int) -> Place:
    """The place that :meth:`Place.tensors` kept.

    Args:
        tensors: by name.
        levels: of the curriculum.
        strings: to train on.

    Raises :class:`~automata.errors.InputError`: they are none.
    """
    counts, noise = _whole(tensors, "counts", 1), tensors["noise"]
    if counts.shape != (len(COUNTS) + 2,) or counts[4] not in (0, 1) or counts[5] < -1:
        raise InputError("counts: are none of a run")
    for name, value in zip(COUNTS, counts.tolist(), strict=False):
        if value < 0:
            raise InputError(f"{name}: is {value}, where 0 or more is right")
    if counts[3] > levels:
        raise InputError(f"level: is {int(counts[3])}, and there are {levels}")
    history, wrong = _whole(tensors, "history", 2), _whole(tensors, "wrong", 1)
    if history.shape[1] != 2 or bool((history < 0).any()):
        raise InputError("the history has not two whole numbers for each start")
    if bool(((wrong < 0) | (wrong >= strings)).any()):
        raise InputError(f"wrong: are no places of {strings} strings")
    if noise.shape != () or noise.dtype != torch.double or not 0 <= float(noise) < float("inf"):
        raise InputError("the noise is none")
    restarts, iterations, since, level, done, boxes = counts.tolist()
    return Place(
        restarts,
        iterations,
        since,
        level,
        done=bool(done),
        boxes=None if boxes < 0 else boxes,
        history=history.tolist(),
        wrong=wrong.tolist(),
        noise=float(noise),
    )


def _whole(tensors: dict[str, Tensor], name: str, dimensions: int) -> Tensor:
    tensor = tensors[name]
    if tensor.dtype != torch.long or tensor.dim() != dimensions:
        raise InputError(f"{name}: are no whole numbers")
    return tensor
