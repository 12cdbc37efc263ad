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

from typing import Any, TypeAlias

from torch import Tensor, nn

from ratproof.laws.models.inputs import Inputs

LAWS = ("pieces", "batch", "padding", "reuse", "reorder", "rewind", "snapshot", "gradient")
"""The names of the laws, which are kinds of evidence."""
CAPABILITIES = {
    "pieces": "inputs in pieces",
    "batch": "batches of several rows",
    "padding": "padding with a mask",
    "reuse": "a second use",
    "reorder": "reordered rows of a cache",
    "rewind": "rewinding",
    "snapshot": "snapshots",
    "gradient": "gradients",
    "clear": "cleared caches",
    "state-twice": "a second use of the same state",
    "left-padding": "padding on the left",
    "right-padding": "padding on the right",
    "after-right-padding": "calls after padding on the right",
    "resize": "states whose number of rows changes",
}
"""Capabilities that ``without`` may exclude, with their descriptions."""

State: TypeAlias = Any
"""The state of a model, or a snapshot of it: any object, which the laws only pass on."""


class StatefulModel:
    """A model that maps inputs and a state to outputs and a state.

    A subclass defines :meth:`run`, and the other methods unless ``without`` excludes them.

    Attributes:
        inputs: Kind of its inputs; ``None`` if it is passed to ``model_claim``.
        module: Its torch module; ``None`` if there is none. The module runs in evaluation mode, and its
            parameters are perturbed to measure rounding.
        without: Names of :data:`CAPABILITIES` that it does not support.
        longest: Maximum number of tokens, in all pieces together; ``None`` without a limit.
    """

    inputs: Inputs | None = None
    module: nn.Module | None = None
    without: frozenset[str] = frozenset()
    longest: int | None = None

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Read tokens, and return the outputs and the new state.

        Args:
            inputs: Ids of shape ``(B, T)``, or floats of shape ``(B, T, size)``; T is at least 1. A call must
                not change them in place.
            state: The state that an earlier call returned; ``None`` at the beginning.
            mask: Bool of shape ``(B, T)``, false for padding. Padding is on the left or on the right of a
                row. If these tokens contain no padding, the mask is true everywhere or ``None``.

        Returns:
            Outputs, floats of shape ``(B, T, ...)``, and the state after the last token, of any type.
        """
        raise NotImplementedError

    def reorder(self, state: State, rows: Tensor) -> State:
        """Return a state whose row i is row ``rows[i]`` of ``state``.

        Args:
            state: The state that a call returned. It may be modified.
            rows: int64 of shape ``(N,)``. Rows may repeat or be omitted. Unless ``without`` contains
                ``resize``, N may differ from the state's number of rows: a beam search begins with one row
                that becomes several.
        """
        raise NotImplementedError

    def clear(self, state: State) -> State:
        """Return a cleared state, equivalent to the initial state; the argument may be modified."""
        raise NotImplementedError

    def rewind(self, state: State, tokens: int) -> State:
        """Return the state before its last tokens, as after rejected drafts; the argument may be modified.

        Args:
            state: The state that a call returned.
            tokens: Number of last tokens to forget. They may span several calls, or only a part of one call.
        """
        raise NotImplementedError

    def snapshot(self, state: State) -> State:
        """Return a snapshot, of any type, that does not change when the state changes."""
        raise NotImplementedError

    def restore(self, snapshot: State) -> State:
        """Return the state of a snapshot; the snapshot can be restored more than once.

        By default, a snapshot is an independent copy of a state, and ``restore`` returns another copy.
        """
        return self.snapshot(snapshot)

    def name(self) -> str:
        """Return the model's name for the report."""
        return type(self).__name__

    def optional(self) -> frozenset[str]:
        """Return which of the laws ``rewind`` and ``snapshot`` cannot be tested without their methods."""
        own = type(self)
        return frozenset(
            name for name in ("rewind", "snapshot") if getattr(own, name) is getattr(StatefulModel, name)
        )

    def missing_methods(self) -> list[str]:
        """Return which of ``reorder`` and ``clear`` are neither defined nor excluded by ``without``."""
        own = type(self)
        missing = {
            name for name in ("reorder", "clear") if getattr(own, name) is getattr(StatefulModel, name)
        }
        return sorted(missing - self.without)
