"""Conversion of a state that is a tuple of tensors to a single tensor with all its elements, and back.

Each tensor of the tuple has the axis N, and then either H and further axes, or only D. The single tensor has
the shape ``(N, H, F)``, where F is the sum of the sizes of the tensors for one head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from math import prod
from typing import Any, TypeAlias

import numpy as np

Function: TypeAlias = Callable[..., Any]
"""A kernel: a function of keyword arguments that returns a tensor, or a tuple of outputs and states."""
Arguments: TypeAlias = dict[str, Any]
"""The keyword arguments of a kernel: tensors, tuples of tensors, numbers and flags."""
Step: TypeAlias = Callable[[Any, Arguments], tuple[Any, Any]]
"""One step of a recurrence: from the state and a token's tensors to the next state and the output."""
Shapes = list[tuple[int, ...]]


def shapes_of(parts: Sequence[str], sizes: Mapping[str, int]) -> Shapes:
    """Return the shapes of the tensors of a state, without the axes N and H or D.

    >>> shapes_of(("HKV", "HK", "H"), {"K": 4, "V": 5})
    [(4, 5), (4,), ()]
    """
    return [tuple(sizes[axis] for axis in axes[1:]) for axes in parts]


def joined(parts: Sequence[Any]) -> Any:
    """Return the single tensor that holds all parts of a state, shape ``(N, H, F)``."""
    import torch  # processes that only read verdicts import this module without torch

    return torch.cat([x.reshape(*x.shape[:2], -1) for x in parts], -1)


def separate(state: Any, shapes: Sequence[tuple[int, ...]]) -> tuple[Any, ...]:
    """Return the tensors of a state from the single tensor that holds all of them."""
    parts, begin = [], 0
    for shape in shapes:
        end = begin + prod(shape)
        parts.append(state[..., begin:end].reshape(*state.shape[:2], *shape))
        begin = end
    return tuple(parts)


def part_of(index: int, shapes: Shapes) -> tuple[int, tuple[int, ...]]:
    """Return which tensor of a state holds an element of the single tensor, and the element's index there.

    >>> part_of(22, [(4, 5), (4,), ()])
    (1, (2,))
    """
    for number, shape in enumerate(shapes):
        if index < prod(shape):
            return number, tuple(int(i) for i in np.unravel_index(index, shape))
        index -= prod(shape)
    raise IndexError(index)


def with_one_state(kernel: Callable[..., Any], shapes: Shapes) -> Callable[..., Any]:
    """Adapt a kernel whose state is a tuple of tensors: the result takes and returns a single tensor."""

    def adapted(**arguments: Any) -> Any:
        state = arguments.get("initial_state")
        if state is not None:
            parts = tuple(x.contiguous() for x in separate(state, shapes))
            arguments["initial_state"] = parts
        result = kernel(**arguments)
        if state is not None:
            state.data.copy_(joined(parts).detach())  # the kernel may have modified its argument
        if not isinstance(result, tuple | list) or len(result) != 2 or result[1] is None:
            return result
        states = result[1]
        if [tuple(x.shape[2:]) for x in states] != shapes:
            raise TypeError(
                f"the final state must be tensors whose shapes begin with N, H, and end with {shapes}"
            )
        return result[0], joined(states)

    return adapted


def step_with_one_state(step: Callable[..., Any], parts: Sequence[str], axes: Mapping[str, str]) -> Step:
    """Adapt a step whose state is a tuple of tensors: the result takes and returns a single tensor."""

    @wraps(step)
    def adapted(state: Any, tensors: Arguments) -> tuple[Any, Any]:
        sizes: dict[str, int] = {}
        for name, own in axes.items():
            sizes |= dict(zip(own.replace("T", ""), tensors[name].shape, strict=True))
        after, output = step(separate(state, shapes_of(parts, sizes)), tensors)
        return joined(after), output

    return adapted
