"""The adapter for a function or module with a state, and with an additional argument for padding."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ratproof.laws.models.model import State, StatefulModel

Raggedness = Literal["mask", "lengths", "cu_seqlens"]
DEPTH = 4
"""Maximum number of values between a function and a module that it calls."""
RAGGED: tuple[Raggedness, ...] = ("mask", "lengths", "cu_seqlens")
"""The arguments through which a function can receive the padding or the lengths of its rows."""


class Called(StatefulModel):
    """A function or module that is called with inputs, a state and, for padded rows, one more argument.

    >>> model = Called(lambda inputs, state, lengths=None: (inputs, state), "lengths")
    >>> model.run(torch.ones(1, 2, 3))[0].shape
    torch.Size([1, 2, 3])

    The modules that the function calls run in evaluation mode, and their parameters are perturbed. They are
    found in its closure, its default arguments, global variables, the arguments of a partial, and attributes.

    Args:
        function: The function. If it has the argument ``position_ids``, it also receives these ids, of shape
            ``(B, T)``. They count the tokens of a row from 0, over all calls, without its padding.
        ragged: The argument for padded rows: ``mask``, ``lengths`` or ``cu_seqlens``. ``mask`` is bool of
            shape ``(B, T)``. ``lengths`` is int64 of shape ``(B,)``, for padding on the right. ``cu_seqlens``
            is int64 of shape ``(B + 1,)``. The rows are then packed into inputs of shape ``(1, total, ...)``,
            and states still have B rows.
    """

    def __init__(self, function: Any, ragged: Raggedness = "mask") -> None:
        self.function, self.ragged = function, ragged
        self.module = _module(function)
        self.takes_positions = "position_ids" in _parameters(function)
        if ragged == "lengths":
            self.without = frozenset({"left-padding"})

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Return the result of the function."""
        if not self.takes_positions:
            return self._result(inputs, state, mask, {})
        kept = torch.ones(inputs.shape[:2], dtype=torch.int64, device=inputs.device)
        kept = kept if mask is None else mask.long()
        state, seen = (None, kept.new_zeros(len(kept))) if state is None else state
        positions = (seen[:, None] + kept.cumsum(1) - 1).clamp(min=0)
        outputs, state = self._result(inputs, state, mask, {"position_ids": positions})
        return outputs, (state, seen + kept.sum(1))

    def _result(
        self, inputs: Tensor, state: State, mask: Tensor | None, by_token: dict[str, Tensor]
    ) -> tuple[Any, State]:
        """Call the function; the arguments in ``by_token`` have the shape ``(B, T)``."""
        if mask is None:
            result: tuple[Any, Any] = self.function(inputs, state, **by_token)
            return result
        lengths = mask.long().sum(1)
        if self.ragged == "mask":
            return self.function(inputs, state, mask=mask, **by_token)  # type: ignore[no-any-return]
        if self.ragged == "lengths":
            return self.function(inputs, state, lengths=lengths, **by_token)  # type: ignore[no-any-return]
        packed = {name: array[mask][None] for name, array in by_token.items()}
        offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
        outputs, state = self.function(inputs[mask][None], state, cu_seqlens=offsets, **packed)
        padded = outputs.new_zeros(*mask.shape, *outputs.shape[2:])
        padded[mask] = outputs[0]
        return padded, state

    def __deepcopy__(self, memo: dict[int, Any]) -> Called:
        """Return a copy with the module that the copied function calls; functions are not copied."""
        return Called(copy.deepcopy(self.function, memo), self.ragged)

    def missing_methods(self) -> list[str]:
        """Return the missing methods, and ``padding`` if the function has no argument for padded rows."""
        parameters = _parameters(self.function)
        takes = not parameters or self.ragged in parameters or "**" in parameters
        return super().missing_methods() + ([] if takes else ["padding"])

    def name(self) -> str:
        """Return the function's name, or the module's class."""
        return getattr(self.function, "__name__", type(self.function).__name__)


def _module(function: Any) -> nn.Module | None:
    """Return the module that a function or object calls, or a list of its modules if there are several."""
    modules = list({id(module): module for module in _modules(function, DEPTH)}.values())
    return modules[0] if len(modules) == 1 else nn.ModuleList(modules) if modules else None


def _modules(value: Any, depth: int) -> Iterator[nn.Module]:
    """Yield the modules to which a value refers directly or through ``depth`` other values."""
    if isinstance(value, nn.Module):
        yield value
    elif depth:
        for part in _references(value):
            yield from _modules(part, depth - 1)


def _references(value: Any) -> Iterable[Any]:
    """Return the values to which a function, an object or a collection refers."""
    if isinstance(value, functools.partial):
        return value.func, *value.args, *value.keywords.values()
    if inspect.ismethod(value):
        return value.__self__, value.__func__
    if inspect.isfunction(value):
        try:
            used = inspect.getclosurevars(value)
        except ValueError:  # a variable of the closure has no value yet
            return ()
        defaults = *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()
        return *used.nonlocals.values(), *used.globals.values(), *defaults
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list | tuple):
        return value
    no_model = isinstance(value, type | ModuleType | Tensor)
    return () if no_model else getattr(value, "__dict__", {}).values()


def _parameters(function: Any) -> set[str]:
    """Return the names of a function's parameters, and ``**`` if it takes any other arguments.

    The set is empty if the signature is not known.
    """
    called = function.forward if isinstance(function, nn.Module) else function
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return set()
    return {"**" if p.kind is inspect.Parameter.VAR_KEYWORD else p.name for p in parameters}
