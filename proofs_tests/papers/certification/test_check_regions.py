"""Tests that the checker of regions accepts proved certificates and rejects all changed ones."""

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from automata.moore import Moore
from proofs_tests.papers.certification.latches import LAST, MACHINE, last_of_three, latch
from proofs_tests.papers.certification.ordinary import CELLS
from proofs_tests.ratproof.certificate_files import changed
from ratproof.certification.ordinary_networks.certificate import to_json
from ratproof.certification.ordinary_networks.groups import grouped, symbol_groups
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.certification.ordinary_networks.regions import Regions
from ratproof.certification.ordinary_networks.search import find_regions
from ratproof.checkers import check_regions
from ratproof.checkers.table import judge

MOST_CHANGES = 30
Data = dict[str, Any]
Change = tuple[str, tuple[Any, ...], Any]
"""A change of a certificate: its name, the path of a value in the certificate, and the new value."""
KINDS = (*CELLS, "two layers", "three classes", "boxes", "groups")
TRAP = Moore(("set", "reset", "keep"), 0, ((1, 0, 0), (1, 1, 1)), (0, 1))
"""The automaton that decides whether a string contains "set"."""


PAIRS = Moore(("set", "reset", "keep", "also"), 0, ((1, 0, 0, 0), (1, 0, 1, 1)), (0, 1))
"""MACHINE with a second symbol that does nothing."""
INPUTS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [2.0**-10, -(2.0**-11), 1]])


def trap_network():
    """Return a network that agrees with TRAP: the symbol "reset" does nothing."""
    rnn, linear = latch("rnn_tanh")
    with torch.no_grad():
        rnn.weight_ih_l0[0, 1] = 0.0
    return rnn, linear


def certificate(kind: str) -> Data:
    """Return an accepted certificate of this kind."""
    if kind == "groups":
        return certificate_with_groups()
    if kind == "three classes":
        parts, machine = last_of_three(), LAST
    elif kind == "boxes":
        parts, machine = trap_network(), TRAP
    else:
        parts, machine = latch("gru", 2) if kind == "two layers" else latch(kind), MACHINE
    network = network_of_parts(*parts, np.eye(3), 0.0, machine.alphabet)
    regions = find_regions(network, machine, time.monotonic() + 30)
    assert isinstance(regions, Regions) and regions.boxes.any() == (kind == "boxes")
    return json.loads(json.dumps(to_json(network, machine, regions)))


def certificate_with_groups() -> Data:
    """Return an accepted certificate in which two symbols, with different inputs, are one group."""
    network = network_of_parts(*latch("gru"), INPUTS, 0.0, PAIRS.alphabet)
    groups = symbol_groups(PAIRS)
    regions = find_regions(*grouped(network, PAIRS, groups), time.monotonic() + 30)
    assert groups == [[0], [1], [2, 3]] and isinstance(regions, Regions)
    return json.loads(json.dumps(to_json(network, PAIRS, regions, groups)))


@pytest.fixture(scope="module")
def certificates():
    """Return one certificate of each kind."""
    return {kind: certificate(kind) for kind in KINDS}


def rejected(data: Data) -> bool:
    """Return whether the checker rejects a certificate with a message."""
    answer = judge(data)
    assert answer.verdict == "accepted" or "malformed" not in str(answer.why), answer.why
    return answer.verdict == "rejected"


def scaled(values: Any, factor: float) -> Any:
    """Return the hexadecimal numbers, scaled and rounded to float32."""
    if isinstance(values, list):
        return [scaled(part, factor) for part in values]
    return float(np.float32(float.fromhex(values) * factor)).hex()


def moved(value: str, by: float) -> str:
    """Return the hexadecimal number plus ``by``, rounded to float32."""
    return float(np.float32(float.fromhex(value) + by)).hex()


def returns(data: Data, node: int) -> bool:
    """Return whether some edge of the certificate leads to the node."""
    return any(node in other["next"] for other in data["nodes"])


