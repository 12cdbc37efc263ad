"""Tests of boxes from which words of several symbols lead to boxes, and of their certificates."""

import itertools
import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.papers.certification.latches import (
    ALPHABET,
    LAST,
    MACHINE,
    SEEN,
    drifting,
    last_of_three,
    latch,
)
from proofs_tests.papers.certification.ordinary import CELLS
from proofs_tests.papers.certification.test_check_regions import constant
from proofs_tests.papers.certification.test_region_steps import drawn, region_of, torch_step
from proofs_tests.ratproof.certificate_files import changed
from ratproof.certification.ordinary_networks import word_trees
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.certificate import to_json
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.certification.ordinary_networks.word_trees import (
    WordTrees,
    find_word_trees,
    with_errors_as_generators,
)
from ratproof.checkers import check_regions
from ratproof.checkers.check_regions import ONE
from ratproof.checkers.table import judge

cells = pytest.mark.parametrize("cell", CELLS)
seeds = st.integers(0, 10**6)


def boxes_of(parts, machine=MACHINE, seconds=20.0):
    """Return the network of a recurrent layer and a classifier, and the result of the search for boxes."""
    network = network_of_parts(*parts, np.eye(len(machine.alphabet)), 0.0, machine.alphabet)
    return network, find_word_trees(network, machine.minimal(), time.monotonic() + seconds)


def certificate_of(network, machine, boxes):
    """Return the certificate as it is read from a file."""
    return json.loads(json.dumps(to_json(network, machine.minimal(), boxes)))


@pytest.fixture(scope="module")
def closed():
    """Return a GRU, its boxes and its certificate; some boxes need words of several symbols."""
    network, boxes = boxes_of(latch("gru", 2))
    assert isinstance(boxes, WordTrees)
    assert any(len(word) > 1 for tree in boxes.trees for word in tree)
    return network, boxes, certificate_of(network, MACHINE, boxes)


@cells
@pytest.mark.parametrize("layers", [1, 2])
def test_the_checker_accepts_the_boxes_of_a_latch(cell, layers):
    network, boxes = boxes_of(latch(cell, layers))
    assert isinstance(boxes, WordTrees)
    assert judge(certificate_of(network, MACHINE, boxes)).verdict == "accepted"


def test_the_checker_accepts_the_boxes_of_three_classes():
    network, boxes = boxes_of(last_of_three(), LAST)
    assert judge(certificate_of(network, LAST, boxes)).verdict == "accepted"


def test_the_words_of_a_tree_are_complete_and_no_word_is_a_prefix_of_another(closed):
    _, boxes, _ = closed
    for tree in boxes.trees:
        assert sum(len(ALPHABET) ** -len(word) for word in tree) == pytest.approx(1, abs=1e-12)
        assert not any(word[:end] in tree for word in tree for end in range(len(word)))


@settings(max_examples=20)
@given(st.data())
def test_every_state_of_a_box_goes_to_the_boxes_of_its_words(closed, data):
    network, boxes, _ = closed
    box = data.draw(st.integers(0, len(boxes) - 1))
    xi = np.random.default_rng(data.draw(seeds)).uniform(-1, 1, (50, network.size))
    for word, target in boxes.trees[box].items():
        states = Points(boxes.centers[box] + boxes.widths[box] * xi)
        for symbol in word:
            states = network.step(states, np.full(len(xi), symbol))
        assert (np.abs(states.center - boxes.centers[target]) <= boxes.widths[target]).all()


def paths(row, path=()):
    """Yield the path of each successor and each list in a nested ``next``."""
    for symbol, target in enumerate(row):
        yield (*path, symbol), target
        if isinstance(target, list):
            yield from paths(target, (*path, symbol))


def changes(certificate):
    """Yield the path and the new value of each change of the certificate that makes the proof invalid."""
    nodes = certificate["nodes"]
    reached = {target for node in nodes for _, target in paths(node["next"]) if isinstance(target, int)}
    for index, node in enumerate(nodes):
        for factor in (0.0, 2.0**12) if index in reached else ():
            widths = [float(np.float32(float.fromhex(width) * factor)).hex() for width in node["width"]]
            yield ("nodes", index, "width"), widths
        for path, target in paths(node["next"]):
            wrong = [len(nodes), -1, True, None, [], [target] * 2, {}]
            if isinstance(target, int):
                wrong += [i for i, other in enumerate(nodes) if other["state"] != nodes[target]["state"]][:1]
            for value in wrong:
                yield ("nodes", index, "next", *path), value
    for state, label in enumerate(certificate["automaton"]["label"]):
        yield ("automaton", "label", state), label ^ 1


