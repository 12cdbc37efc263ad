"""Functions for checkpoints of training runs.

They restore tensors and optimisers, and compare the saved task with the current task.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.text.printable_text import printable

PREFIX = "optimiser."
NEVER_NEGATIVE = ("step", "exp_avg_sq", "square_avg")


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of the optimiser's state by name; there are none before the first step."""
    for index, state in optimiser.state_dict()["state"].items():
        for name, value in state.items():
            if value is not None:
                yield f"{PREFIX}{index}.{name}", value if isinstance(value, Tensor) else torch.tensor(value)


def fill(targets: dict[str, Tensor], prefix: str, tensors: dict[str, Tensor]) -> None:
    """Copy a checkpoint's tensors into ``targets``: ``prefix.name`` into the target with the key ``name``.

    Raises:
        InputError: If a tensor is missing, has a different shape or dtype, or is not finite.
    """
    for name, target in targets.items():
        tensor = tensors.get(f"{prefix}.{name}")
        if tensor is None or tensor.shape != target.shape or tensor.dtype != target.dtype:
            raise InputError(
                f"the tensor {prefix}.{name} must be present, with dtype {target.dtype} and shape"
                f" {tuple(target.shape)}"
            )
        if not bool(torch.isfinite(tensor).all()):
            raise InputError(f"all entries of the tensor {prefix}.{name} must be finite")
        target.copy_(tensor)


def fill_optimiser(
    optimiser: torch.optim.Optimizer, parameters: list[nn.Parameter], tensors: dict[str, Tensor]
) -> None:
    """Restore the state that the optimiser creates at its first step.

    Raises:
        InputError: If a tensor is missing or unknown, has a different shape or dtype, or has values that a
            step cannot produce.
    """
    full, reference = optimiser.state_dict(), _after_a_step(optimiser)
    names = {f"{PREFIX}{index}.{name}" for index, state in reference.items() for name in state}
    unknown = next((name for name in tensors if name.startswith(PREFIX) and name not in names), None)
    if unknown is not None:
        raise InputError(
            f"the tensor {unknown} is not part of the state of a {type(optimiser).__name__} optimiser with"
            f" {len(reference)} parameters; resume with the settings of the saved run"
        )
    state: dict[int, dict[str, Tensor]] = {}
    for index, expected in reference.items():
        present = {
            name: tensors[f"{PREFIX}{index}.{name}"]
            for name in expected
            if f"{PREFIX}{index}.{name}" in tensors
        }
        if not present:  # the parameter had no gradient yet
            continue
        for name, like in expected.items():
            tensor, where = present.get(name), f"the tensor {PREFIX}{index}.{name}"
            if tensor is None or tensor.shape != like.shape or tensor.dtype != like.dtype:
                raise InputError(
                    f"{where} must be present, with dtype {like.dtype} and shape {tuple(like.shape)}"
                )
            if not bool(torch.isfinite(tensor).all()) or (
                name in NEVER_NEGATIVE and bool((tensor < 0).any())
            ):
                raise InputError(f"{where} must have values that a step can produce")
        state[index] = present
    optimiser.load_state_dict({**full, "state": state})


def _after_a_step(optimiser: torch.optim.Optimizer) -> dict[int, dict[str, Tensor]]:
    """Return the state of a copy of the optimiser after one step, which has the expected names and shapes."""
    other = copy.deepcopy(optimiser)
    for group in other.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    other.step()
    return other.state_dict()["state"]  # type: ignore[no-any-return]


def difference(other: Any, task: dict[str, Any]) -> str:
    """Return a text about the first difference between a saved task and the current task."""
    if not isinstance(other, dict):
        return f"its task must be an object, got {other!r:.40}"
    name = next(
        name
        for name in {**task, **other}
        if name not in other or name not in task or other[name] != task[name]
    )
    return f"must be a run with {printable(name):.60} {task.get(name)!r:.60}, got {other.get(name)!r:.60}"
