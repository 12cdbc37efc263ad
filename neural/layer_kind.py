"""Records of the kinds of layers.

A record contains a layer's class, its options, its first states, and a function that converts its gates to
the weights of the claim about the layer. Each layer's module ends with its record, and :func:`layer_kinds`
collects all records. Random layers, stored counterexamples, evidence, tests and documentation use them.

>>> from neural.layer_kind import layer_kinds
>>> layer_kinds()["rrnn-b"].cls
<class 'neural.rrnn_b.RRNNB'>
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

import neural
from neural.layer import Recurrent

Tables = Mapping[str, Any]
"""The values of a layer's gates by name: a table keyed by the window of symbols, or a single value."""
ClaimWeights = tuple[tuple[str, int] | None, dict[str, Any]]
"""The name and the value of the claim's size parameter, and the weights by name.

The first item is ``None`` if the claim has no size parameter.
"""

FLAG = st.booleans()
NONLINEARITY = st.sampled_from(["tanh", "identity"])
BIAS: dict[str, st.SearchStrategy[Any]] = {"bias": FLAG}
GATED: dict[str, st.SearchStrategy[Any]] = {"output_gate": FLAG, "bias": FLAG}
"""Options that several kinds share."""
STARTS: st.SearchStrategy[float | None] = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-2, 2, width=32)
"""First states c_0; ``None`` is the semiring's zero."""


def one_state(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the weights of a claim whose only first state is c_0: the gates by name, and c_0."""
    return None, {"c_0": start, **tables}


def two_states(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the weights of a claim whose first states are c1_0 and c2_0: the gates by name, and both."""
    return None, {"c1_0": start, "c2_0": start, **tables}


def windowed(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Return the size K and the weights of a claim whose gates read windows of K symbols.

    The weights are c_0 and the gates by name.
    """
    return ("K", layer.cell.window), {"c_0": start, **tables}


def constant(table: Any) -> Any:
    """Return the value of a gate that is equal for all symbols, from the table of its values."""
    return next(iter(table.values())) if isinstance(table, dict) else table


@dataclass(frozen=True)
class LayerKind:
    """A record of one kind of layer whose units are automata.

    Attributes:
        name: the name in files and on the command line, for example ``"rrnn-b"``.
        cls: the layer's class; called with the options, ``input_size``, ``hidden_size``, ``dtype`` and
            ``device``.
        options: a Hypothesis strategy for each option that changes the scores or their computation.
        starts: a Hypothesis strategy for c_0, the same for all units; ``None`` is the semiring's zero.
        weights: a function that maps a layer, its gates' tables and c_0 (exact numbers) to the claim's size
            and weights (:class:`theory.weights.Weights`).
    """

    name: str
    cls: type[Recurrent]
    options: Mapping[str, st.SearchStrategy[Any]] = field(default_factory=lambda: BIAS)
    starts: st.SearchStrategy[float | None] = STARTS
    weights: Callable[[Recurrent, Tables, Any], ClaimWeights] = one_state

    def shapes(self, options: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """Return the shape of each parameter of a layer with these options, without allocating memory."""
        cell = self.cls(**options, device="meta").cell
        return {name: tuple(values.shape) for name, values in cell.state_dict().items()}


@cache
def layer_kinds() -> dict[str, LayerKind]:
    """Return the records of all kinds of layers by name, collected from the modules in ``neural/``."""
    kinds: dict[str, LayerKind] = {}
    for module in pkgutil.walk_packages(neural.__path__, "neural."):
        if module.name.startswith("neural.scan."):  # has no layers, and Triton is slow to import
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, LayerKind) and kinds.setdefault(value.name, value) is not value:
                raise ValueError(f"layer names must be unique, got {value.name} twice")
    return dict(sorted(kinds.items()))
