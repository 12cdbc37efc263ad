"""Validation of the arguments of recurrences."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import Tensor

from automata.errors import InputError


def common_type(what: str, tensors: Sequence[Tensor]) -> torch.dtype:
    """Return the dtype to which torch promotes the tensors.

    Messages about an error begin with ``what``, the name of the tensors.

    Raises:
        InputError: If the result is not a floating-point dtype, or if the tensors are on several devices. A
            kernel would then read addresses of another device.
    """
    dtype = functools.reduce(torch.promote_types, (x.dtype for x in tensors))
    if not dtype.is_floating_point:
        raise InputError(f"{what} must have a floating-point dtype, got {dtype}")
    require_one_device(what, tensors)
    return dtype


def require_one_device(what: str, tensors: Sequence[Tensor]) -> None:
    """Raise :class:`~automata.errors.InputError` if the tensors are on several devices."""
    devices = list(dict.fromkeys(str(x.device) for x in tensors))
    if len(devices) > 1:
        raise InputError(f"{what} must be on the same device, got {' and '.join(devices)}")


def is_narrow(values: Tensor) -> bool:
    """Return whether the dtype is bfloat16 or float16, which accumulate in float32."""
    return values.dtype in (torch.bfloat16, torch.float16)


def widened(values: Tensor) -> Tensor:
    """Convert bfloat16 and float16 to float32, in which sums are accumulated, and keep other dtypes."""
    return values.float() if is_narrow(values) else values