def changes_of_nodes(data: Data) -> Iterator[Change]:
    """Yield changes to the regions and edges that invalidate the proof but not the claim."""
    nodes = data["nodes"]
    for index, node in enumerate(nodes):
        name = "factor" if "factor" in node else "width"
        shape, center = ("nodes", index, name), ("nodes", index, "center", 0)
        larger = 8.0 if name == "width" else 1 / 8
        if returns(data, index):  # a region without images may be of any size
            yield f"shrink {index}", shape, scaled(node[name], 1 / larger)
            yield f"move {index}", center, moved(node["center"][0], 0.5)
        yield f"enlarge {index}", shape, scaled(node[name], larger**4)
        for symbol, target in enumerate(node["next"]):
            for other in range(len(nodes)):
                if nodes[other]["state"] != nodes[target]["state"]:
                    yield f"edge {index} {symbol} {other}", ("nodes", index, "next", symbol), other
        state = (node["state"] + 1) % len(data["automaton"]["label"])
        yield f"state {index}", ("nodes", index, "state"), state
        yield f"drop {index}", ("nodes",), nodes[:index] + nodes[index + 1 :]
    if nodes[0]["state"] != nodes[1]["state"]:
        yield "swap", ("nodes",), [nodes[1], nodes[0], *nodes[2:]]


def changes_of_claims(data: Data) -> Iterator[Change]:
    """Yield changes to the network or the automaton that make the claim false."""
    automaton, network = data["automaton"], data["network"]
    states, classes = len(automaton["label"]), max(2, len(network["readout"]))
    for q in range(states):
        yield f"label {q}", ("automaton", "label", q), (automaton["label"][q] + 1) % classes
        for symbol, target in enumerate(automaton["next"][q]):
            yield f"arrow {q} {symbol}", ("automaton", "next", q, symbol), (target + 1) % states
    yield "start", ("automaton", "start"), (automaton["start"] + 1) % states
    if classes == 2:
        yield "threshold", ("network", "threshold"), (1000.0).hex()
    yield "readout", ("network", "readout"), scaled(network["readout"], -1)
    yield "readout bias", ("network", "readout_bias", 0), moved(network["readout_bias"][0], 1000)
    yield "symbols", ("network", "embeddings"), network["embeddings"][::-1]
    first, last = network["layers"][0], network["layers"][-1]
    yield "signs", ("network", "layers", 0, "input_weight"), scaled(first["input_weight"], -1)
    for name in ("input_bias", "bias"):
        yield name, ("network", "layers", -1, name), [moved(value, 300.0) for value in last[name]]
    if network["cell"] != "rnn_relu" and classes == 2:
        for name in ("weight", "input_weight"):
            yield f"no {name}", ("network", "layers", 0, name), scaled(first[name], 0.0)


