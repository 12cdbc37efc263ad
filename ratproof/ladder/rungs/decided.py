"""``decided`` evidence, which covers all strings for random rational weights or for a layer's floats."""

from __future__ import annotations

from hypothesis import strategies as st

from automata.errors import InputError
from ratproof.evidence.random_cases import for_random_cases
from ratproof.implementations.implementation import ExactRecurrence, Implementation, Layer
from ratproof.ladder.rungs.decision import decide, decide_units, read
from ratproof.ladder.rungs.invariant_boxes import decide_by_boxes
from ratproof.ladder.rungs.no_automaton import refute
from ratproof.ladder.rungs.on_numbers import OnNumbers
from theory.claim import Claim, Effort, Variant
from theory.reading import Following, NoAutomaton

BOXES = 100
"""Default number of random cases for which boxes are computed."""


def decided(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that networks with random weights agree with their automata on all strings.

    A certificate is recorded as evidence. The method depends on the class of the variant's reading:

    - ``Equality``: the recurrence is converted to automata. They must be equivalent to the automata that the
      claim constructs.
    - ``Following``: the most probable centroid of a state-regularized network must be the state of its DFA.
      The proof encloses the reachable mixtures of centroids in boxes.
    - ``NoAutomaton``: the variant states, falsely, that an automaton computes a network. It is refuted for
      the first unit of the cell that the reading names.

    Raises:
        InputError: If the claim is a user's own, and its reading is not ``Equality``. The other methods would
            not run the user's recurrence.
        Disagreement: If the network and its automata differ on a string.
        NoSuchAutomaton: If the reading is ``NoAutomaton``, and it is proved that no automaton computes the
            unit.
    """
    reading = variant.reading
    own = isinstance(side, ExactRecurrence) and side.own
    if own and isinstance(reading, (NoAutomaton, Following)):
        raise InputError(
            f"the reading of your own claim must be Equality to be decided, got {type(reading).__name__},"
            " which would be decided without running your recurrence"
        )
    if isinstance(reading, NoAutomaton):
        if reading.unit is None:
            raise RuntimeError(f"variant {variant.name!r}: NoAutomaton must define 'unit' to be decided")
        refute(reading.unit)
        return
    on_numbers = OnNumbers() if own else None

    def one_case(data: st.DataObject) -> None:
        if isinstance(side, Layer):
            _decide_layer(claim, variant, side, data)
            return
        assert isinstance(side, ExactRecurrence)
        comparison = side.case(claim, variant, data)
        if isinstance(reading, Following):
            decide_by_boxes(comparison)
        else:
            decide(comparison, on_numbers)

    examples = effort.examples_of("decided") or (BOXES if isinstance(reading, Following) else None)
    for_random_cases(f"{claim.name} {variant.name} decided {side.label}", side.examples or examples, one_case)


def _decide_layer(claim: Claim, variant: Variant, side: Layer, data: st.DataObject) -> None:
    """Assert that the layer's automata and the claim's recurrence have the same scores on all strings.

    Both have the layer's float gates as exact weights.
    """
    network = side.case(claim, variant, data)
    units = range(network.network.hidden_size)
    by_unit = [read(variant.reading.recurrence, network.claim_weights(unit)) for unit in units]
    by_claim = [automata[unit % len(automata)] for unit, automata in zip(units, by_unit, strict=True)]
    decide_units(network, by_claim, network.automata())
