"""Tests that lumped automata are equal, and that an independent program checks the certificates."""

import copy
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata.equivalence import equivalent
from automata.equivalence.certificates import Lumped
from automata.equivalence.lumping import lump
from automata.forward import score
from automata.operations import hadamard, reverse, sum_of
from automata.semirings import LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.automata.same_scores import add_useless_states, nudged, permute_states, split_a_state
from ratproof.checkers import check_bisimulation

CHANGES = [permute_states, split_a_state, add_useless_states]
NO_FIELDS = st.sampled_from([MAX_PLUS, MIN_PLUS, MAX_TIMES])


@st.composite
def pairs(draw):
    """Draw an automaton, and an equivalent one with split, reordered and useless states."""
    a = draw(automata(draw(NO_FIELDS), alphabet="ab", most_states=4, epsilon="none"))
    b = a
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=3)):
        b = change(draw, b)
    return a, b


@settings(max_examples=60)
@given(pairs(), st.booleans())
def test_a_lumped_pair_has_a_certificate_that_is_accepted(pair, mirrored):
    a, b = (reverse(side) for side in pair) if mirrored else pair
    answer = lump(a, b)
    assume(answer is not None)
    assert isinstance(answer.certificate, Lumped)
    assert check_bisimulation.verdict(answer.certificate.to_json()) == "equivalent"


@settings(max_examples=60)
@given(pairs(), st.data())
def test_automata_reported_as_equal_are_equal(pair, data):
    """This holds for automata that may differ in a weight."""
    a, b = pair
    b = nudged(data.draw, b) if data.draw(st.booleans()) else b
    if lump(a, b) is not None:
        for string in data.draw(st.lists(strings("ab", 6, 8), min_size=1, max_size=8)):
            assert score(a, string) == score(b, string)


@given(pairs(), st.data())
def test_an_automaton_with_reordered_states_is_equal(pair, data):
    a, _ = pair
    assert lump(a, permute_states(data.draw, a)) is not None


@settings(max_examples=40)
@given(pairs(), st.data())
def test_a_changed_weight_in_a_certificate_is_rejected(pair, data):
    """Changing one initial or final weight of the third automaton invalidates the certificate."""
    answer = lump(*pair)
    assume(answer is not None and answer.certificate.through.states and answer.certificate.of_a)
    certificate = copy.deepcopy(answer.certificate.to_json())
    ends = [
        (name, index) for name in ("initial", "final") for index in range(len(certificate["through"][name]))
    ]
    assume(ends)
    name, index = data.draw(st.sampled_from(ends))
    entry = certificate["through"][name][index]
    entry[-1] = "17" if entry[-1] != "17" else "18"
    with pytest.raises(ValueError):
        check_bisimulation.verdict(certificate)


def test_over_log_summands_are_compared_instead_of_sums():
    """The sum log(e^1 + e^2) is not rational, so it cannot be compared exactly. Its summands can."""
    one = WFSA(LOG, [0.0, 0.0], [1.0, 2.0], {"a": [[0.5, 1.0], [1.0, 0.5]]})
    other = WFSA(LOG, [0.0, 0.0], [2.0, 1.0], {"a": [[0.5, 1.0], [1.0, 0.5]]})
    assert lump(one, other).verdict == "equivalent"
    assert lump(one, WFSA(LOG, [0.0, 0.0], [2.0, 1.5], {"a": [[0.5, 1.0], [1.0, 0.5]]})) is None


@pytest.mark.parametrize("operation", [sum_of, hadamard])
def test_an_operation_keeps_that_the_weights_of_either_operand_are_sums_of_logarithms(operation):
    """The weight log(e^0 + e^0) is irrational, and the float log(2) is not equal to it."""
    twice = WFSA.from_edges(LOG, 1, "a", [(0, 0)], [(0, 0)], [(0, 0, "a", 0)] * 2)
    rounded = WFSA(LOG, [0.0], [0.0], {"a": [[math.log(2)]]})
    one = (
        WFSA(LOG, [0.0], [0.0], {"a": [[0.0]]})
        if operation is hadamard
        else WFSA.from_edges(LOG, 0, "a", [], [], [])
    )
    for combined in (operation(one, twice), operation(twice, one)):
        assert equivalent(combined, rounded).verdict == "unknown"