def changes_of_forms(data: Data) -> Iterator[Change]:
    """Yield changes that make the certificate malformed or ambiguous."""
    network, automaton, node = data["network"], data["automaton"], data["nodes"][-1]
    zero, symbols, size = (0.0).hex(), network["alphabet"], len(node["center"])
    for path, values in {
        ("claims",): ["all", "", None],
        ("premise",): ["float64", "", None, 1],
        ("format",): ["ratproof certificate 2"],
        ("about",): ["a network", None],
        ("note",): [""],
        ("groups",): [[], [[]], None, [[0, 0]], [0, 1, 2], [[0, 1], [2]], [[0, True]], "012"],
        ("nodes",): [[], {}, None],
        ("network", "alphabet"): [["a"] * len(symbols), ["", *symbols[1:]], symbols[1:], "abc", [1, 2, 3]],
        ("network", "cell"): ["GRU", "rnn", "step", "images", "__init__", None, []],
        ("network", "layers"): [[], {}, network["layers"] * 2],
        ("network", "embeddings"): [[], [[]] * len(symbols), network["embeddings"][1:]],
        ("network", "embeddings", 0, 0): ["-0x1.fffffe0000000p+127"],
        ("network", "readout"): [[], [[]], network["readout"] * 2],
        ("network", "readout_bias"): [[], [*network["readout_bias"], zero], ["nan"]],
        ("network", "threshold"): ["inf", "0", 0, (0.1).hex(), "0x1.0000000000000p+128", None],
        ("network", "layers", 0, "weight"): [[], [[]], network["layers"][0]["weight"][1:]],
        ("network", "layers", 0, "weight", 0, 0): ["0x1.fffffe0000000p+127", zero + "0", 1],
        ("network", "layers", 0, "bias"): [[], [zero], None],
        ("automaton", "start"): [-1, 99, True, None, 0.0, "0"],
        ("automaton", "label"): [[], [True] * 9, [-1] * len(automaton["label"])],
        ("automaton", "next"): [[], [[]] * len(automaton["next"])],
        ("nodes", -1, "next"): [[], [-1] * len(symbols), [99] * len(symbols), [False] * len(symbols)],
        ("nodes", -1, "state"): [-1, 99, True, None, "0"],
        ("nodes", -1, "center"): [[], node["center"][1:], [*node["center"], zero], [None]],
        ("nodes", -1, "factor"): [[], [[]], None, [[zero]] * size, [[(1.0).hex()] * size] * size],
        ("nodes", -1, "width"): [[], None, [(-1.0).hex()] * size],
    }.items():
        for number, value in enumerate(values):
            yield f"{path} {number}", path, value
    yield "no region", ("nodes", -1), {name: node[name] for name in ("state", "next", "center")}
    yield "two regions", ("nodes", -1), {**node, "factor": [], "width": []}
    if "factor" in node:
        yield "negative", ("nodes", -1, "factor", 0, 0), (-1.0).hex()
    if len(network["readout"]) > 1:
        yield "threshold of classes", ("network", "threshold"), (1.0).hex()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_of_each_kind_is_accepted(kind, certificates):
    data = certificates[kind]
    assert check_regions.verdict(data) == data["claims"]
    assert any("width" in node for node in data["nodes"]) == (kind == "boxes")


