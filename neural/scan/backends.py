"""Selection of the backend that computes the recurrences.

The choice depends on the tensors' device and dtype and on the installed packages, unless a backend is forced.

>>> with use("torch"):
...     chosen("cpu", torch.float32)
Choice(name='torch', why='it is forced')
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan import compiled, loops, on_gpu

VARIABLE = "RATPROOF_SCAN"
"""The environment variable that forces a backend."""
BACKENDS: dict[str, Any] = {loops.NAME: loops, compiled.NAME: compiled, on_gpu.NAME: on_gpu}
_forced: ContextVar[str | None] = ContextVar("forced", default=None)


class Choice(NamedTuple):
    """The name of a backend and the reason for choosing it."""

    name: str
    why: str


class Backend(NamedTuple):
    """A backend's name and the number of steps per chunk.

    Chunks run in parallel. If the number is ``None``, it depends on the shapes.
    """

    name: str
    chunk: int | None = None

    def __str__(self) -> str:
        return self.name if self.chunk is None else f"{self.name} in chunks of {self.chunk}"


@contextmanager
def use(name: str, chunk: int | None = None) -> Iterator[None]:
    """Compute with the named backend for all tensors.

    Args:
        name: ``torch``, ``c++`` or ``triton``.
        chunk: the number of steps per chunk; chunks run in parallel. Only the Triton backend supports it. By
            default, it depends on the shapes.

    Raises:
        InputError: If there is no such backend, or it cannot run here.
    """
    _require(name, "the backend")
    if chunk is not None and (name != on_gpu.NAME or type(chunk) is not int or chunk < 1):
        raise InputError(
            f"chunk must be a positive integer and requires the backend 'triton', got {chunk!r} for {name!r}"
        )
    token, other = _forced.set(name), on_gpu.CHUNK.set(chunk)
    try:
        yield
    finally:
        on_gpu.CHUNK.reset(other)
        _forced.reset(token)


def available(device: str) -> list[Backend]:
    """Return the backends that run on this kind of device (``"cpu"`` or ``"cuda"``), the default first.

    If :func:`use` or the environment selects a backend, return only this backend.
    """
    usual, forced = Backend(loops.NAME), _forced.get() or os.environ.get(VARIABLE)
    if forced is not None:
        return [Backend(forced, on_gpu.CHUNK.get())]
    if device == "cuda":
        return [usual] if on_gpu.lacking() else [Backend(on_gpu.NAME), Backend(on_gpu.NAME, 3), usual]
    return [usual] if compiled.lacking() else [Backend(compiled.NAME), usual]


def chosen(device: str, dtype: torch.dtype) -> Choice:
    """Return the backend for tensors of this dtype on this kind of device, and the reason for the choice."""
    named = _forced.get()
    if named is not None:
        return Choice(named, "it is forced")
    if VARIABLE in os.environ:
        _require(os.environ[VARIABLE], VARIABLE)
        return Choice(os.environ[VARIABLE], f"{VARIABLE} selects it")
    if device == "cuda":
        reason = on_gpu.lacking() or ("" if dtype in on_gpu.TYPES else f"Triton does not support {dtype}")
        return Choice(loops.NAME, reason) if reason else Choice(on_gpu.NAME, "Triton is installed")
    if device != "cpu":
        return Choice(loops.NAME, f"there is no other backend for {device}")
    if dtype not in compiled.TYPES:
        return Choice(loops.NAME, f"the C++ backend does not support {dtype}")
    reason = compiled.lacking()
    return Choice(loops.NAME, reason) if reason else Choice(compiled.NAME, "a C++ compiler is installed")


def forced() -> Backend | None:
    """Return the backend that :func:`use` selects in the current context, or ``None`` if there is none."""
    name = _forced.get()
    return None if name is None else Backend(name, on_gpu.CHUNK.get())


def is_forced() -> bool:
    """Return whether :func:`use` or the environment selects a backend."""
    return _forced.get() is not None or VARIABLE in os.environ


def module_for(values: Tensor) -> Any:
    """Return the module of the backend for tensors on the device and with the dtype of ``values``."""
    return BACKENDS[name_for(values)]


def name_for(values: Tensor) -> str:
    """Return the name of the backend for tensors on the device and with the dtype of ``values``.

    Raises:
        InputError: If the forced backend does not support these tensors.
    """
    choice = chosen(values.device.type, values.dtype)
    if choice.name == compiled.NAME and (values.device.type != "cpu" or values.dtype not in compiled.TYPES):
        raise InputError(
            "the C++ scan backend requires float32, float64 or bfloat16 tensors on the CPU, got"
            f" {values.dtype} on {values.device.type}"
        )
    if choice.name == on_gpu.NAME and (
        values.device.type != ("cpu" if on_gpu.interpreted() else "cuda") or values.dtype not in on_gpu.TYPES
    ):
        raise InputError(
            f"the Triton backend requires floating-point tensors on a CUDA device, got {values.dtype} on"
            f" {values.device.type}"
        )
    return choice.name


def _require(name: str, what: str) -> None:
    if name not in BACKENDS:
        raise InputError(f"{what} must be one of {', '.join(BACKENDS)}, got {name!r}")
    reason = "" if name == loops.NAME else BACKENDS[name].lacking()
    if reason:
        raise InputError(f"{what} must be available here, got {name!r}: {reason}")
