"""A layer's gates as the weights of a claim: the floats that it computes, each the fraction that it is, by
the names that claims have.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ratproof.sides.layer import OfNetwork
from theory.weights import Weights

Tables = dict[str, Any]
"""By gate: a table by window of symbols, or one value where no symbol changes it."""


def weights_of(network: OfNetwork, unit: int) -> Weights:
    """The weights of the unit (of all units, where they read each other) that the network's automata are made
    of.
    """
    start = _start(network)
    size, entries = SHAPES.get(network.kind, _of_one_state)(network, _tables(network, unit), start)
    return Weights(network.network.cell.semiring, "".join(network.alphabet), entries, size)


def _tables(network: OfNetwork, unit: int) -> Tables:
    found: Tables = {}
    for name, table in network.tables(unit).items():
        exact = {"".join(window): _exact(value) for window, value in table.items()}
        found[name] = exact[""] if set(exact) == {""} else exact
    return found


def _start(network: OfNetwork) -> Any:
    """c_0 as the layer's floats hold it."""
    if network.start is None or not network.automata_know_start:
        return network.network.cell.semiring.zero
    return Fraction(float(next(network.network.parameters()).new_tensor(network.start)))


def _exact(value: Any) -> Any:
    return tuple(map(_exact, value)) if isinstance(value, list) else Fraction(value)


Shaped = tuple[tuple[str, int] | None, Tables]
"""What a claim calls the network's size, and the size; and the entries."""


def _of_one_state(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    return None, {"c_0": start, **tables}


def _of_two_states(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    return None, {"c1_0": start, "c2_0": start, **tables}


def _windowed(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    return ("K", network.network.cell.window), {"c_0": start, **tables}


def _scrn(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    """The same alpha for every symbol."""
    return None, {"c_0": start, "alpha": _constant(tables["f"]), "u": tables["u"]}


def _rcnn(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    """u1, ..., un as one vector."""
    n = network.network.cell.c_states
    updates = {x: tuple(tables[f"u{j}"][x] for j in range(1, n + 1)) for x in tables["u1"]}
    return ("n", n), {"c_0": (start,) * n, "f": tables["f"], "u": updates}


def _isan(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    d = network.network.hidden_size
    return ("d", d), {"c_0": (start,) * d, **tables}


def _elman(network: OfNetwork, tables: Tables, start: Any) -> Shaped:
    """The same W for every symbol, and W_v v + b as v."""
    d = network.network.hidden_size
    return ("d", d), {"c_0": (start,) * d, "W": _constant(tables["W"]), "v": tables["b"]}


def _constant(table: Any) -> Any:
    return next(iter(table.values())) if isinstance(table, dict) else table


SHAPES: dict[str, Callable[[OfNetwork, Tables, Any], Shaped]] = {
    "rrnn-c": _of_two_states,
    "rrnn-f": _of_two_states,
    "qrnn": _windowed,
    "t-gru": _windowed,
    "t-lstm": _windowed,
    "scrn": _scrn,
    "rcnn": _rcnn,
    "isan": _isan,
    "linear-elman": _elman,
}
"""How the claims have the weights of a kind of network; c_0 and the tables as they are, for the others."""