STILL_TRUE = {("rnn_relu", changes_of_nodes): ["shrink 2"]}
"""Changes after which the proof is still correct: the units of this node are exactly 0, which every region
contains.
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changes", [changes_of_nodes, changes_of_claims, changes_of_forms])
def test_every_changed_certificate_is_rejected(kind, changes, certificates):
    data = certificates[kind]
    named = list(changes(data))
    assert len(named) >= 12
    true = STILL_TRUE.get((kind, changes), [])
    chosen = np.linspace(0, len(named) - 1, MOST_CHANGES).astype(int)
    named = [change for i, change in enumerate(named) if i in chosen or change[0] in true]
    accepted = [name for name, path, value in named if not rejected(changed(data, path, value))]
    assert accepted == true


def test_every_symbol_of_a_group_is_checked(certificates):
    """The second symbol of a group acts as another symbol, or has an input that leads out of the regions."""
    data = certificates["groups"]
    assert data["groups"] == [[0], [1], [2, 3]] and len(data["nodes"][0]["next"]) == 3
    inputs = data["network"]["embeddings"]
    for other in (inputs[0], inputs[1], scaled(inputs[3], 4)):
        assert rejected(changed(data, ("network", "embeddings", 3), other))
    swapped = changed(data, ("network", "embeddings"), [*inputs[:2], inputs[3], inputs[2]])
    assert not rejected(swapped)
    for groups in ([[0], [1], [2]], [[0], [1], [2], [3]], [[0], [1], [2, 3], [3]], [[0, 2, 3], [1], []]):
        assert rejected(changed(data, ("groups",), groups))


def constant(cell: str, region: dict[str, Any]) -> Data:
    """Return a certificate of one node for a unit without weights, whose output is always 1."""
    rows = check_regions.BLOCKS[cell]
    zeros, biases = [[(0.0).hex()]] * rows, [(0.0).hex()] * rows
    layer = {"input_weight": zeros, "weight": zeros, "input_bias": biases, "bias": biases}
    network = {"cell": cell, "alphabet": ["a"], "layers": [layer], "embeddings": [[(1.0).hex()]]}
    network |= {"readout": [[(0.0).hex()]], "readout_bias": [(1.0).hex()], "threshold": (0.0).hex()}
    size = 2 if cell == "lstm" else 1
    return {
        "format": check_regions.FORMAT,
        "about": check_regions.ABOUT,
        "claims": check_regions.CLAIM,
        "premise": check_regions.PREMISE,
        "network": network,
        "automaton": {"start": 0, "next": [[0]], "label": [1]},
        "nodes": [{"state": 0, "next": [0], "center": [(0.0).hex()] * size, **region}],
    }


BALL, BOX = {"factor": [[(4.0).hex()]]}, {"width": [(0.25).hex()]}


@pytest.mark.parametrize("region", [BALL, BOX])
@pytest.mark.parametrize("cell", ["rnn_tanh", "rnn_relu", "gru"])
def test_the_decision_at_the_start_counts_if_a_string_leads_back(cell, region):
    data = constant(cell, region)
    assert not rejected(data)
    data["automaton"]["label"] = [0]
    assert "another decision" in judge(data).why
    # if another node is for all nonempty strings, the decision of the start node does not count
    data["automaton"] = {"start": 0, "next": [[1], [1]], "label": [0, 1]}
    data["nodes"] = [{**data["nodes"][0], "state": state, "next": [1]} for state in (0, 1)]
    assert not rejected(data)


@pytest.mark.parametrize("cell", ["rnn_tanh", "gru"])
def test_the_decision_counts_in_a_node_that_only_words_lead_to(cell):
    data = constant(cell, BOX)
    data["automaton"] = {"start": 0, "next": [[1], [2], [3], [2]], "label": [0, 1, 1, 1]}
    data["nodes"] = [{**data["nodes"][0], "state": state, "next": [[1]]} for state in (0, 2)]
    assert not rejected(data)
    data["automaton"]["label"][2] = 0
    assert "another decision" in judge(data).why


def test_a_box_must_not_lead_to_an_ellipsoid():
    """The coordinates of a point in a box can be longer than those of a point in an ellipsoid."""
    data = constant("rnn_tanh", BALL)
    node = data["nodes"][0]
    box = {name: value for name, value in node.items() if name != "factor"} | BOX
    data["nodes"] = [{**node, "next": [1]}, box]
    assert "a box leads to an ellipsoid" in judge(data).why
    data["nodes"][1]["next"] = [1]
    assert not rejected(data)


def test_regions_are_no_larger_than_float32():
    wide = [(2.0).hex(), (2.0**100).hex()]
    assert "too large for float32" in judge(constant("lstm", {"width": wide})).why
    assert not rejected(constant("lstm", {"width": [(2.0).hex(), (2.0**50).hex()]}))


@pytest.mark.parametrize(("threshold", "label"), [(1.0, 0), (1.0, 1), (1.0 - 2**-24, 0), (1.0 + 2**-23, 1)])
def test_a_decision_at_or_beyond_the_threshold_is_rejected(threshold, label):
    data = constant("gru", BOX)
    data["network"]["threshold"], data["automaton"]["label"] = threshold.hex(), [label]
    assert "another decision" in judge(data).why


def test_regions_must_contain_the_first_state():
    data = constant("rnn_tanh", BALL)
    data["nodes"][0]["center"] = [(0.5).hex()]
    data["network"]["layers"][0]["bias"] = [(0.5).hex()]  # the image 0.46 is in the region
    assert "first state is not in node 0's region" in judge(data).why
    data["nodes"][0]["factor"] = [[(1.0).hex()]]
    assert not rejected(data)


def test_a_sum_of_too_many_terms_is_rejected():
    """The bound of its rounding is for fewer terms."""
    data = constant("rnn_tanh", BALL)
    count = 1 << 13
    data["network"]["embeddings"] = [[(0.0).hex()] * count]
    data["network"]["layers"][0]["input_weight"] = [[(0.0).hex()] * count]
    assert "too large" in judge(data).why
