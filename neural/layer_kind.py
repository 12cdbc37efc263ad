"""The record of a kind of layer: its class, its options, its first states, and its gates as the weights of a
claim.

A layer's file ends with its record, and everything else finds it there (:func:`layer_kinds`): random layers,
kept counterexamples, evidence, tests, and the pages.

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
"""By gate: a table by window of symbols, or one value where no symbol changes it."""
ClaimWeights = tuple[tuple[str, int] | None, dict[str, Any]]
"""A claim's name for the network's size with the size (``None`` where it has but one), and the weights by
name.
"""

FLAG = st.booleans()
NONLINEARITY = st.sampled_from(["tanh", "identity"])
BIAS: dict[str, st.SearchStrategy[Any]] = {"bias": FLAG}
GATED: dict[str, st.SearchStrategy[Any]] = {"output_gate": FLAG, "bias": FLAG}
"""Options that many kinds share."""
STARTS: st.SearchStrategy[float | None] = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-2, 2, width=32)
"""First states c_0; ``None`` is the semiring's zero."""


def one_state(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """The gates as they are, and c_0."""
    return None, {"c_0": start, **tables}


def two_states(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """The gates as they are, and c1_0 and c2_0."""
    return None, {"c1_0": start, "c2_0": start, **tables}


def windowed(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
    """Gates that read windows of K symbols."""
    return ("K", layer.cell.window), {"c_0": start, **tables}


def constant(table: Any) -> Any:
    """The value that a table has for every symbol."""
    return next(iter(table.values())) if isinstance(table, dict) else table


@dataclass(frozen=True)
class LayerKind:
    """A kind of layer whose units are automata.

    Attributes:
        name: in files and on the command line, ``"rrnn-b"``.
        cls: the layer's class; called with the options, ``input_size``, ``hidden_size``, ``dtype`` and
            ``device``.
        options: those that change what is scored, or how: a strategy for each.
        starts: a strategy for c_0, the same for all units; ``None`` is the semiring's zero.
        weights: from a layer, its gates' tables and c_0 (exact numbers), what the claims call its size and
            its weights (:class:`theory.weights.Weights`).
    """

    name: str
    cls: type[Recurrent]
    options: Mapping[str, st.SearchStrategy[Any]] = field(default_factory=lambda: BIAS)
    starts: st.SearchStrategy[float | None] = STARTS
    weights: Callable[[Recurrent, Tables, Any], ClaimWeights] = one_state

    def shapes(self, options: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """The shape of each parameter of a layer with these options; no memory is allocated."""
        cell = self.cls(**options, device="meta").cell
        return {name: tuple(values.shape) for name, values in cell.state_dict().items()}


@cache
def layer_kinds() -> dict[str, LayerKind]:
    """Every kind by its name, as the files below ``neural/`` have them."""
    kinds: dict[str, LayerKind] = {}
    for module in pkgutil.walk_packages(neural.__path__, "neural."):
        if module.name.startswith("neural.scan."):  # no layers, and Triton takes a while to import
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, LayerKind) and kinds.setdefault(value.name, value) is not value:
                raise ValueError(f"two layers have the name {value.name}")
    return dict(sorted(kinds.items()))
