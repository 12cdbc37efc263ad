"""How a model with a state is called: the few methods that an adapter has.

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
>>> RunningSum().lacks()
[]
"""

from __future__ import annotations

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
"""What a model may do without, by the names that ``without`` knows."""


class StatefulModel:
    """Takes inputs and a state, gives outputs and a state. A subclass has :meth:`run`, and the other methods
    where it does not say that it lacks them.

    Attributes:
        inputs: what it reads; ``None`` where ``model_claim`` is told.
        module: the torch module in it, whose parameters are perturbed to measure rounding and which runs in
            evaluation mode; ``None`` where there is none.
        without: what it does not take, names of :data:`CAPABILITIES`.
        longest: tokens that it reads at most, in all pieces together; ``None`` for any number.
    """

    inputs: Inputs | None = None
    module: nn.Module | None = None
    without: frozenset[str] = frozenset()
    longest: int | None = None

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Read some tokens.

        Args:
            inputs: ids of shape ``(B, T)``, or floats of shape ``(B, T, size)``; T is at least 1.
            state: what an earlier call gave; ``None`` at the beginning.
            mask: bool of shape ``(B, T)``, false for padding, which is on the left or on the right of a row;
                it may be true everywhere. ``None`` also if there is no padding among these tokens.

        Returns:
            Outputs, floats of shape ``(B, T, ...)``, and the state after the last token, which is anything.
        """
        raise NotImplementedError

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """Return the state whose row i is row ``rows[i]`` of the argument, which may be changed.

        Args:
            state: what a call gave.
            rows: int64 of shape ``(N,)``. Rows may repeat or be left out, and unless ``resize`` is among
                ``without``, N may be more or less than the state's number of rows: a beam search begins with
                one row that becomes several.
        """
        raise NotImplementedError

    def clear(self, state: Any) -> Any:
        """A state as at the beginning, in the place of the one given, which may be changed."""
        raise NotImplementedError

    def name(self) -> str:
        """What is run, for the report."""
        return type(self).__name__

    def lacks(self) -> list[str]:
        """The methods that it neither has nor says that it lacks."""
        own = type(self)
        missing = {
            name for name in ("reorder", "clear") if getattr(own, name) is getattr(StatefulModel, name)
        }
        return sorted(missing - self.without)


class Called(StatefulModel):
    """A function or module that is called with inputs and state, and with ``mask=`` where a mask is given.

    >>> import torch
    >>> model = Called(lambda inputs, state: (inputs, state))
    >>> model.run(torch.ones(1, 2, 3))[0].shape
    torch.Size([1, 2, 3])
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.module = function if isinstance(function, nn.Module) else None

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """What the function returns."""
        made: tuple[Tensor, Any] = (
            self.function(inputs, state) if mask is None else self.function(inputs, state, mask=mask)
        )
        return made

    def name(self) -> str:
        """The function's name, or the module's class."""
        return getattr(self.function, "__name__", type(self.function).__name__)
