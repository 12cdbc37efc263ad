"""Adapters for published modules with a state, whose calling conventions differ from each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from outside.entry import Entry
from ratproof import believe_stateful
from ratproof.evidence.subjects import Subject
from ratproof.laws.models.inputs import Inputs
from ratproof.laws.models.model import StatefulModel

Run = Callable[[Tensor, Any], tuple[Tensor, Any]]


class Adapted(StatefulModel):
    """An adapter that runs a module with a given function.

    Args:
        module: The module, or ``None`` if there is none.
        run: A function of inputs, of shape ``(B, T, ...)``, and a state. It returns outputs and the next
            state.
        inputs: The kind of inputs.
    """

    def __init__(self, module: nn.Module | None, run: Run, inputs: Inputs) -> None:
        self.module, self._run, self.inputs = module, run, inputs
        self.without = frozenset({"padding", "clear"})

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Run the module on inputs and a state."""
        return self._run(inputs, state)

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """Return the state with the rows of each tensor reordered."""
        return tree_map(lambda part: part.index_select(0, rows) if isinstance(part, Tensor) else part, state)

    def name(self) -> str:
        """Return the name of the module's class, or ``the model`` if there is no module."""
        return "the model" if self.module is None else type(self.module).__name__


def by_tokens(parallel: Callable[[Tensor], Tensor], step: Run) -> Run:
    """Return a function that runs ``parallel`` in the first call, and ``step`` on each token of later calls.

    Use this function for modules whose parallel pass returns no state. The state after the first call is
    computed by steps, so the tests compare the parallel pass with the steps.
    """

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        first, outputs = state is None, []
        for token in inputs.unbind(1):
            output, state = step(token[:, None], state)
            outputs.append(output)
        return (parallel(inputs) if first else torch.cat(outputs, 1)), state

    return run


def entry(
    name: str,
    library: str,
    path: str,
    make: Callable[[], StatefulModel | nn.Module | Callable[..., Any]],
    remark: str = "",
    without: tuple[str, ...] = (),
    **declared: Any,
) -> Entry:
    """Return the table entry of a model that ``make`` creates with random weights from a fixed seed."""

    def claim(seconds: float) -> Subject:
        torch.manual_seed(0)
        return believe_stateful(name, model=make(), without=without, **declared)

    return Entry(name, library, path, claim, remark=remark)
