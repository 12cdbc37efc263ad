"""The rungs that torch networks stand on, as assertions: the fast layer against its automata, and its gates in the claim's recurrence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from automata.strategies import readings
from ratproof.agree import agree
from ratproof.decide import decide_units, read
from ratproof.networks import OfNetwork
from ratproof.strategies import networks
from theory.claim import Variant
from theory.weights import Weights

STARTS = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-2, 2, width=32)
SIZES = {"qrnn": "K", "t-gru": "K", "t-lstm": "K", "rcnn": "n", "isan": "d", "linear-elman": "d"}
"""What the claims call the size of a network, where it has one."""


def sampled(claim: str, variant: Variant, kind: str, dtype: str, device: str, data: st.DataObject, most: int = 60) -> None:
    """Random layers of that kind, with random options, weights and start, on random strings: within the derived rounding bound."""
    names, strings = data.draw(readings(most=most))
    network = data.draw(networks("abc", kind, claim, variant.name, dtype, device, start=starts(kind)))
    agree(network.renamed(names), strings)


def decided(claim: str, variant: Variant, kind: str, dtype: str, device: str, data: st.DataObject) -> None:
    """All strings, for the float gates that a layer computes: in the claim's recurrence they make the layer's automata."""
    network = data.draw(networks("ab", kind, claim, variant.name, dtype, device, start=starts(kind)))
    units = range(network.network.hidden_size)
    shown = [read(variant.recurrence, weights_of(network, unit)) for unit in units]
    decide_units(
        network, [automata[unit % len(automata)] for unit, automata in zip(units, shown, strict=True)], network.automata()
    )


def starts(kind: str) -> Any:
    """Where networks of that kind may start."""
    return st.none() | STARTS if kind == "rrnn-b-max-plus" else STARTS


def weights_of(network: OfNetwork, unit: int) -> Weights:
    """The gates that the layer computes, each float the fraction that it is, by the names that the claims have for them."""
    over = network.network.cell.semiring
    tables = {name: {"".join(window): _exact(w) for window, w in table.items()} for name, table in network.tables(unit).items()}
    entries: dict[str, Any] = {name: table[""] if set(table) == {""} else table for name, table in tables.items()}
    size = SIZES.get(network.kind)
    number = {"K": network.network.cell.window, "n": network.options.get("order", 2), "d": network.network.hidden_size}.get(
        size or "", 1
    )
    start = _start(network)
    entries |= {"c1_0": start, "c2_0": start} if network.kind in ("rrnn-c", "rrnn-f") else {"c_0": start}
    if network.kind == "rcnn":
        updates = [tables[f"u{j}"] for j in range(1, number + 1)]
        entries["u"] = {x: tuple(update[x] for update in updates) for x in updates[0]}
    if network.kind == "scrn":
        entries["alpha"] = next(iter(tables["f"].values()))
    if network.kind == "linear-elman":
        matrix = tables["W"]
        entries |= {"W": matrix[""] if "" in matrix else next(iter(matrix.values())), "v": tables["b"]}
    if size in ("n", "d"):
        entries["c_0"] = (start,) * number
    return Weights(over, "".join(network.alphabet), entries, None if size is None else (size, number))


def _start(network: OfNetwork) -> Any:
    """c_0 as the layer's floats hold it."""
    if network.start is None or not network.automata_know_start:
        return network.network.cell.semiring.zero
    return Fraction(float(next(network.network.parameters()).new_tensor(network.start)))


def _exact(value: Any) -> Any:
    return tuple(map(_exact, value)) if isinstance(value, list) else Fraction(value)
