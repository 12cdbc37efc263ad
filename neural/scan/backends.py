"""What computes the recurrences: chosen by the tensors' device and type and by what is installed, or forced.

>>> chosen("cuda", torch.float32).name
'torch'
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
from neural.scan import compiled, loops

VARIABLE = "RATPROOF_SCAN"
"""The environment variable that forces a backend."""
BACKENDS: dict[str, Any] = {loops.NAME: loops, compiled.NAME: compiled}
_forced: ContextVar[str | None] = ContextVar("forced", default=None)


class Choice(NamedTuple):
    """The name of a backend, and why it was chosen."""

    name: str
    why: str


@contextmanager
def use(name: str) -> Iterator[None]:
    """Compute with the backend of that name, whatever the tensors are.

    Raises :class:`~automata.errors.InputError` where there is none of that name, or it cannot run here.
    """
    _require(name, "the backend")
    token = _forced.set(name)
    try:
        yield
    finally:
        _forced.reset(token)


def chosen(device: str, dtype: torch.dtype) -> Choice:
    """The backend for tensors of that type on such a device."""
    named = _forced.get()
    if named is not None:
        return Choice(named, "it is forced")
    if VARIABLE in os.environ:
        _require(os.environ[VARIABLE], VARIABLE)
        return Choice(os.environ[VARIABLE], f"{VARIABLE} says so")
    if device != "cpu":
        return Choice(loops.NAME, f"there is no other for {device}")
    if dtype not in compiled.TYPES:
        return Choice(loops.NAME, f"the C++ one does not compute in {dtype}")
    reason = compiled.lacking()
    return Choice(loops.NAME, reason) if reason else Choice(compiled.NAME, "a C++ compiler is installed")


def of(values: Tensor) -> Any:
    """The module that computes with tensors like this."""
    choice = chosen(values.device.type, values.dtype)
    if choice.name == compiled.NAME and (values.device.type != "cpu" or values.dtype not in compiled.TYPES):
        raise InputError(
            f"the C++ backend computes on a CPU, in float32, float64 or bfloat16; these are {values.dtype} on"
            f" {values.device.type}"
        )
    return BACKENDS[choice.name]


def _require(name: str, what: str) -> None:
    if name not in BACKENDS:
        raise InputError(f"{what} is {name!r}, where {' or '.join(BACKENDS)} is right")
    reason = compiled.lacking() if name == compiled.NAME else ""
    if reason:
        raise InputError(f"{what} is {name!r}, and {reason}")
