"""What the recurrences' arguments have in common."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import Tensor

from automata.errors import InputError


def common_type(what: str, tensors: Sequence[Tensor]) -> torch.dtype:
    """The type that they are promoted to.

    Raises :class:`~automata.errors.InputError` where that is no float, or where they are on several devices:
    a kernel would read one device's addresses on another.
    """
    dtype = functools.reduce(torch.promote_types, (x.dtype for x in tensors))
    if not dtype.is_floating_point:
        raise InputError(f"{what} are {dtype}, where floats are right")
    require_one_device(what, tensors)
    return dtype


def require_one_device(what: str, tensors: Sequence[Tensor]) -> None:
    """Raises :class:`~automata.errors.InputError` where they are on several."""
    devices = list(dict.fromkeys(str(x.device) for x in tensors))
    if len(devices) > 1:
        raise InputError(f"{what} are on {' and '.join(devices)}, where one device is right")


def is_narrow(values: Tensor) -> bool:
    """Has its type fewer digits than what is carried?"""
    return values.dtype in (torch.bfloat16, torch.float16)


def widened(values: Tensor) -> Tensor:
    """In a type whose sums one may carry on with."""
    return values.float() if is_narrow(values) else values
