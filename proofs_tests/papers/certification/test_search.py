"""Tests of the search for a string on which network and automaton differ.

It finds planted differences, and only reports differences that ball arithmetic confirms.
"""

import numpy as np
import pytest

from automata.moore import Moore
from proofs_tests.papers.certification.some_networks import closed, random_network
from ratproof.certification.soft_networks.boxes import _inside
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.certification.soft_networks.search import difference


def test_the_search_finds_a_planted_difference():
    """If one transition of the machine is changed, the search finds a string that takes this transition."""
    n, nodes = closed()
    machine = Certification(n, hard_automaton(n), nodes, None, "").soft
    assert machine is not None
    for state in range(machine.states):
        outputs = list(machine.outputs)
        outputs[state] = (outputs[state][0], not outputs[state][1])
        wrong = Moore(machine.alphabet, machine.start, machine.table, tuple(outputs))
        word = difference(n, wrong)
        assert word is not None and wrong.difference(machine) is not None
        assert len(word) == len(wrong.difference(machine)) and machine.output(word) != wrong.output(word)


@pytest.mark.parametrize("in_balls", [None, "as the machine"])
def test_a_difference_that_balls_do_not_confirm_is_not_reported(monkeypatch, in_balls):
    network = numbers_of(random_network(0, "sr-gru", "dot", True))
    machine = Moore(("0", "1"), 0, ((0, 0),), ("never shown",))
    assert difference(network, machine) == ()
    words = []

    def soft(numbers, word):
        words.append(word)
        return None if in_balls is None else "never shown"

    monkeypatch.setattr("ratproof.certification.soft_networks.search.soft_outputs", soft)
    assert difference(network, machine) is None and words


def test_a_point_is_inside_a_box_iff_every_coordinate_is():
    low, high = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    assert _inside(np.array([0.5, 0.5]), low, high)
    for outside in ([0.5, 1.5], [-0.5, 0.5], [1.0, 0.5], [0.5, 0.0]):
        assert not _inside(np.array(outside), low, high)
