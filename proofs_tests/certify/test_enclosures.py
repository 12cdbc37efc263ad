"""What is reached from a box is enclosed: by the floats that boxes are found with, by the balls that prove, and by the checker."""

from __future__ import annotations

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.certify.some_networks import KINDS, SIMILARITIES, boxes, numbers, seeds
from ratproof import check_boxes
from ratproof.certify import certificate
from ratproof.certify.balls import BITS, Box, InBalls, lower, upper
from ratproof.certify.boxes import Nodes
from ratproof.certify.cells import Step
from ratproof.certify.floats import Boxes, Floating, Points
from ratproof.certify.mixing import decision, mixed

networks = pytest.mark.parametrize("kind", KINDS)
components = pytest.mark.parametrize("similarity", SIMILARITIES)
TAUS = st.sampled_from([0.05, 0.3, 1.0, 4.0])
ROUNDING = 1e-9
"""Points are computed in float64; what is enclosed is of size 10 at most."""


def _truth(n, points, token, label):
    """At each point: u, the gaps, the next alpha and the decision, in plain NumPy."""
    plain = Points(n)
    u = plain.u(points @ n.S.T, token)
    b = u @ n.S if n.similarity == "dot" else -np.linalg.norm(u[:, :, None] - n.S, axis=1)
    return u, (b - b[:, [label]]) / float(n.temperature), plain.mix(u), (u @ n.w + n.v)[:, None]


def _holds(low, high, points, size=1.0):
    slack = ROUNDING * (size + np.abs(points).max())
    assert (low - slack <= points).all() and (points <= high + slack).all()


@networks
@components
@given(st.data())
def test_floats_enclose_every_mixture_of_a_box(kind, similarity, data):
    n = numbers(data.draw(seeds), data.draw(TAUS), kind=kind, similarity=similarity)
    low, high, points = data.draw(boxes(n.k))
    token, label = data.draw(st.integers(0, 1)), data.draw(st.integers(0, n.k - 1))
    on, box = Floating(n), Boxes(low[None], high[None])
    u = Step(on).u(box, np.array([token]))
    found = mixed(on, u, np.array([label]), box)
    for part, truth in zip(
        (u.whole, found.gaps, found.alpha, decision(on, u, box)), _truth(n, points, token, label), strict=True
    ):
        _holds(part.lo[0], part.hi[0], truth)


@networks
@components
@settings(max_examples=25)
@given(st.data())
def test_balls_enclose_every_mixture_of_a_box(kind, similarity, data):
    n = numbers(data.draw(seeds), data.draw(TAUS), kind=kind, similarity=similarity)
    low, high, points = data.draw(boxes(n.k))
    token, label = data.draw(st.integers(0, 1)), data.draw(st.integers(0, n.k - 1))
    with flint.ctx.workprec(BITS):
        on, box = InBalls(n), Box(low, high)
        u = Step(on).u(box, token)
        found = mixed(on, u, label, box)
        parts = (u.whole, found.gaps, found.alpha, decision(on, u, box))
    for part, truth in zip(parts, _truth(n, points, token, label), strict=True):
        _holds(lower(part), upper(part), truth)


@networks
@components
@settings(max_examples=25)
@given(st.data())
def test_the_checker_encloses_every_mixture_of_a_box(kind, similarity, data):
    n = numbers(data.draw(seeds), data.draw(TAUS), kind=kind, similarity=similarity)
    low, high, points = data.draw(boxes(n.k))
    token, label = data.draw(st.integers(0, 1)), data.draw(st.integers(0, n.k - 1))
    one = Nodes(np.array([0]), np.array([True]), np.zeros((1, 2), dtype=int), low[None], high[None])
    net = check_boxes.Network(certificate.to_json(n, one)["network"])
    box = check_boxes.Box([int(np.floor(v * check_boxes.ONE)) for v in low], [int(np.ceil(v * check_boxes.ONE)) for v in high])
    u = net.u(token, box, net.S, net.US)
    gaps = box.reach(*net.gaps(u, label, box))
    parts = [u[2], gaps, [net.decision(u, box)]]
    truths = _truth(n, points, token, label)
    if all(g[1] < 0 for i, g in enumerate(gaps) if i != label):
        parts.append(net.mixed(u, label, box))
        truths = (truths[0], truths[1], truths[3], truths[2])
    for part, truth in zip(parts, truths if len(parts) == 4 else (truths[0], truths[1], truths[3]), strict=True):
        ends = np.array([[float(x) / check_boxes.ONE for x in pair] for pair in part])
        _holds(ends[:, 0], ends[:, 1], truth)


@networks
@given(st.data())
def test_a_box_that_is_a_point_is_enclosed_closely(kind, data):
    n = numbers(data.draw(seeds), 1.0, kind=kind)
    alpha = np.random.default_rng(data.draw(seeds)).dirichlet(np.ones(n.k))
    with flint.ctx.workprec(BITS):
        on, box = InBalls(n), Box(alpha, alpha)
        found = mixed(on, Step(on).u(box, 0), 0, box).alpha
    # a middle that does not sum to 1 exactly is off by rounding
    assert np.abs(upper(found) - lower(found)).max() < 1e-12


@given(st.data())
def test_the_enclosure_is_first_order(data):
    """Half as wide a box has an image about half as wide: a lost factor in a gradient does not hide behind a wide enclosure."""
    n = numbers(data.draw(seeds), 1.0)
    alpha = np.random.default_rng(data.draw(seeds)).dirichlet(np.ones(n.k))
    on, plain = Floating(n), Points(n)
    width = 1e-5
    low, high = alpha - width, alpha + width
    box = Boxes(low[None], high[None])
    found = mixed(on, Step(on).u(box, np.array([0])), np.array([0]), box).alpha
    corners = [alpha + width * (np.eye(n.k)[i] - np.eye(n.k)[j]) for i in range(n.k) for j in range(n.k)]
    images = plain.step(np.array(corners), 0)
    spread = images.max(axis=0) - images.min(axis=0)
    # moving one share to another reaches the farthest corner but for at most k/2 such moves at once
    assert (found.hi[0] - found.lo[0] <= (n.k / 2 + 0.1) * spread + 1e-9).all()
