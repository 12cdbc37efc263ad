"""Products of vectors and matrices as a torch operator, with its gradient and its batching rule.

A backend computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan import backends
from neural.scan.arguments import is_narrow, widened
from neural.scan.functional import Operation, one_precision, spread
from neural.scan.matrices import compiled, loops, on_gpu

SEMIRINGS = ("real", "max_plus", "max_times", "log")
BACKENDS: dict[str, Any] = {"torch": loops, "c++": compiled, "triton": on_gpu}


def matrix_scan(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None, semiring: str
) -> Tensor:
    """Compute the states of h_t = h_{t-1} M[x_t] + o_t over a semiring, shape ``(T, B, n)``.

    The shapes of matrices, symbols, start and offsets are ``(S, n, n)``, ``(T, B)``, ``(B, n)`` and
    ``(T, B, n)``.
    """
    _require_symbols(symbols, len(matrices))
    dtypes = {x.dtype for x in (matrices, start, offsets) if x is not None}
    if semiring not in SEMIRINGS or len(dtypes) > 1:
        raise InputError(
            f"the semiring must be one of {', '.join(SEMIRINGS)}, and all arrays must have one dtype, got"
            f" {semiring!r} and {', '.join(sorted(map(str, dtypes)))}"
        )
    if not start.numel():
        return _like_states(matrices, symbols, start, offsets, semiring)
    backend, dtype = _backend(start), start.dtype
    matrices = _read_by(backend, matrices)
    offsets = None if offsets is None else widened(offsets)
    with one_precision(start):
        states: Tensor = backend.forward(matrices, symbols, widened(start), offsets, semiring)
    return states.to(dtype)


def matrix_scan_backward(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the gradients of the arguments matrices, start and offsets of :func:`matrix_scan`.

    If ``offsets`` is ``None``, its gradient is an empty tensor.
    """
    dtype, backend = start.dtype, _backend(start)
    none = start.new_empty(0)
    if not start.numel():
        return (*(_contiguous_zeros(x, none) for x in (matrices, start, offsets)),)  # type: ignore[return-value]
    matrices = _read_by(backend, matrices)
    grad, start, states = (widened(x) for x in (grad, start, states))
    offsets = None if offsets is None else widened(offsets)
    with one_precision(start):
        if dtype not in compiled.TYPES:  # the accumulation dtype is wider than the stored dtype
            states = backend.forward(matrices, symbols, start, offsets, semiring)
        gradients = backend.backward(grad, matrices, symbols, states, start, offsets, semiring)
    # contiguous, as the fake kernel declares
    to_matrices, to_start, to_offsets = (none if x is None else x.to(dtype).contiguous() for x in gradients)
    return to_matrices, to_start, to_offsets


def _contiguous_zeros(values: Tensor | None, without: Tensor) -> Tensor:
    return without if values is None else torch.zeros_like(values, memory_format=torch.contiguous_format)


def chosen(device: str, dtype: torch.dtype, states: int = 0) -> backends.Choice:
    """Return the backend for tensors of this dtype on this kind of device, and the reason.

    Args:
        device: the kind of device.
        dtype: the dtype of the tensors.
        states: the number of states. Defaults to a number that every backend supports.
    """
    choice = backends.chosen(device, dtype)
    if choice.name == "triton":
        if states > on_gpu.MOST:
            return backends.Choice("torch", f"the Triton backend supports at most {on_gpu.MOST} states")
        return choice._replace(why=f"{choice.why}, for at most {on_gpu.MOST} states")
    reason = compiled.lacking() if choice.name == "c++" else ""
    return backends.Choice("torch", reason) if reason else choice


def _backend(start: Tensor) -> Any:
    name = backends.name_for(start)  # raises if a forced backend does not support the tensors
    states = start.shape[1]
    if name == "triton" and states > on_gpu.MOST and backends.is_forced():
        raise InputError(
            f"the Triton backend must have at most {on_gpu.MOST} states in products with matrices, got"
            f" {states}"
        )
    return BACKENDS[chosen(start.device.type, start.dtype, states).name]


def _read_by(backend: Any, matrices: Tensor) -> Tensor:
    """Convert the matrices to a dtype that the backend reads.

    The backend for GPUs reads bfloat16 and float16. For other backends, they are converted to float32.
    """
    return matrices if backend is on_gpu else widened(matrices)


