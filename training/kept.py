"""What checkpoints of training runs have in common: tensors that are put back where they belong, an optimiser's state, another task's run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    """The optimiser's state by name; none before its first step."""
    for place, state in optimiser.state_dict()["state"].items():
        for name, value in state.items():
            if value is not None:
                yield f"optimiser.{place}.{name}", value if isinstance(value, Tensor) else torch.tensor(value)


def fill(targets: dict[str, Tensor], prefix: str, tensors: dict[str, Tensor]) -> None:
    """Put the tensors of that prefix where they belong."""
    for name, target in targets.items():
        found = tensors.get(f"{prefix}.{name}")
        if found is None or found.shape != target.shape or found.dtype != target.dtype:
            raise InputError(f"the tensor {prefix}.{name} is absent, or of another shape")
        if not bool(torch.isfinite(found).all()):
            raise InputError(f"the tensor {prefix}.{name} has a number that is not finite")
        target.copy_(found)


def fill_optimiser(optimiser: torch.optim.Optimizer, parameters: list[nn.Parameter], tensors: dict[str, Tensor]) -> None:
    """The optimiser's state, which comes into being with its first step; ``parameters`` in its own order."""
    whole, state = optimiser.state_dict(), dict[int, dict[str, Tensor]]()
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, place, what = name.split(".")
            state.setdefault(int(place), {})[what] = tensor
    for number, kept in state.items():
        for what, tensor in kept.items():
            if number >= len(parameters) or (what != "step" and tensor.shape != parameters[number].shape):
                raise InputError(f"the tensor optimiser.{number}.{what} is of another shape")
    optimiser.load_state_dict({**whole, "state": state})


def difference(found: Any, task: dict[str, Any]) -> str:
    """The first thing in which two tasks differ."""
    if not isinstance(found, dict):
        return f"its task is {found!r:.40}, where an object is right"
    name = next(name for name in {**task, **found} if found.get(name) != task.get(name))
    return f"is a run with {name} {found.get(name)!r:.60}, where {task.get(name)!r:.60} is asked for"
