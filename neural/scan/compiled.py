"""The backend that computes the elementwise recurrences in C++, for tensors on a CPU.

The source, ``kernels.cpp``, is compiled at first use (:mod:`neural.scan.libraries`).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from neural.scan import libraries

NAME = "c++"
TYPES = {torch.float32: "float32", torch.float64: "float64", torch.bfloat16: "bfloat16"}
SOURCE = Path(__file__).with_name("kernels.cpp")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
CONTRACTION = "off"
"""The compiler must not fuse products and sums.

The source fuses them explicitly, so results do not depend on vectorisation.
"""


def scan(first: Tensor, update: Tensor, start: Tensor, kind: str) -> Tensor:
    """Compute the states c_1, ..., c_T of a recurrence, shape ``(T, ...)``.

    The arguments are those of :func:`neural.scan.loops.scan`.
    """
    values = [x.contiguous() for x in (first, update, start)]
    states = torch.empty_like(values[1])
    _call(f"{kind}_{TYPES[states.dtype]}", [*values, states], len(states), start.numel())
    return states


def scan_backward(
    grad: Tensor, first: Tensor, update: Tensor, states: Tensor, start: Tensor, kind: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the gradients of the arguments first, update and start of :func:`scan`."""
    values = [x.contiguous() for x in (grad, first, update, states, start)]
    gradients = torch.empty_like(values[2]), torch.empty_like(values[2]), torch.empty_like(values[4])
    _call(f"{kind}_backward_{TYPES[update.dtype]}", [*values, *gradients], len(update), start.numel())
    return gradients


def pair(*arguments: Tensor) -> tuple[Tensor, Tensor]:
    """Compute two gated recurrences, the second of which reads the states of the first.

    The arguments are those of :func:`neural.scan.operators.pair`.
    """
    values = [x.contiguous() for x in arguments]
    states = torch.empty_like(values[1]), torch.empty_like(values[1])
    skip = values[-1]
    _call(f"pair_{TYPES[skip.dtype]}", [*values, *states], len(values[0]), skip.numel())
    return states


def pair_backward(grad_1: Tensor | None, grad_2: Tensor | None, *arguments: Tensor) -> tuple[Tensor, ...]:
    """Compute the gradients of the arguments of :func:`pair`.

    The arguments are those of :func:`neural.scan.operators.pair_backward`.
    """
    grads = [None if x is None else x.contiguous() for x in (grad_1, grad_2)]
    values = [x.contiguous() for x in arguments]
    gradients = tuple(torch.empty_like(x) for x in (*values[:4], *values[6:]))
    skip = values[-1]
    _call(f"pair_backward_{TYPES[skip.dtype]}", [*grads, *values, *gradients], len(values[0]), skip.numel())
    return gradients


def output(states: Tensor, gate: Tensor | None, skip: Tensor | None, form: str) -> Tensor:
    """Compute the output of a gated layer; see :func:`neural.scan.outputs.output`."""
    values = [None if x is None else x.contiguous() for x in (states, gate, skip)]
    result = torch.empty_like(states, memory_format=torch.contiguous_format)
    _call(f"{form}_{TYPES[states.dtype]}", [*values, result], 1, states.numel())
    return result


def output_backward(
    grad: Tensor, states: Tensor, gate: Tensor | None, skip: Tensor | None, outputs: Tensor, form: str
) -> list[Tensor | None]:
    """Compute the gradients of the arguments states, gate and skip of :func:`output`.

    The gradient of an argument that is ``None`` is ``None``.
    """
    inputs = [None if x is None else x.contiguous() for x in (states, gate, skip)]
    gradients = [None if x is None else torch.empty_like(x) for x in inputs]
    values = [grad.contiguous(), *inputs, outputs.contiguous(), *gradients]
    _call(f"{form}_backward_{TYPES[states.dtype]}", values, 1, states.numel())
    return gradients


@cache
def last_cache(folder: Path = CACHES) -> float:
    """Return the size in bytes of the processor's largest cache, or infinity if it is unknown.

    If a kernel's arrays are larger than this cache, its results would be evicted before they are read. The
    kernel then bypasses the cache when it writes.
    """
    sizes = (file.read_text(encoding="ascii").strip() for file in folder.glob("index*/size"))
    return max((1024.0 * int(size[:-1]) for size in sizes if size.endswith("K")), default=math.inf)


def lacking() -> str:
    """Return the reason why the backend is not available, or an empty string; build it if necessary."""
    return libraries.lacking(SOURCE, CONTRACTION)


def _call(kernel: str, tensors: Sequence[Tensor | None], steps: int, lanes: int) -> None:
    pointers = (ctypes.c_void_p(None if x is None else x.data_ptr()) for x in tensors)
    past_cache = sum(x.nbytes for x in tensors if x is not None) > last_cache()
    getattr(libraries.library(SOURCE, CONTRACTION), kernel)(
        *pointers, ctypes.c_int64(steps), ctypes.c_int64(lanes), ctypes.c_bool(past_cache)
    )
