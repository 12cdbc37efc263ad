"""Tests of the checker's integer arithmetic against exact fractions: each end is rounded outwards."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product as pairs

import flint
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neural.state_regularized.acceptor import Acceptor
from proofs_tests.papers.certification.some_networks import numbers
from ratproof.certification.soft_networks import certificate
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.certify import certify
from ratproof.checkers import check_boxes
from ratproof.checkers.check_boxes import ONE, Box, div, fixed, mul, product

ends = st.integers(-3 * ONE, 3 * ONE) | st.integers(-5, 5)
intervals = st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))
aboves = st.tuples(st.integers(1, 3 * ONE) | st.integers(1, 5), st.integers(0, ONE)).map(
    lambda pair: (pair[0], sum(pair))
)


@given(intervals, intervals)
def test_a_product_is_rounded_outwards(x, y):
    low, high = mul(x, y)
    exact = [Fraction(a * b, ONE) for a, b in pairs(x, y)]
    assert low <= min(exact) < low + 1 and high - 1 < max(exact) <= high


@given(intervals, aboves)
def test_a_quotient_is_rounded_outwards(x, y):
    low, high = div(x, y)
    exact = [Fraction(a * ONE, b) for a, b in pairs(x, y)]
    assert low <= min(exact) < low + 1 and high - 1 < max(exact) <= high


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_between_its_ends(value):
    low, high = fixed(value.hex())
    assert low <= Fraction(value) * ONE <= high and high - low == (low != Fraction(value) * ONE)


@given(st.data())
def test_a_matrix_product_is_rounded_outwards(data):
    inner = data.draw(st.integers(1, 3))
    one = data.draw(st.lists(st.lists(intervals, min_size=inner, max_size=inner), min_size=1, max_size=2))
    other = data.draw(st.lists(st.lists(intervals, min_size=2, max_size=2), min_size=inner, max_size=inner))
    choose = st.integers(0, 1)
    for i, row in enumerate(product(one, other)):
        for j, (low, high) in enumerate(row):
            picked = [one[i][m][data.draw(choose)] * other[m][j][data.draw(choose)] for m in range(inner)]
            assert low <= Fraction(sum(picked), ONE) <= high


@given(st.data())
def test_the_maximum_of_a_gradient_bounds_every_mixture(data):
    """Deltas in the box sum to 0, and the gradient is anywhere in its intervals."""
    k = data.draw(st.integers(2, 4))
    random = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    some = [[int(v * ONE) for v in row] for row in random.dirichlet(np.ones(k), size=4)]
    some = [[*row[:-1], ONE - sum(row[:-1])] for row in some]
    box = Box(
        [min(column) for column in zip(*some, strict=True)],
        [max(column) for column in zip(*some, strict=True)],
    )
    assert sum(box.middle) == ONE
    row = data.draw(st.lists(intervals, min_size=k, max_size=k))
    most = box.most(row)
    for alpha in some:
        deltas = [a - m for a, m in zip(alpha, box.middle, strict=True)]
        for side in pairs((0, 1), repeat=k):
            assert Fraction(sum(g[s] * d for g, s, d in zip(row, side, deltas, strict=True)), ONE) <= most


def _network(n):
    one = Nodes(
        np.array([0]), np.array([True]), np.zeros((1, 2), dtype=int), np.zeros((1, n.k)), np.ones((1, n.k))
    )
    return check_boxes.Network(certificate.to_json(n, one)["network"])


@pytest.mark.parametrize("seed", range(8))
def test_gaps_of_distances_are_enclosed_to_the_last_unit(seed):
    """Equation 3 at a point is compared with 400 bits."""
    n = numbers(seed, 1.0, kind="sr-elman", similarity="euclidean")
    net, d = _network(n), len(n.S)
    mid = [(int(v * ONE), int(v * ONE)) for v in np.random.default_rng(seed).uniform(-1, 1, d)]
    gaps, _ = net.gaps((mid, [[(0, 0)]] * d, mid), 0)
    with flint.ctx.workprec(400):
        u = [flint.arb(flint.fmpq(a, ONE)) for a, _ in mid]
        away = [
            sum(((x - flint.arb(float(s))) ** 2 for x, s in zip(u, column, strict=True)), flint.arb(0)).sqrt()
            for column in n.S.T
        ]
        for (low, high), length in zip(gaps, away, strict=True):
            true = (away[0] - length) * ONE
            assert bool(flint.arb(low) <= true) and bool(true <= flint.arb(high)) and high - low <= 4


def test_around_a_centroid_every_direction_is_in_the_gradient():
    n = numbers(3, 1.0, kind="sr-elman", similarity="euclidean")
    n = replace(n, S=np.where(np.arange(n.k) == 1, 0.25, n.S))
    net, d = _network(n), len(n.S)
    radius, random = ONE // 8, np.random.default_rng(0)
    box = [(ONE // 4 - radius, ONE // 4 + radius)] * d
    identity = [[(ONE * (i == j),) * 2 for j in range(d)] for i in range(d)]
    _, gradient = net.gaps(([(ONE // 4,) * 2] * d, identity, box), 0)
    for u in 0.25 + random.uniform(-1 / 8, 1 / 8, size=(200, d)):
        unit = (n.S.T - u) / np.linalg.norm(n.S.T - u, axis=1, keepdims=True)
        for row, truth in zip(gradient, unit - unit[0], strict=True):
            for (low, high), value in zip(row, truth, strict=True):
                assert low / ONE - 1e-12 <= value <= high / ONE + 1e-12


def _rejected(data) -> str:
    with pytest.raises(ValueError) as caught:
        check_boxes.verdict(data)
    return str(caught.value)


def _leaves_the_start_for_ever():
    """Return a network without a start token.

    It is at centroid 0 for the empty string, and at centroid 1 for all other strings.
    """
    network = Acceptor(
        ("a",), "sr-elman", hidden_size=1, k=2, start_token=False, temperature=0.1, dtype=torch.float64
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        network.layers.components[0].centroids.copy_(torch.tensor([[-1.0, 1.0]]))
        network.cells[0].part.input.bias.fill_(2.0)
        network.classifier.weight.fill_(1.0)
    answer = certify(network)
    assert answer.verdict == "certified" and answer.soft is not None and answer.soft.states == 2
    return json.loads(json.dumps(answer.certificate()))


def test_without_a_start_token_the_first_label_is_centroid_0():
    data = _leaves_the_start_for_ever()
    assert check_boxes.verdict(data) == data["claims"]
    data["automaton"]["label"][0] = 1
    assert "first label" in _rejected(data)


def test_an_uncertain_decision_is_rejected_either_way():
    """The classifier's logit is 0 somewhere in a box: neither accepting nor rejecting may be claimed."""
    data = _leaves_the_start_for_ever()
    data["network"]["U"] = [[(0.5).hex()]]
    data["nodes"][1] |= {
        "low": [(0.0).hex()] * 2,
        "high": [(1.0).hex()] * 2,
    }  # u is between tanh(1.5) and tanh(2.5)
    assert check_boxes.verdict(data) == data["claims"]
    data["network"]["v"] = (-0.95).hex()
    for accepts in (True, False):
        data["automaton"]["accepts"] = [False, accepts]
        assert "the decision at state 1 is not certain" in _rejected(data)


def test_negative_indices_of_nodes_and_states_are_rejected():
    data = _leaves_the_start_for_ever()
    data["nodes"][0]["after"] = [target - len(data["nodes"]) for target in data["nodes"][0]["after"]]
    assert "one existing target" in _rejected(data)


def test_matrices_of_inconsistent_shapes_are_reported():
    with pytest.raises(ValueError, match=r"different sizes|as many columns"):
        product([[(0, ONE), (0, ONE)], [(0, ONE)]], [[(0, ONE)], [(0, ONE)]])