def _require_symbols(symbols: Tensor, number: int) -> None:
    if symbols.numel():
        least, most = torch.stack(torch.aminmax(symbols)).tolist()  # one synchronisation with the GPU
        if least < 0 or most >= number:
            wrong = least if least < 0 else most
            raise InputError(f"symbols must be between 0 and {number - 1}, got {wrong}")


def _like_states(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None, semiring: str
) -> Tensor:
    return start.new_empty(*symbols.shape, start.shape[1])


def _again(
    grad: Tensor,
    matrices: Tensor,
    symbols: Tensor,
    states: Tensor,
    start: Tensor,
    offsets: Tensor | None,
    semiring: str,
) -> list[Tensor | None]:
    """Compute the gradients of :func:`matrix_scan` with differentiable functions."""
    dtype = start.dtype
    with one_precision(start):
        if is_narrow(start):  # the accumulation dtype is wider than the stored dtype
            grad, matrices, start = grad.float(), matrices.float(), start.float()
            offsets = None if offsets is None else offsets.float()
            states = MATRIX_SCAN(matrices, symbols, start, offsets, semiring)
        results = loops.gradients(grad, matrices, symbols, states, start, offsets, semiring)
    return [x if x is None else x.to(dtype) for x in results]


def _batched(operator: Any) -> Any:
    """Return the rule for ``torch.vmap``, which computes all elements of the batch in one call.

    The rule concatenates the matrices of all elements, and adds the elements' sequences to the batch axis of
    the operator.
    """

    def rule(info: Any, in_dims: Sequence[int | None], *arguments: Any) -> tuple[Tensor, int]:
        size = info.batch_size
        moved: list[Any] = [
            spread(x, dim, axis, size)
            for x, dim, axis in zip(arguments, in_dims, (0, 1, 0, 1, 0), strict=True)
        ]
        matrices, symbols, start, offsets, semiring = moved
        states = operator(
            matrices.flatten(0, 1),
            _into_concatenation(symbols, matrices),
            start.flatten(0, 1),
            None if offsets is None else offsets.flatten(1, 2),
            semiring,
        )
        return states.unflatten(1, (size, -1)) if states.numel() else _empty(states, start, size), 1

    return rule


def _batched_backward(operator: Any) -> Any:
    def rule(info: Any, in_dims: Sequence[int | None], *arguments: Any) -> tuple[Any, Any]:
        size = info.batch_size
        moved: list[Any] = [
            spread(x, dim, axis, size)
            for x, dim, axis in zip(arguments, in_dims, (1, 0, 1, 1, 0, 1, 0), strict=True)
        ]
        grad, matrices, symbols, states, start, offsets, semiring = moved
        gradients = operator(
            grad.flatten(1, 2),
            matrices.flatten(0, 1),
            _into_concatenation(symbols, matrices),
            states.flatten(1, 2),
            start.flatten(0, 1),
            None if offsets is None else offsets.flatten(1, 2),
            semiring,
        )
        to_matrices, to_start = (
            x.reshape(y.shape) for x, y in zip(gradients, (matrices, start), strict=False)
        )
        to_offsets = gradients[2].expand(size, 0) if offsets is None else gradients[2].reshape(offsets.shape)
        return (to_matrices, to_start, to_offsets), (0, 0, 0 if offsets is None else 1)

    return rule


def _into_concatenation(symbols: Tensor, matrices: Tensor) -> Tensor:
    """Convert the symbols of all batch elements to indices into their concatenated matrices.

    ``matrices`` has shape ``(size, S, n, n)``, with one row per batch element. An invalid symbol remains
    invalid, so the operator rejects it.
    """
    size, number = matrices.shape[:2]
    moved = symbols + number * torch.arange(size, device=symbols.device)[:, None]
    moved = torch.where(symbols < 0, symbols, torch.where(symbols >= number, symbols + size * number, moved))
    return moved.flatten(1)


def _empty(states: Tensor, start: Tensor, size: int) -> Tensor:
    return states.reshape(len(states), size, *start.shape[1:])


MATRIX_SCAN = Operation(
    matrix_scan, matrix_scan_backward, _again, 2, _like_states, batched=(_batched, _batched_backward)
)
