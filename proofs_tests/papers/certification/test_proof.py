"""Tests that the proof of closed boxes fails at a node if one part of that node is wrong."""

from dataclasses import replace

import numpy as np

from proofs_tests.papers.certification.some_networks import closed
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.proof import prove


def _broken(nodes: Nodes, **changes) -> Nodes:
    return replace(nodes, **changes)


def test_a_shrunk_box_is_not_proved():
    n, nodes = closed()
    for node in range(len(nodes)):
        low, high = nodes.low.copy(), nodes.high.copy()
        width = high[node] - low[node]  # a tenth of the box, in the corner with the smallest first share
        least = np.arange(n.k) == 0
        low[node], high[node] = low[node] + 0.9 * width * ~least, high[node] - 0.9 * width * least
        gap = prove(n, _broken(nodes, low=low, high=high))
        assert gap is not None and "leave" in gap


def test_a_wrong_edge_label_or_decision_is_not_proved():
    n, nodes = closed()
    for node in range(len(nodes)):
        for symbol in range(2):
            after = nodes.after.copy()
            after[node, symbol] = (after[node, symbol] + 1) % len(nodes)
            assert prove(n, _broken(nodes, after=after)) is not None
        label, accepts = nodes.label.copy(), nodes.accepts.copy()
        label[node] = (label[node] + 1) % n.k
        accepts[node] = not accepts[node]
        assert prove(n, _broken(nodes, label=label)) is not None
        assert prove(n, _broken(nodes, accepts=accepts)) is not None


def test_a_decision_of_zero_is_not_proved():
    n, nodes = closed()
    zero = replace(n, w=0 * n.w, v=0 * n.v)
    for accepts in (True, False):
        gap = prove(zero, _broken(nodes, accepts=np.full(len(nodes), accepts)))
        assert gap is not None and "decision" in gap


def test_another_network_is_not_proved_by_the_same_boxes():
    n, nodes = closed()
    assert prove(n, nodes) is None
    for name in ("W", "U", "S", "b", "c", "embedding"):
        array = getattr(n, name).copy()
        assert prove(replace(n, **{name: -array}), nodes) is not None, name
    assert (
        prove(
            replace(n, U=n.U.copy().reshape(3, *[n.S.shape[0]] * 2).transpose(0, 2, 1).reshape(n.U.shape)),
            nodes,
        )
        is not None
    )
    assert prove(replace(n, temperature=n.temperature * 40), nodes) is not None
    assert prove(replace(n, w=-n.w, v=-n.v), nodes) is not None
