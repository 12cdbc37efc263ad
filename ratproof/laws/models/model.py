"""The interface of a stateful model, which adapters implement.

>>> from ratproof.laws.models.inputs import Vectors
>>> class RunningSum(StatefulModel):
...     inputs = Vectors(2)
...     without = frozenset({"padding"})
...     def run(self, inputs, state=None, mask=None):
...         start = inputs.new_zeros(len(inputs), 2) if state is None else state
...         sums = start[:, None] + inputs.cumsum(1)
...         return sums, sums[:, -1]
...     def reorder(self, state, rows):
...         return state[rows]
...     def clear(self, state):
...         return state * 0
>>> RunningSum().missing_methods()
[]
"""

from __future__ import annotations

import inspect
from typing import Any

from torch import Tensor, nn

from ratproof.laws.models.inputs import Inputs

LAWS = ("pieces", "batch", "padding", "reuse", "reorder")
"""The laws, each a kind of evidence."""
CAPABILITIES = {
    "pieces": "inputs in pieces",
    "batch": "batches of several rows",
    "padding": "padding with a mask",
    "reuse": "a second use",
    "reorder": "reordered rows of a cache",
    "clear": "cleared caches",
    "state-twice": "a second use of the same state",
    "left-padding": "padding on the left",
    "right-padding": "padding on the right",
    "after-right-padding": "calls after padding on the right",
    "resize": "states whose number of rows changes",
}
"""Capabilities that ``without`` may exclude, with their descriptions."""


class StatefulModel:
    """A model that maps inputs and a state to outputs and a state.

    A subclass defines :meth:`run`, and the other methods unless ``without`` excludes them.

    Attributes:
        inputs: Kind of its inputs; ``None`` if ``model_claim`` receives it.
        module: Its torch module, whose parameters are perturbed to measure rounding and which runs in
            evaluation mode; ``None`` if there is no module.
        without: Names of :data:`CAPABILITIES` that it does not support.
        longest: Maximum number of tokens, in all pieces together; ``None`` without a limit.
    """

    inputs: Inputs | None = None
    module: nn.Module | None = None
    without: frozenset[str] = frozenset()
    longest: int | None = None

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Read some tokens.

        Args:
            inputs: Ids of shape ``(B, T)``, or floats of shape ``(B, T, size)``; T is at least 1.
            state: The state that an earlier call returned; ``None`` at the beginning.
            mask: Bool of shape ``(B, T)``, false for padding, which is on the left or on the right of a row;
                it may be true everywhere. It may be ``None`` if there is no padding among these tokens.

        Returns:
            Outputs, floats of shape ``(B, T, ...)``, and the state after the last token, of any type.
        """
        raise NotImplementedError

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """Return the state whose row i is row ``rows[i]`` of the argument, which may be changed.

        Args:
            state: The state that a call returned.
            rows: int64 of shape ``(N,)``. Rows may repeat or be omitted. Unless ``without`` contains
                ``resize``, N may differ from the state's number of rows: a beam search begins with one row
                that becomes several.
        """
        raise NotImplementedError

    def clear(self, state: Any) -> Any:
        """Return a cleared state, equivalent to the initial state; the argument may be modified."""
        raise NotImplementedError

    def name(self) -> str:
        """Return the model's name for the report."""
        return type(self).__name__

    def missing_methods(self) -> list[str]:
        """Return the capabilities whose method is not defined, unless the model declares them as lacking."""
        own = type(self)
        missing = {
            name for name in ("reorder", "clear") if getattr(own, name) is getattr(StatefulModel, name)
        }
        return sorted(missing - self.without)


class Called(StatefulModel):
    """A function or module that is called with inputs and state, and with ``mask=`` if there is a mask.

    >>> import torch
    >>> model = Called(lambda inputs, state: (inputs, state))
    >>> model.run(torch.ones(1, 2, 3))[0].shape
    torch.Size([1, 2, 3])
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.module = function if isinstance(function, nn.Module) else None

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Return the result of the function."""
        result: tuple[Tensor, Any] = (
            self.function(inputs, state) if mask is None else self.function(inputs, state, mask=mask)
        )
        return result

    def missing_methods(self) -> list[str]:
        """Return the missing methods, and ``padding`` if the function has no argument ``mask``."""
        called = self.function.forward if isinstance(self.function, nn.Module) else self.function
        try:
            parameters = inspect.signature(called).parameters.values()
        except (TypeError, ValueError):
            return super().missing_methods()
        takes_mask = any(p.name == "mask" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
        return super().missing_methods() + ([] if takes_mask else ["padding"])

    def name(self) -> str:
        """Return the function's name, or the module's class."""
        return getattr(self.function, "__name__", type(self.function).__name__)