def test_the_checker_rejects_changed_trees(closed):
    _, _, certificate = closed
    every = list(changes(certificate))
    shapes = [change for change in every if "width" in change[0]]
    chosen = np.random.default_rng(0).permutation(len(every))[:30]
    for path, value in [*shapes, *(every[i] for i in chosen)]:
        answer = judge(changed(certificate, path, value))
        assert answer.verdict == "rejected", (path, value)
        assert "malformed" not in str(answer.why), (path, value, answer.why)


def test_an_image_in_a_list_is_checked():
    """The network's state is tanh(1) after every symbol, and its output is 1."""
    certificate = constant("rnn_tanh", {"width": [(0.5).hex()]})
    certificate["network"]["layers"][0]["input_bias"] = [(1.0).hex()]
    certificate["automaton"] = {"start": 0, "next": [[1], [0]], "label": [1, 1]}
    start = {**certificate["nodes"][0], "next": [[1]]}
    later = {**start, "center": [float(np.float32(np.tanh(1.0))).hex()]}
    certificate["nodes"] = [start, later]
    assert judge(certificate).verdict == "accepted"
    certificate["automaton"]["label"] = [1, 0]  # only images in lists have the state 1
    assert "an image has another decision" in str(judge(certificate).why)
    certificate["automaton"]["label"] = [1, 1]
    start["next"] = [[0]]
    assert "leads out of node 0's region" in str(judge(certificate).why)


@cells
@settings(max_examples=15)
@given(seeds, st.integers(1, 2), st.lists(st.integers(0, 1), min_size=2, max_size=6))
def test_words_of_torch_stay_in_the_images(cell, seed, layers, word):
    """The checker's forms contain torch's float32 states after each symbol of a word, also in directions."""
    rnn, _, network, checker = drawn(cell, seed, layers, scale=1.2)
    rng = np.random.default_rng(seed)
    region, forms = region_of(rng, network.size, True, 0.05)
    xi = rng.uniform(-0.999, 0.999, (200, network.size))
    states = (forms.center + xi @ forms.generators[0].T).astype(np.float32).astype(float)
    images, floats = region.forms(), forms
    for symbol in word:
        _, states = torch_step(rnn, states, network.embeddings[symbol])
        images = check_regions.with_errors_as_generators(list(checker.images(images))[symbol])
        floats = with_errors_as_generators(network.step(floats, np.array([symbol])))
        for direction in (*np.eye(network.size), *rng.normal(size=(5, network.size))):
            center = sum(d * x.c / ONE for d, x in zip(direction, images, strict=True))
            generators = direction @ (np.array([x.g for x in images], float) / ONE)
            reach = np.abs(generators).sum() + np.abs(direction).sum() * 1e-9
            assert (np.abs(states @ direction - center) <= reach).all()
        ours = np.array([x.g for x in images], float) / ONE
        np.testing.assert_allclose(ours, floats.generators[0], rtol=1e-5, atol=1e-6)


def test_the_length_is_that_of_the_shortest_string_to_a_box_that_was_not_followed():
    network, _ = boxes_of(latch("gru"))
    attempt = word_trees._Attempt(network, MACHINE, [], np.ones(2), np.ones(2), 0.0)
    attempt.trees = [{(0,): 1, (1, 0): 2}, {(0, 0, 0, 0): 0, (1,): 2}, {(0,): 3}, {}]
    assert attempt.length() == 3  # 1 0, then 0
    attempt.trees[0] = {(0,): 1, (1, 0, 1, 1): 2}
    assert attempt.length() == 3  # 0, 1, then 0


def test_without_boxes_all_decisions_up_to_the_length_are_correct(closed, monkeypatch):
    """A limit stops the search before the last box; the length that remains is correct for all strings."""
    monkeypatch.setattr(word_trees, "MOST_BOXES", len(closed[1]) - 1)
    network, answer = boxes_of(latch("gru", 2))
    assert isinstance(answer, tuple) and answer[0] >= 1 and "boxes" in answer[1]
    wrong = network_of_parts(*latch("rnn_tanh"), np.eye(3)[[1, 0, 2]], 0.0, ALPHABET)
    length, why = find_word_trees(wrong, MACHINE.minimal(), time.monotonic() + 5)
    assert length == 0 and "decisions differ" in why
    for word in itertools.product(range(3), repeat=min(answer[0], 5)):
        states, state = Points(network.start[None]), MACHINE.start
        for symbol in word:
            states, state = network.step(states, [symbol]), MACHINE.table[state][symbol]
            assert network.decide(states.center)[0] == MACHINE.outputs[state]


def test_smaller_boxes_are_used_if_they_need_fewer_words(monkeypatch):
    network, boxes = boxes_of(drifting(), SEEN)
    assert judge(certificate_of(network, SEEN, boxes)).verdict == "accepted"
    monkeypatch.setattr(word_trees, "_with_fewer_words", lambda attempt: attempt)
    _, first = boxes_of(drifting(), SEEN)
    assert sum(map(len, boxes.trees)) < sum(map(len, first.trees))
