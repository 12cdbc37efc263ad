"""Perturbation of values by one unit in the last place, to measure rounding."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

FORMATS = {name: getattr(torch, name) for name in ("float64", "float32", "float16", "bfloat16")}
"""The dtypes that may be declared, keyed by name."""


class OperatorRounding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that changes rounded results of operators by one unit in the last place.

    It changes results in a narrower dtype than the model's own and, if ``own_too``, in the model's own dtype.
    Each operator with such a result runs again in float64. Only the values that differ from the result in
    float64 were rounded, and only they are changed. In float64, all values except integers are changed.
    Rounding inside a kernel or another library is not visible.

    >>> x = torch.tensor([1.0, 0.1])
    >>> with OperatorRounding(torch.float32, seed=0):
    ...     y = x.bfloat16()
    >>> (y != x.bfloat16()).tolist()
    [False, True]

    Args:
        own: The model's own dtype.
        seed: Seed of the signs.
        narrowest: The narrowest dtype whose results are changed; ``None`` without a limit.
        own_too: Whether results in the model's own dtype are also changed.
    """

    def __init__(
        self, own: torch.dtype, seed: int, narrowest: torch.dtype | None = None, own_too: bool = False
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.unit, self.own_too = unit_of(own), own_too
        self.largest_unit = math.inf if narrowest is None else unit_of(narrowest)
        self.generator = torch.Generator().manual_seed(seed)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise torch imports its compiler, and every operator takes longer

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _is_view(func):
            return func(*args, **kwargs)  # views are not rounded
        wide = None
        if func._schema.is_mutable and any(map(self._is_narrow, _leaves((*args, *kwargs.values())))):
            wide = tree_map(widened, (args, kwargs))  # copy before an argument is overwritten
        result = func(*args, **kwargs)
        leaves = _leaves(result)
        if any(map(self._is_narrow, leaves)):
            exact = _leaves_of(func, *(wide or tree_map(widened, (args, kwargs))))
            for number, leaf in enumerate(leaves):
                if self._is_narrow(leaf):
                    self._move(leaf, exact[number] if number < len(exact) else None)
        return result

    def _is_narrow(self, value: object) -> bool:
        if not isinstance(value, Tensor):
            return False
        unit = unit_of(value.dtype)
        return self.unit < unit <= self.largest_unit or (self.own_too and unit == self.unit)

    def _move(self, numbers: Tensor, exact: Any) -> None:
        """Perturb in place the values that differ from ``exact``, or all values without ``exact``."""
        other = moved(numbers, torch.finfo(numbers.dtype).eps, self.generator)
        if numbers.dtype == torch.float64:
            other = torch.where(numbers == numbers.round(), numbers, other)
        elif isinstance(exact, Tensor) and exact.shape == numbers.shape:
            other = torch.where(widened(numbers) == exact, numbers, other)
        numbers.copy_(other)


def moved(numbers: Tensor, unit: float, generator: torch.Generator) -> Tensor:
    """Return the values changed by one unit in the last place; 0, infinities and integers do not change.

    Args:
        numbers: A tensor of any shape and dtype. Real and imaginary parts of complex numbers are separate
            values.
        unit: The unit in the last place of values from 1 to 2.
        generator: Generator of the signs.
    """
    if numbers.is_complex():
        return torch.view_as_complex(moved(real_parts(numbers), unit, generator).contiguous())
    if not numbers.is_floating_point():
        return numbers
    signs = torch.randint(0, 2, numbers.shape, generator=generator).to(numbers.device) * 2 - 1
    exact = numbers.double()
    _, exponents = torch.frexp(exact)
    units = torch.ldexp(torch.full_like(exact, unit), exponents - 1)
    largest = torch.finfo(numbers.dtype).max
    other = (exact + signs * units).clamp(-largest, largest)
    return torch.where((exact == 0) | exact.isinf(), exact, other).to(numbers.dtype)


def real_parts(numbers: Tensor) -> Tensor:
    """Return complex numbers as pairs of floats on a further axis, and other values unchanged."""
    return torch.view_as_real(numbers.resolve_conj()) if numbers.is_complex() else numbers


@cache
def unit_of(dtype: torch.dtype) -> float:
    """Return a dtype's unit in the last place for values from 1 to 2, or 0 for an integer dtype."""
    return torch.finfo(dtype).eps if _is_inexact(dtype) else 0.0


def _is_inexact(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


@cache
def _is_view(func: Any) -> bool:
    """Return whether a result of an operator shares memory with an argument that remains unchanged."""
    return any(
        value.alias_info is not None and not value.alias_info.is_write for value in func._schema.returns
    )


def _leaves(value: Any) -> list[Any]:
    """Return all values in an operator's arguments or results, including those in lists.

    This is faster than ``tree_leaves``, which took most of the time of a perturbed run.
    """
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def widened(value: Any) -> Any:
    """Return a copy of a tensor, or the dtype, in float64 or complex128; return other values unchanged."""
    if isinstance(value, Tensor):
        return value.to(widened(value.dtype), copy=True)
    inexact = isinstance(value, torch.dtype) and _is_inexact(value)
    return torch.promote_types(value, torch.float64) if inexact else value


def _leaves_of(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return the operator's results in float64; the list is empty if the operator does not support it."""
    try:
        return _leaves(func(*args, **kwargs))
    except Exception:  # an operator that does not support float64 may raise any exception
        return []
