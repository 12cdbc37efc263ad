"""The rungs that torch networks stand on, as assertions: the fast layer against its automata, and its gates in the claim's recurrence."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from automata.strategies import readings
from ratproof.agree import agree
from ratproof.decide import decide_units, read
from ratproof.network_weights import weights_of
from ratproof.strategies import networks
from theory.claim import Variant

STARTS = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-2, 2, width=32)


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
