"""The rungs that torch networks stand on, as assertions: the fast layer against its automata, and its gates
in the claim's recurrence.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from automata.strategies import readings
from ratproof.record.ledger import ledger
from ratproof.rungs.agreement import agree
from ratproof.rungs.decided import decide_units, read
from ratproof.sides.chernoff import FALSE_ALARM, power, threshold
from ratproof.sides.layer_weights import weights_of
from ratproof.sides.strategies import MOST_CENTROIDS, networks, sampled_layers
from theory.claim import Variant

STARTS = st.sampled_from([0.0, 1.0, -0.5]) | st.floats(-2, 2, width=32)


def sampled(
    claim: str, variant: Variant, kind: str, dtype: str, device: str, data: st.DataObject, most: int = 60
) -> None:
    """Random layers of that kind, with random options, weights and start, on random strings: within the
    derived rounding bound.
    """
    names, strings = data.draw(readings(most=most))
    network = data.draw(networks("abc", kind, claim, variant.name, dtype, device, start=starts(kind)))
    agree(network.renamed(names), strings)


def decided(claim: str, variant: Variant, kind: str, dtype: str, device: str, data: st.DataObject) -> None:
    """All strings, for the float gates that a layer computes: in the claim's recurrence they make the layer's
    automata.
    """
    network = data.draw(networks("ab", kind, claim, variant.name, dtype, device, start=starts(kind)))
    units = range(network.network.hidden_size)
    shown = [read(variant.recurrence, weights_of(network, unit)) for unit in units]
    decide_units(
        network,
        [automata[unit % len(automata)] for unit, automata in zip(units, shown, strict=True)],
        network.automata(),
    )


EXAMPLES, STRINGS, RUNS = 10, 3, 10_000
LAYERS = [("sr-elman", "float32"), ("sr-elman", "float64"), ("sr-gru", "float32"), ("sr-gru", "float64")]
TESTS = EXAMPLES * STRINGS * MOST_CENTROIDS * len(LAYERS)
"""How many counts are held against a probability, at most, when :func:`sampled_runs` is given so many
examples of each of these layers.
"""


def sampled_runs(
    claim: str, variant: Variant, kind: str, dtype: str, device: str, data: st.DataObject
) -> None:
    """Random layers that sample their centroids, on random strings: how often they end at each, against the
    automaton's scores.

    With ``EXAMPLES`` examples for each of ``LAYERS``, any alarm at all is false one time in a million.
    """
    names, some = data.draw(readings(most=STRINGS, longest=6, run=8))
    layers = sampled_layers("abc", kind, claim, variant.name, RUNS, TESTS, dtype, device)
    finds = power(RUNS, threshold(TESTS))
    ledger().facts.update(runs=RUNS, tests=TESTS, false_alarm=FALSE_ALARM, finds=finds)
    agree(data.draw(layers).renamed(names), some)


def starts(kind: str) -> Any:
    """Where networks of that kind may start."""
    return st.none() | STARTS if kind == "rrnn-b-max-plus" else STARTS
