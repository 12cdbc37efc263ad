"""The backend that computes products of vectors and matrices in Triton, on a CUDA device.

The kernels are in ``triton_kernels.py`` in this folder. For tests, Triton's interpreter runs them on a CPU.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Any

import torch
from torch import Tensor

from neural.scan.on_gpu import FUSED

MOST = 1024
"""The maximum number of states, because a program keeps complete columns of a matrix in registers."""
TILE = 2**15
"""The size in bytes of the tile of a matrix that a program keeps: 32 registers in each of 256 threads."""
IN_FLIGHT = 2**16
"""The maximum size in bytes of all tiles that a program keeps in shared memory or is loading."""
PROGRAMS, USES = 1024, 64
"""The approximate number of programs that sum the gradients of the matrices.

Fewer programs are used if each would sum over fewer than ``USES`` positions.
"""


def forward(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None, semiring: str
) -> Tensor:
    """Compute the states h_1, ..., h_T of h_t = h_{t-1} M[x_t] + o_t, shape ``(T, B, n)``.

    The states have the dtype of ``start``; ``matrices`` may have a narrower dtype.
    """
    matrices, symbols, start = (x.contiguous() for x in (matrices, symbols, start))
    (time, batch), n = symbols.shape, start.shape[1]
    states = start.new_empty(time, batch, n)
    if time:
        offsets = None if offsets is None else offsets.contiguous()
        arguments = [matrices, symbols, start, offsets, states, time, batch, n]
        _run("forward", (batch,), arguments, semiring, start, "COLUMNS", ADDED=offsets is not None)
    return states


def backward(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute the gradients of the arguments matrices, start and offsets of :func:`forward`.

    The gradients have the dtype of ``start``.
    """
    grad, matrices, symbols, states, start = (
        x.contiguous() for x in (grad, matrices, symbols, states, start)
    )
    offsets = None if offsets is None else offsets.contiguous()
    (time, batch), n = symbols.shape, start.shape[1]
    weights, to_start = torch.empty_like(states), torch.zeros_like(start)
    to_offsets = None if offsets is None else weights if semiring == "real" else torch.empty_like(offsets)
    if not time:
        return start.new_zeros(matrices.shape), to_start, to_offsets
    live = torch.empty(time, batch, dtype=torch.int8, device=start.device)
    arguments = [grad, matrices, symbols, states, start, offsets, weights, live, to_start, to_offsets]
    sizes = [time, batch, n]
    _run("backward", (batch,), [*arguments, *sizes], semiring, start, "ROWS", ADDED=offsets is not None)
    return _to_matrices(matrices, symbols, states, start, weights, live, semiring), to_start, to_offsets


def _to_matrices(
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    weights: Tensor,
    live: Tensor,
    semiring: str,
) -> Tensor:
    """Compute the gradient of the matrices from the results of the backward kernel.

    ``weights`` contains the gradients of the states, divided by the number of equal terms of a maximum.
    ``live`` marks the positions at which they are not all zero.
    """
    number, n, batch = len(matrices), start.shape[1], len(start)
    # Positions without gradient are sorted to the end, after those of all matrices.
    used, order = torch.where(live.bool(), symbols, number).flatten().sort(stable=True)
    ends = torch.searchsorted(used, torch.arange(number + 1, device=used.device))
    block = min(_filled(n), 64 if start.element_size() == 4 else 32)
    tiles = number * (-(-n // block)) ** 2
    parts = max(1, min(PROGRAMS // tiles, order.numel() // (number * USES)))
    sums = start.new_empty(parts, *matrices.shape)
    arguments = [matrices, states, start, weights, order, ends, sums, batch, n, number]
    fixed = {"KIND": _kinds()[semiring], "WIDE": _wide(start), "BLOCK": block, "STAGES": 4}
    _start("gather", (tiles, parts), arguments, fixed, start, num_warps=4 if block > 16 else 1)
    return sums[0] if parts == 1 else sums.sum(0)


def _run(
    kernel: str, grid: tuple[int], arguments: list[Any], semiring: str, like: Tensor, part: str, ADDED: bool
) -> None:
    """Launch a kernel that processes a matrix in tiles of complete columns or rows, as named by ``part``."""
    n, size = like.shape[1], like.element_size()
    states = _filled(n)
    each = min(states, max(1, TILE // (states * size)))
    tile = states * each * size
    fixed = {
        "KIND": _kinds()[semiring],
        "ADDED": ADDED,
        "WIDE": _wide(like),
        "STATES": states,
        part: each,
        "TILES": -(-n // each),
        "STAGES": min(8, max(2, IN_FLIGHT // tile)),
    }
    _start(kernel, grid, arguments, fixed, like, num_warps=min(8, max(1, tile // 4096)))


def _start(
    kernel: str,
    grid: tuple[int, ...],
    arguments: list[Any],
    fixed: dict[str, Any],
    like: Tensor,
    num_warps: int,
) -> None:
    from neural.scan.matrices import triton_kernels as kernels

    # a placeholder for a missing array, which the kernel does not read
    present = [like if a is None else a for a in arguments]
    with torch.cuda.device(like.device) if like.is_cuda else nullcontext():
        getattr(kernels, kernel)[grid](*present, **fixed, num_warps=num_warps, **FUSED)


def _filled(n: int) -> int:
    """Return the smallest power of two that is at least max(n, 16)."""
    return max(16, 2 ** (n - 1).bit_length())


def _wide(like: Tensor) -> Any:
    import triton.language as tl

    return tl.float64 if like.dtype == torch.float64 else tl.float32


@cache
def _kinds() -> dict[str, int]:
    from neural.scan.matrices import triton_kernels as kernels

    return {name: getattr(kernels, name.upper()).value for name in ("real", "max_plus", "max_times", "log")}
