"""The backend that computes products of vectors and matrices in C++, for tensors on a CPU.

The source, ``kernels.cpp`` in this folder, is compiled at first use (:mod:`neural.scan.libraries`).
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import pad

from neural.scan import libraries

TYPES = {torch.float32: "float32", torch.float64: "float64"}
SOURCE = Path(__file__).with_name("kernels.cpp")
CONTRACTION = "fast"
VECTOR = 64
"""The size of a vector register in bytes; rows are padded to a multiple of it."""


def lacking() -> str:
    """Return the reason why the backend is not available, or an empty string."""
    return libraries.lacking(SOURCE, CONTRACTION)


def forward(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None, semiring: str
) -> Tensor:
    """Compute the states h_1, ..., h_T of h_t = h_{t-1} M[x_t] + o_t, shape ``(T, B, n)``."""
    (time, batch), n = symbols.shape, start.shape[1]
    matrices, start = _filled(matrices), _filled(start)
    offsets = None if offsets is None else _filled(offsets)
    states = start.new_empty(time, batch, start.shape[1])
    sizes = time, batch, n, start.shape[1], len(matrices)
    _call(f"{semiring}_{TYPES[start.dtype]}", [matrices, symbols.contiguous(), start, offsets, states], sizes)
    return states[..., :n].contiguous()


def backward(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute the gradients of the arguments matrices, start and offsets of :func:`forward`."""
    (time, batch), n = symbols.shape, start.shape[1]
    turned = _filled(matrices.transpose(1, 2))
    grad, matrices, states, start = (_filled(x) for x in (grad, matrices, states, start))
    offsets = None if offsets is None else _filled(offsets)
    weights, to_matrices, to_start = (
        torch.empty_like(grad),
        torch.empty_like(matrices),
        torch.empty_like(start),
    )
    to_offsets = None if offsets is None else torch.empty_like(offsets)
    read = [grad, matrices, turned, symbols.contiguous(), states, start, offsets]
    sizes = time, batch, n, start.shape[1], len(matrices)
    name = f"{semiring}_backward_{TYPES[start.dtype]}"
    _call(name, [*read, weights, to_matrices, to_start, to_offsets], sizes)
    gradients = (None if x is None else x[..., :n].contiguous() for x in (to_matrices, to_start, to_offsets))
    return tuple(gradients)  # type: ignore[return-value]


def _filled(values: Tensor) -> Tensor:
    more = -values.shape[-1] % (VECTOR // values.element_size())
    return pad(values, (0, more)) if more else values.contiguous()


def _call(kernel: str, tensors: list[Tensor | None], sizes: tuple[int, ...]) -> None:
    pointers = (ctypes.c_void_p(None if x is None else x.data_ptr()) for x in tensors)
    getattr(libraries.library(SOURCE, CONTRACTION), kernel)(
        *pointers, *(ctypes.c_int64(size) for size in sizes)
    )
