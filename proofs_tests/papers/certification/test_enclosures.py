"""Tests that the floats of the search, the balls of the proof and the checker enclose all images of a box."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_tests.papers.certification.some_networks import KINDS, SIMILARITIES, boxes, numbers, seeds
from ratproof.certification.soft_networks import certificate
from ratproof.certification.soft_networks.balls import BITS, BallArithmetic, BallBox, lower, upper
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.cells import RecurrentStep
from ratproof.certification.soft_networks.floats import FloatArithmetic, FloatBoxes, FloatInterval, Points
from ratproof.certification.soft_networks.mixing import classifier_logit, next_mixture
from ratproof.checkers import check_boxes

networks = pytest.mark.parametrize("kind", KINDS)
components = pytest.mark.parametrize("similarity", SIMILARITIES)
TAUS = st.sampled_from([0.05, 0.3, 1.0, 4.0])
ROUNDING = 1e-9
"""Tolerance for points that are computed in float64, with values of at most 10."""


def _truth(n, points, token, label):
    """Return u, the gaps, the next alpha and the decision for each point, computed by NumPy."""
    plain = Points(n)
    u = plain.u(points @ n.S.T, token)
    b = u @ n.S if n.similarity == "dot" else -np.linalg.norm(u[:, :, None] - n.S, axis=1)
    return u, (b - b[:, [label]]) / float(n.temperature), plain.mix(u), (u @ n.w + n.v)[:, None]


def _holds(low, high, points, size=1.0):
    slack = ROUNDING * (size + np.abs(points).max())
    assert (low - slack <= points).all() and (points <= high + slack).all()


@networks
@components
@settings(max_examples=25)
@given(st.data())
def test_floats_enclose_every_mixture_of_a_box(kind, similarity, data):
    n = numbers(data.draw(seeds), data.draw(TAUS), kind=kind, similarity=similarity)
    low, high, points = data.draw(boxes(n.k))
    token, label = data.draw(st.integers(0, 1)), data.draw(st.integers(0, n.k - 1))
    on, box = FloatArithmetic(n), FloatBoxes(low[None], high[None])
    u = RecurrentStep(on).u(box, np.array([token]))
    image = next_mixture(on, u, np.array([label]), box)
    for part, truth in zip(
        (u.over_box, image.gaps, image.alpha, classifier_logit(on, u, box)),
        _truth(n, points, token, label),
        strict=True,
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
        on, box = BallArithmetic(n), BallBox(low, high)
        u = RecurrentStep(on).u(box, token)
        image = next_mixture(on, u, label, box)
        parts = (u.over_box, image.gaps, image.alpha, classifier_logit(on, u, box))
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
    box = check_boxes.Box(
        [int(np.floor(v * check_boxes.ONE)) for v in low], [int(np.ceil(v * check_boxes.ONE)) for v in high]
    )
    u = net.u(token, box, net.S, net.US)
    gaps = box.reach(*net.gaps(u, label))
    parts = [u[2], gaps, [net.decision(u, box)]]
    truths = _truth(n, points, token, label)
    if all(g[1] < 0 for i, g in enumerate(gaps) if i != label):
        parts.append(net.mixed(u, label, box))
        truths = (truths[0], truths[1], truths[3], truths[2])
    for part, truth in zip(
        parts, truths if len(parts) == 4 else (truths[0], truths[1], truths[3]), strict=True
    ):
        ends = np.array([[float(x) / check_boxes.ONE for x in pair] for pair in part])
        _holds(ends[:, 0], ends[:, 1], truth)


@networks
@settings(max_examples=25)
@given(st.data())
def test_a_box_of_one_point_is_enclosed_tightly(kind, data):
    n = numbers(data.draw(seeds), 1.0, kind=kind)
    alpha = np.random.default_rng(data.draw(seeds)).dirichlet(np.ones(n.k))
    with flint.ctx.workprec(BITS):
        on, box = BallArithmetic(n), BallBox(alpha, alpha)
        alphas = next_mixture(on, RecurrentStep(on).u(box, 0), 0, box).alpha
    # A midpoint that does not sum to 1 exactly is off by rounding.
    assert np.abs(upper(alphas) - lower(alphas)).max() < 1e-12


@settings(max_examples=25)
@given(st.data())
def test_the_enclosure_is_first_order(data):
    """A box of half the width has an image of about half the width: a wide enclosure does not hide a missing
    factor in a gradient.
    """
    n = numbers(data.draw(seeds), 1.0)
    alpha = np.random.default_rng(data.draw(seeds)).dirichlet(np.ones(n.k))
    on, plain = FloatArithmetic(n), Points(n)
    width = 1e-5
    low, high = alpha - width, alpha + width
    box = FloatBoxes(low[None], high[None])
    alphas = next_mixture(on, RecurrentStep(on).u(box, np.array([0])), np.array([0]), box).alpha
    corners = [alpha + width * (np.eye(n.k)[i] - np.eye(n.k)[j]) for i in range(n.k) for j in range(n.k)]
    images = plain.step(np.array(corners), 0)
    spread = images.max(axis=0) - images.min(axis=0)
    # A move of one share to another reaches the farthest corner, unless up to k/2 such moves are combined.
    assert (alphas.hi[0] - alphas.lo[0] <= (n.k / 2 + 0.1) * spread + 1e-9).all()


@pytest.mark.parametrize("d", [1, 2, 3, 9])
def test_around_a_centroid_every_direction_is_enclosed(d):
    """In all coordinates u may equal the centroid: the distance may be 0, and the unit vector is
    arbitrary.
    """
    n = numbers(0, 1.0, kind="sr-elman", similarity="euclidean")
    at_zero = {"W": (d, 4), "b": (d,), "U": (d, d), "c": (d,), "S": (d, 2), "w": (d,)}
    n = replace(n, **{name: np.zeros(shape) for name, shape in at_zero.items()})
    radius, random = 0.5, np.random.default_rng(d)
    directions = random.normal(size=(50, d))
    directions = np.concatenate(
        [np.eye(d), -np.eye(d), directions / np.linalg.norm(directions, axis=1, keepdims=True)]
    )
    with flint.ctx.workprec(BITS):
        on = BallArithmetic(n)
        u = np.array([flint.arb(0, radius) for _ in range(d)], dtype=object)
        directions_ball = on.unit_vectors(u)
    flat = FloatArithmetic(n).unit_vectors(FloatInterval(np.full((1, d), -radius), np.full((1, d), radius)))
    for low, high in ((lower(directions_ball)[0], upper(directions_ball)[0]), (flat.lo[0, 0], flat.hi[0, 0])):
        assert (low <= directions + 1e-9).all() and (directions <= high + 1e-9).all()


@networks
@components
def test_the_mean_value_form_encloses_its_segment(kind, similarity):
    """The middle is a float whose entries do not sum to 1 exactly. The enclosure must contain it as well,
    because otherwise there is no mean value.
    """
    n = numbers(7, 1.0, kind=kind, similarity=similarity)
    low, high = np.full(n.k, 0.7 / n.k), np.full(n.k, 0.7 / n.k)  # far from the simplex, for a visible effect
    with flint.ctx.workprec(BITS):
        on, box = BallArithmetic(n), BallBox(low, high)
        step = RecurrentStep(on)
        for part in (step.h(box), step.u(box, 0)):
            for middle, enclosure in zip(part.middle, part.over_box, strict=True):
                assert enclosure.contains(middle)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("weight", [1e9, 1e150, 1e-300, 5e-324])
def test_weights_of_any_size_are_enclosed(similarity, weight):
    """In the checker, a sigmoid of -1e9 is 0 within an interval, without overflow, and correct certificates
    are not rejected.
    """
    n = numbers(2, 0.5, similarity=similarity)
    n = replace(n, U=n.U * weight, c=n.c * weight, W=n.W * weight)
    low, high = np.full(n.k, 0.0), np.full(n.k, 1.0)
    one = Nodes(np.array([0]), np.array([True]), np.zeros((1, 2), dtype=int), low[None], high[None])
    net = check_boxes.Network(certificate.to_json(n, one)["network"])
    u = net.u(0, check_boxes.Box([0] * n.k, [check_boxes.ONE] * n.k), net.S, net.US)
    ends = np.array([[float(x) / check_boxes.ONE for x in pair] for pair in u[2]])
    truth, *_ = _truth(n, np.random.default_rng(0).dirichlet(np.ones(n.k), size=50), 0, 0)
    _holds(ends[:, 0], ends[:, 1], truth)


@pytest.mark.parametrize("x", [-3e6, -1e7, -100.0, -1.0, 0.0, 1e-20, 3.7, 60.0, 200.0, 1000.0, 12345.678])
def test_the_checkers_exponential_is_an_enclosure(x):
    """With 70 digits exp(200) 2^96 is not an exact integer; the missing part is added."""
    n = int(Fraction(x) * check_boxes.ONE) + (x not in (0.0, -3e6, -1e7))
    low, high = check_boxes.exp(n)
    with flint.ctx.workprec(4000):
        true = flint.arb(flint.fmpq(n, check_boxes.ONE)).exp() * check_boxes.ONE
        assert bool(flint.arb(low) <= true) and bool(true <= flint.arb(high)) and low < high
        if x >= 60:  # allow thousands of times the rounding error of the last of 70 digits
            assert bool(true - low > true * flint.arb("1e-60"))
            assert bool(high - true > true * flint.arb("1e-60"))


def test_a_reach_includes_the_deviation_of_the_middles_sum():
    """If every slope is 1, the reach is the range of the sum of alpha - box.middle, which is not always 0."""
    with flint.ctx.workprec(BITS):
        on, box = BallArithmetic(numbers(0, 1.0)), BallBox(np.full(2, 0.1), np.full(2, 0.4))
        one = np.array([[flint.arb(1), flint.arb(1)]], dtype=object)
        (reached,) = on.reach(np.array([flint.arb(0)], dtype=object), one, box)
        assert reached.contains(flint.arb("0.19")) and reached.contains(flint.arb(0))


@pytest.mark.parametrize(
    "ends",
    [(0.1, 0.4), (0.1, 0.9), (0.3, 0.5), (0.5, 0.7), (0.6, 0.95), (0.45, 0.55), (-0.5, 0.25), (-0.9, -0.2)],
)
def test_slopes_of_gates_are_enclosed(ends):
    """All three arithmetics enclose the slopes, even if the largest slope is between the ends."""
    n, (low, high) = numbers(0, 1.0), ends
    values = np.linspace(low, high, 101)
    integers = [(int(low * check_boxes.ONE), int(high * check_boxes.ONE))]
    with flint.ctx.workprec(BITS):
        ball, on = np.array([flint.arb(low).union(flint.arb(high))], dtype=object), BallArithmetic(n)
        flat, floating = FloatInterval(np.array([[low]]), np.array([[high]])), FloatArithmetic(n)
        for slope, truth in (("sigmoid_slope", values * (1 - values)), ("tanh_slope", 1 - values**2)):
            if slope == "sigmoid_slope" and low < 0:
                continue  # no sigmoid has such a value
            rigorous = getattr(on, slope)(ball)
            _holds(lower(rigorous)[0], upper(rigorous)[0], truth)
            inexact = getattr(floating, slope)(flat)
            _holds(inexact.lo[0, 0], inexact.hi[0, 0], truth)
            (interval,) = getattr(check_boxes, slope)(integers)
            _holds(interval[0] / check_boxes.ONE, interval[1] / check_boxes.ONE, truth)
            for width in (
                upper(rigorous)[0] - lower(rigorous)[0],
                (interval[1] - interval[0]) / check_boxes.ONE,
            ):
                assert width < np.ptp(truth) + 0.02  # the enclosure is tight


@networks
@settings(max_examples=20)
@given(seed=seeds)
def test_unit_vectors_to_the_centroids_are_enclosed(kind, seed):
    n, rng = numbers(seed, 1.0, kind=kind, similarity="euclidean"), np.random.default_rng(seed)
    low = rng.uniform(-2, 2, size=(1, n.S.shape[0]))
    high = low + rng.uniform(0, 0.5, size=low.shape)
    enclosed = FloatArithmetic(n).unit_vectors(FloatInterval(low, high))
    for u in rng.uniform(low, high, size=(20, low.shape[1])):
        differences = n.S.T - u
        unit = differences / np.linalg.norm(differences, axis=1, keepdims=True)
        assert (enclosed.lo[0] - ROUNDING <= unit).all() and (unit <= enclosed.hi[0] + ROUNDING).all()
