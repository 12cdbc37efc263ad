"""The backend that computes the elementwise recurrences in Triton, on a CUDA device.

For tests, Triton's interpreter runs them on a CPU (``TRITON_INTERPRET=1``). A lane is one element of the
state. With many lanes, all steps are one chunk and run in order. With few lanes, the steps are split into
chunks that run in parallel. Each chunk is summarised as an affine function (a factor and a summand), which
maps the state before the chunk to the state after it. :func:`scan` computes the states between the chunks
recursively from these summaries, so the time grows with the logarithm of the number of chunks. Then each
chunk runs again from its initial state. If the summary of a lane overflows, the lane's states may still be
finite, so the lane is marked and runs step by step.
"""

from __future__ import annotations

import importlib.util
import os
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
from torch import Tensor

from neural.scan.loops import pair_gradients, pair_of

NAME = "triton"
TYPES = {torch.float32, torch.float64, torch.bfloat16, torch.float16}
PROGRAM = {"log backward": (64, 2, 6), "gated backward": (64, 1, 6), "real backward": (128, 1, 8)}
USUAL, FEW, FEW_BACKWARD, FEW_PAIRS = (64, 1, 8), (32, 1, 32), (32, 1, 16), (32, 1, 8)
"""Settings of a Triton program: the numbers of lanes, of warps, and of steps whose loads are in flight.

The last three settings are for one chunk with few lanes. They were the fastest on an H200. With four steps in
flight, a kernel took 1.3 times as long as with eight; with two steps, it took 2.6 times as long.
"""
SERIAL_LANES, SERIAL_STEPS = 8192, 64
"""All steps form one chunk if there are at least this many lanes, or at most this many steps."""
SERIAL_IN_GRAPHS = {"gated": 32_768, "log": 32_768}
"""The value of ``SERIAL_LANES`` for some kinds of recurrence while a CUDA graph is captured.

An H200 took 0.045 ms for 512 gated steps of 8,192 lanes in chunks, and 0.073 ms in one chunk. Without a
graph, the CPU takes longer to launch ten kernels than two.
"""
LANES_AT_ONCE, LEAST_CHUNK = 65_536, 32
FEW_LANES = 32_768
"""If all steps are one chunk with fewer lanes than this, the settings for few lanes apply."""
OUTPUT_BLOCK = 1024
"""The number of elements per program of the kernels for outputs, which use four warps."""
FUSED = {"enable_fp_fusion": True}
"""The option to fuse products and sums; set explicitly, because Triton's default depends on its version."""
CHUNK: ContextVar[int | None] = ContextVar("chunk", default=None)
"""The number of steps of every chunk, if :func:`neural.scan.backends.use` sets it.

Chunks of the summaries of other chunks have at least two steps, because each level must be shorter.
"""


@cache
def lacking() -> str:
    """Return the reason why the backend is not available, or an empty string."""
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed"
    if not torch.cuda.is_available() and not interpreted():
        return "Triton needs a CUDA device"
    return ""


