"""Tests of boxes for absorbing states of the automaton, in which the network's states keep changing."""

import itertools
import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.moore import Moore
from proofs_tests.papers.certification.latches import MACHINE, SEEN, drifting, latch
from proofs_tests.papers.certification.test_region_steps import torch_step
from ratproof.certification.ordinary_networks import absorbing, word_trees
from ratproof.certification.ordinary_networks.absorbing import absorbing_boxes
from ratproof.certification.ordinary_networks.certificate import to_json
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.certification.ordinary_networks.word_trees import WordTrees, find_word_trees
from ratproof.checkers.table import judge


def network_of(parts, machine):
    return network_of_parts(*parts, np.eye(len(machine.alphabet)), 0.0, machine.alphabet)


def boxes_of(parts, machine):
    return absorbing_boxes(network_of(parts, machine), machine, time.monotonic() + 60)


def proof(sign=1):
    """Return a network whose memory drifts, the boxes of its proof, and the certificate."""
    network = network_of(drifting(sign), SEEN)
    boxes = find_word_trees(network, SEEN, time.monotonic() + 60)
    assert isinstance(boxes, WordTrees)
    return network, boxes, json.loads(json.dumps(to_json(network, SEEN, boxes)))


@pytest.mark.parametrize("sign, key", [(-1, 0), (1, 2)])
def test_a_drifting_memory_needs_boxes_of_the_absorbing_state(sign, key, monkeypatch):
    monkeypatch.setattr(absorbing, "KEYS", (key,))
    network, boxes, certificate = proof(sign)
    assert boxes.widths.max() > 10_000  # the memory grows to about 22,000
    assert judge(certificate).verdict == "accepted"
    monkeypatch.setattr(word_trees, "absorbing_boxes", lambda *_: [])
    length, why = find_word_trees(network, SEEN, time.monotonic() + 5)
    assert isinstance(length, int) and why


@pytest.fixture(scope="module")
def absorbed():
    (boxes,) = boxes_of(drifting(), SEEN)
    return boxes


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 1), min_size=1, max_size=8))
def test_no_string_leads_out_of_the_boxes(absorbed, seed, word):
    """Each symbol leads from torch's float32 states in a box, also at its ends, to states in the next."""
    boxes, rng = absorbed, np.random.default_rng(seed)
    xi = rng.choice([-1, 1, *rng.uniform(-1, 1, 4)], (50, 2))
    box = rng.integers(len(boxes.centers))
    states = boxes.centers[box] + boxes.widths[box] * xi
    for symbol in word:
        _, states = torch_step(drifting()[0], states, np.eye(2)[symbol])
        box = boxes.edges[box, symbol]
        assert (np.abs(states - boxes.centers[box]) <= boxes.widths[box]).all()


@pytest.mark.parametrize("least, most", [(2.0, None), (None, 5000.0)])
def test_boxes_without_reached_states_are_rejected(least, most):
    """The memory is below 1 after the first "b", and above 5,000 after many symbols."""
    _, _, certificate = proof()
    large = [node for node in certificate["nodes"] if float.fromhex(node["width"][1]) > 1000]
    assert large
    for node in large:
        center, width = (float.fromhex(node[name][1]) for name in ("center", "width"))
        low, high = least or center - width, most or center + width
        node["center"][1] = float(np.float32((low + high) / 2)).hex()
        node["width"][1] = float(np.float32((high - low) / 2)).hex()
    assert judge(certificate).verdict == "rejected"


def test_only_absorbing_states_have_boxes(absorbed):
    assert boxes_of(latch("lstm"), MACHINE) == []
    never = Moore(SEEN.alphabet, 0, SEEN.table, (1, 0))
    assert boxes_of(drifting(), never) == []  # the network's decision is the other one
    assert absorbed.state == 1


def test_boxes_of_last_symbols_lead_to_those_of_the_next(monkeypatch):
    monkeypatch.setattr(absorbing, "KEYS", (3,))
    (boxes,) = boxes_of(drifting(), SEEN)
    words = list(itertools.product(range(2), repeat=3))
    for box, word in enumerate(words):
        for symbol in range(2):
            assert words[boxes.edges[box, symbol]] == (*word[1:], symbol)


@pytest.mark.parametrize("wait", [0, 5, 20])
def test_the_first_symbols_in_an_absorbing_state_are_left_out(wait):
    """The memory grows by almost 1 with every symbol in the absorbing state."""
    low, high = absorbing._Samples(network_of(drifting(), SEEN), SEEN).hulls(1, 0, wait)
    assert wait + 0.5 < low[0, 1] < wait + 1 and high[0, 1] > 250


@pytest.mark.parametrize("symbols", [300, 7000])
def test_large_alphabets_have_one_box_or_none(symbols):
    """All symbols but the first have the input of "a"."""
    alphabet = tuple(map(str, range(symbols)))
    machine = Moore(alphabet, 0, ((1, *[0] * (symbols - 1)), (1,) * symbols), (0, 1))
    vectors = np.eye(2)[[1, *[0] * (symbols - 1)]]
    network = network_of_parts(*drifting(), vectors, 0.0, alphabet)
    boxes = absorbing_boxes(network, machine, time.monotonic() + 60)
    assert [len(cover.centers) for cover in boxes] == ([1] if symbols == 300 else [])
