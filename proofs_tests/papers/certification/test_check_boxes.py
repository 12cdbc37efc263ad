"""Tests that the independent checker accepts proved certificates of boxes and rejects all changed ones."""

import json

import pytest

from proofs_tests.papers.certification.some_networks import KINDS, SIMILARITIES, closed, random_network
from proofs_tests.ratproof.certificate_files import changed
from ratproof.certification.soft_networks.certify import Certification, certify
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.checkers import check_boxes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("start_token", [True, False])
def test_the_checker_accepts_proved_certificates(kind, similarity, start_token):
    for seed in range(4):
        answer = certify(random_network(seed, kind, similarity, start_token), 0.02)
        if answer.nodes is not None:
            break
    data = json.loads(json.dumps(answer.certificate()))
    assert check_boxes.verdict(data) == data["claims"]


def _certificate():
    n, nodes = closed()
    return json.loads(json.dumps(Certification(n, hard_automaton(n), nodes, None, "").certificate()))


def _rejected(data) -> bool:
    try:
        check_boxes.verdict(data)
    except (ValueError, KeyError, TypeError, IndexError, ArithmeticError, AttributeError):
        return True
    return False


def mutations(data):
    """Yield the path and the new value of each change that makes the proof or the claim wrong."""
    nodes, automaton, network = data["nodes"], data["automaton"], data["network"]
    for index, node in enumerate(nodes):
        for symbol, target in enumerate(node["after"]):
            yield ("nodes", index, "after", symbol), (target + 1) % len(nodes)
        low, high = ([float.fromhex(x) for x in node[name]] for name in ("low", "high"))
        tenths = [0.1 * (b - a) for a, b in zip(low, high, strict=True)]
        upper = [(high[i] - tenths[i]).hex() for i in range(1, len(high))]
        first = (low[0] + tenths[0]).hex()  # a tenth of the box, where the first share is smallest
        corners = {"low": [node["low"][0], *upper], "high": [first, *node["high"][1:]]}
        yield ("nodes", index), {**node, **corners}
        yield ("nodes", index, "state"), (node["state"] + 1) % len(automaton["label"])
    for state, row in enumerate(automaton["after"]):
        yield ("automaton", "accepts", state), not automaton["accepts"][state]
        yield ("automaton", "label", state), (automaton["label"][state] + 1) % 2
        if row[0] != row[1]:
            yield ("automaton", "after", state), row[::-1]
    yield ("claims",), "more"
    yield ("nodes",), nodes[:-1]
    yield ("nodes", 0, "low", 0), "nan"
    for name, values in {
        "temperature": ["40", "0"],
        "kind": ["sr-lstm"],
        "similarity": ["euclidean"],
        "start_token": [False],
        "S": [network["S"][:-1], network["S"][::-1]],
        "W": [[network["W"][0][:-1], *network["W"][1:]]],
    }.items():
        for value in values:
            yield ("network", name), value
    for name in ("W", "U", "S", "embedding"):
        yield ("network", name), [[(-float.fromhex(x)).hex() for x in row] for row in network[name]]


def test_the_checker_rejects_a_certificate_with_one_mutation():
    data = _certificate()
    assert not _rejected(data)
    assert [path for path, value in mutations(data) if not _rejected(changed(data, path, value))] == []


@pytest.mark.parametrize(
    "path, value",
    [
        (("automaton", "after", 0), [0, 0, 0]),
        (("network", "alphabet"), ["0", "0"]),
        (("nodes", 0, "low"), [(0.0).hex()] * 6),
        (("nodes", 0, "low"), [(1.0).hex()] * 5),
        (("nodes", 0, "high"), [(0.0).hex()] * 5),
    ],
)
def test_an_ambiguous_value_is_rejected(path, value):
    """Values of other types are rejected at every path, as ``test_certificates_read_strictly`` shows."""
    assert _rejected(changed(_certificate(), path, value))