def interpreted() -> bool:
    """Return whether Triton's interpreter runs the kernels on a CPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def pair(*arguments: Tensor) -> tuple[Tensor, Tensor]:
    """Compute two gated recurrences, the second of which reads the states of the first.

    The arguments are those of :func:`neural.scan.operators.pair`.
    """
    values = [x.contiguous() for x in arguments]
    steps, skip = len(values[0]), values[-1]
    if _chunk_of(steps, skip.numel()) < steps:  # in chunks, without rounding the states between them
        one, two = pair_of(scan, *(x.to(_wide(x.dtype)) for x in values))
        return one.to(skip.dtype), two.to(skip.dtype)
    states = torch.empty_like(values[1]), torch.empty_like(values[1])
    _run("pair_forward", 1, [*values, *states, steps], skip)
    return states


def pair_backward(grad_1: Tensor | None, grad_2: Tensor | None, *arguments: Tensor) -> tuple[Tensor, ...]:
    """Compute the gradients of the arguments of :func:`pair`.

    The arguments are those of :func:`neural.scan.operators.pair_backward`.
    """
    grads = (torch.zeros_like(arguments[0]) if x is None else x for x in (grad_1, grad_2))
    values = [x.contiguous() for x in (*grads, *arguments)]
    skip, steps = values[-1], len(values[0])
    if _chunk_of(steps, skip.numel()) < steps:
        results = pair_gradients(scan_backward, *(x.to(_wide(x.dtype)) for x in values))
        return tuple(x.to(skip.dtype) for x in results)
    gradients = tuple(torch.empty_like(x) for x in (*values[2:6], *values[8:]))
    if steps:
        _run("pair_backward", 1, [*values, *gradients, steps], skip)
        return gradients
    return tuple(torch.zeros_like(x) for x in gradients)


def scan(first: Tensor, second: Tensor, start: Tensor, kind: str, least: int = 1) -> Tensor:
    """Compute the states c_1, ..., c_T of a recurrence, shape ``(T, ...)``.

    The arguments are those of :func:`neural.scan.loops.scan`, where ``second`` is the update. A chunk has at
    least ``least`` steps.
    """
    first, second, start = (x.contiguous() for x in (first, second, start))
    steps, lanes = len(first), start.numel()
    states = torch.empty_like(second)
    if not second.numel():
        return states
    chunk = _chunk_of(steps, lanes, kind, least)
    number = -(-steps // chunk)
    ends: Tensor | None = None
    marks: Tensor | None = None

    def run(chunks: int, length: int, form: str, to: Tensor, factors: Tensor | None = None) -> None:
        arguments = [first, second, start, ends, to, factors, marks, steps, length]
        _run("forward", chunks, arguments, start, kind, form)

    if number == 1:
        run(1, steps, "WHOLE", states)
        return states
    sums, factors = _edges(number, start), _edges(number, start)
    run(number, chunk, "SUMMARY", sums, factors)
    over = "real" if kind == "gated" else kind
    ends = scan(factors[:-1], sums[:-1], start.to(sums.dtype), over, least=2)
    marks = _no_marks(start)
    run(number, chunk, "CHUNKS", states)
    run(1, steps, "MARKED", states)
    return states


def scan_backward(
    grad: Tensor, first: Tensor, second: Tensor, states: Tensor, start: Tensor, kind: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the gradients of the arguments first, second and start of :func:`scan`."""
    read = [x.contiguous() for x in (grad, first, second, states, start)]
    steps, lanes = len(grad), start.numel()
    to_first, to_second = torch.empty_like(read[2]), torch.empty_like(read[2])
    if not grad.numel():
        return to_first, to_second, torch.zeros_like(start)
    chunk = _chunk_of(steps, lanes, kind)
    number = -(-steps // chunk)
    out = _edges(number, start)
    flows: Tensor | None = None
    factors: Tensor | None = None
    marks: Tensor | None = None

    def run(chunks: int, length: int, form: str) -> None:
        written = [to_first, to_second, out, factors, marks]
        _run("backward", chunks, [*read, flows, *written, steps, length], start, kind, form)

    if number == 1:
        run(1, steps, "WHOLE")
    else:
        factors = _edges(number, start)
        run(number, chunk, "SUMMARY")
        # A recurrence over the chunks in reverse order: the gradient of a chunk's last state depends on the
        # next chunk.
        nothing = torch.zeros_like(out[0])
        flows = scan(factors[1:].flip(0), out[1:].flip(0), nothing, "real", least=2).flip(0)
        marks = _no_marks(start)
        run(number, chunk, "CHUNKS")
        run(1, steps, "MARKED")
    return to_first, to_second, out[0].to(start.dtype)


def _no_marks(start: Tensor) -> Tensor:
    """Return an array of zeros in which the kernel marks lanes whose chunk summaries overflow."""
    return torch.zeros(start.shape, dtype=torch.int8, device=start.device)


def _edges(number: int, start: Tensor) -> Tensor:
    return torch.empty(number, *start.shape, dtype=_wide(start.dtype), device=start.device)


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _chunk_of(steps: int, lanes: int, kind: str = "real", least: int = 1) -> int:
    """Return the number of steps per chunk; a single chunk is used for many lanes or few steps."""
    forced = CHUNK.get()
    if forced is not None:
        return max(1, min(max(forced, least), steps))
    captured = kind in SERIAL_IN_GRAPHS and not interpreted() and torch.cuda.is_current_stream_capturing()
    if lanes >= (SERIAL_IN_GRAPHS[kind] if captured else SERIAL_LANES) or steps <= SERIAL_STEPS:
        return max(1, steps)
    return max(LEAST_CHUNK, -(-steps * lanes // LANES_AT_ONCE))


def _run(
    kernel: str, chunks: int, arguments: list[Any], like: Tensor, kind: str = "", form: str = ""
) -> None:
    """Launch a kernel for recurrences on this number of chunks, with the lanes of ``like``.

    The settings of the kernel depend on the kind of recurrence, the form, and the number of lanes.
    """
    from neural.scan import triton_kernels as kernels

    lanes = like.numel()
    block, warps, stages = PROGRAM.get(f"{kind} {kernel}", USUAL)
    if chunks == 1 and lanes < FEW_LANES:
        block, warps, stages = FEW_PAIRS if not kind else FEW if kernel == "forward" else FEW_BACKWARD
    fixed = {"KIND": _value(kernels, kind), "FORM": _value(kernels, form)} if kind else {}
    fixed["STAGES"] = stages
    programs = -(-lanes // block) * chunks
    _start(getattr(kernels, kernel), programs, [*arguments, lanes], like, block, warps, fixed)


def output(states: Tensor, gate: Tensor | None, skip: Tensor | None, form: str) -> Tensor:
    """Compute the output of a gated layer; see :func:`neural.scan.outputs.output`."""
    result = torch.empty_like(states, memory_format=torch.contiguous_format)
    _run_output("output", [states, gate, skip], [result], form, skip is not None)
    return result


def output_backward(
    grad: Tensor, states: Tensor, gate: Tensor | None, skip: Tensor | None, outputs: Tensor, form: str
) -> list[Tensor | None]:
    """Compute the gradients of the arguments states, gate and skip of :func:`output`.

    The gradient of an argument that is ``None`` is ``None``.
    """
    gradients = [
        None if x is None else torch.empty_like(x, memory_format=torch.contiguous_format)
        for x in (states, gate, skip)
    ]
    _run_output("output_backward", [grad, states, gate, skip], gradients, form, skip is not None)
    return gradients


def _run_output(
    kernel: str, read: list[Tensor | None], written: list[Tensor | None], form: str, has_skip: bool
) -> None:
    from neural.scan import triton_outputs as kernels

    contiguous = [None if x is None else x.contiguous() for x in read]
    like = written[0]
    assert like is not None
    number = like.numel()
    fixed = {"FORM": _value(kernels, form), "HAS_SKIP": has_skip}
    if number:
        programs = -(-number // OUTPUT_BLOCK)
        arguments = [*contiguous, *written, number]
        _start(getattr(kernels, kernel), programs, arguments, like, OUTPUT_BLOCK, 4, fixed)


def _value(kernels: Any, name: str) -> int:
    """Return the value of the Triton constant with this name in a module of kernels."""
    constant = getattr(kernels, name.upper())
    return int(constant.value)


def _start(
    kernel: Any,
    programs: int,
    arguments: list[Any],
    like: Tensor,
    block: int,
    warps: int,
    fixed: dict[str, Any],
) -> None:
    """Launch a kernel on the device of ``like``.

    The kernel does not read arguments that are ``None``. Triton looks up the compiled kernel in Python, which
    takes longer than a small recurrence. Therefore this function caches compiled kernels by the properties of
    the arguments on which the compiled kernel depends.
    """
    import triton.language as tl

    wide = tl.float64 if like.dtype == torch.float64 else tl.float32
    present = [like if a is None else a for a in arguments]
    with device_of(like):
        if interpreted():
            kernel[(programs,)](*present, **fixed, WIDE=wide, BLOCK=block, num_warps=warps, **FUSED)
            return
        key = (kernel.__name__, like.device, block, warps, *fixed.values(), *map(_compiled_alike, present))
        compiled = _COMPILED.get(key)
        if compiled is None:
            _COMPILED[key] = kernel[(programs,)](
                *present, **fixed, WIDE=wide, BLOCK=block, num_warps=warps, **FUSED
            )
        else:
            compiled[(programs, 1, 1)](*present, *fixed.values(), wide, block)


_COMPILED: dict[tuple[Any, ...], Any] = {}


def _compiled_alike(argument: Tensor | int) -> tuple[Any, ...]:
    """Return the properties of an argument on which the compiled Triton kernel depends."""
    if isinstance(argument, Tensor):
        return argument.dtype, argument.data_ptr() % 16 == 0
    return argument == 1, argument % 16 == 0, argument < 2**31


def device_of(like: Tensor) -> AbstractContextManager[Any]:
    """Return a context in which Triton launches kernels on the device of ``like``."""
    if not like.is_cuda or like.device.index == torch.cuda.current_device():
        return nullcontext()
    return torch.cuda.device(like.device)
