"""What checkpoints of training runs have in common: tensors that are put back where they belong, an
optimiser's state, another task's run.
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
    """The optimiser's state by name; none before its first step."""
    for place, state in optimiser.state_dict()["state"].items():
        for name, value in state.items():
            if value is not None:
                yield f"{PREFIX}{place}.{name}", value if isinstance(value, Tensor) else torch.tensor(value)


def fill(targets: dict[str, Tensor], prefix: str, tensors: dict[str, Tensor]) -> None:
    """Put the tensors of that prefix where they belong."""
    for name, target in targets.items():
        tensor = tensors.get(f"{prefix}.{name}")
        if tensor is None or tensor.shape != target.shape or tensor.dtype != target.dtype:
            raise InputError(f"the tensor {prefix}.{name} is absent, or of another shape")
        if not bool(torch.isfinite(tensor).all()):
            raise InputError(f"the tensor {prefix}.{name} has a number that is not finite")
        target.copy_(tensor)


def fill_optimiser(
    optimiser: torch.optim.Optimizer, parameters: list[nn.Parameter], tensors: dict[str, Tensor]
) -> None:
    """The optimiser's state, which comes into being with its first step; ``parameters`` in its own order.

    Raises :class:`~automata.errors.InputError`: a tensor is absent, of no parameter, of another shape or
    type, or has something in it that no step leaves there.
    """
    whole, right = optimiser.state_dict(), _after_a_step(optimiser)
    names = {f"{PREFIX}{place}.{name}" for place, state in right.items() for name in state}
    strange = next((name for name in tensors if name.startswith(PREFIX) and name not in names), None)
    if strange is not None:
        raise InputError(f"there is no tensor {strange} in the state of this optimiser")
    state: dict[int, dict[str, Tensor]] = {}
    for place, expected in right.items():
        there = {
            name: tensors[f"{PREFIX}{place}.{name}"]
            for name in expected
            if f"{PREFIX}{place}.{name}" in tensors
        }
        if not there:  # it had no gradient yet
            continue
        for name, like in expected.items():
            tensor, where = there.get(name), f"the tensor {PREFIX}{place}.{name}"
            if tensor is None or tensor.shape != like.shape or tensor.dtype != like.dtype:
                raise InputError(f"{where} is absent, or of another shape or type")
            if not bool(torch.isfinite(tensor).all()) or (
                name in NEVER_NEGATIVE and bool((tensor < 0).any())
            ):
                raise InputError(f"{where} has a number that no step leaves there")
        state[place] = there
    optimiser.load_state_dict({**whole, "state": state})


def _after_a_step(optimiser: torch.optim.Optimizer) -> dict[int, dict[str, Tensor]]:
    """The state that a copy of the optimiser has after a step: which tensors there are, and how large."""
    other = copy.deepcopy(optimiser)
    for group in other.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    other.step()
    return other.state_dict()["state"]  # type: ignore[no-any-return]


def difference(other: Any, task: dict[str, Any]) -> str:
    """The first thing in which two tasks differ."""
    if not isinstance(other, dict):
        return f"its task is {other!r:.40}, where an object is right"
    name = next(
        name
        for name in {**task, **other}
        if name not in other or name not in task or other[name] != task[name]
    )
    return (
        f"is a run with {printable(name):.60} {other.get(name)!r:.60}, where {task.get(name)!r:.60} is"
        " asked for"
    )
