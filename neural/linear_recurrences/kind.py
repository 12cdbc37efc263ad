"""The options of linear recurrences, and the conversion of a layer's gates to the weights of its claim."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from neural.layer import Recurrent
from neural.layer_kind import ClaimWeights, Tables

KEYS = {"keys": st.integers(1, 3)}
MINUS = {"minus": Fraction(-1)}
"""The constant -1 for claims that subtract, because a claim's only operations are sums and products."""


class KeyedLayer(Recurrent):
    """The base class of layers whose state has the size of a key vector, such as GLA.

    Args:
        keys: K, the length of a key vector. Defaults to 2.
    """


def column(
    *states: str, letter: str = "K", size: str = "keys"
) -> Callable[[Recurrent, Tables, Any], ClaimWeights]:
    """Return a function that converts the gates of a layer with keys to the weights of its claim.

    Args:
        states: the claim's names of the vectors in the layer's state, such as ``"s"``.
        letter: the name of the claim's size parameter.
        size: the layer's attribute with the value of the size parameter: ``keys``, ``chunk`` or ``window``.
    """

    def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
        first = {f"{state}_0": (start,) * layer.keys for state in states}
        return (letter, getattr(layer, size)), {**first, **MINUS, **vectors(tables)}

    return weights


def unit(*states: str) -> Callable[[Recurrent, Tables, Any], ClaimWeights]:
    """Return a function that converts the gates of a layer without keys to the weights of its claim.

    Args:
        states: the claim's names of the components of the layer's state, such as ``"h"``.
    """

    def weights(layer: Recurrent, tables: Tables, start: Any) -> ClaimWeights:
        return None, {**{f"{state}_0": start for state in states}, **MINUS, **tables}

    return weights


def vectors(tables: Tables) -> dict[str, Any]:
    """Merge the tables of gates named ``k[1]``, ``k[2]``, ... into one table ``k`` of vectors.

    The other tables are returned unchanged.
    """
    parts: dict[str, list[Any]] = {}
    for name, table in tables.items():
        parts.setdefault(name.partition("[")[0], []).append(table)
    return {name: parts[name][0] if f"{name}[1]" not in tables else _zipped(parts[name]) for name in parts}


def _zipped(tables: list[Any]) -> Any:
    if not isinstance(tables[0], dict):
        return tuple(tables)
    return {key: tuple(table[key] for table in tables) for key in tables[0]}
