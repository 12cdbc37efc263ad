"""Tests of the costs of certification.

Memory grows neither with boxes times symbols times centroids squared, nor with strings times units times
centroids.
"""

import tracemalloc

import numpy as np
import pytest

from proofs_tests.papers.certification.some_networks import KINDS, SIMILARITIES, numbers, random_network
from ratproof.certification.extraction.counts import count
from ratproof.certification.soft_networks import boxes
from ratproof.certification.soft_networks.boxes import Nodes, OpenBoxes, attempts, box_images
from ratproof.certification.soft_networks.certify import certify
from ratproof.certification.soft_networks.floats import FloatArithmetic, Points
from ratproof.certification.soft_networks.soft_run import net


def _peak(function) -> float:
    """Return the peak memory of a call in bytes, in excess of the initial memory."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("pairs", [1, 3])
def test_images_computed_in_groups_of_boxes_equal_those_of_all(kind, similarity, pairs, monkeypatch):
    for seed in range(3, 9):
        n = numbers(seed, 0.2, kind=kind, similarity=similarity)
        nodes = next(attempts(n))
        nodes = nodes.nodes if isinstance(nodes, OpenBoxes) else nodes
        assert nodes is not None
        on = FloatArithmetic(n)
        for accepts in (nodes.accepts, ~nodes.accepts):  # the second one is a mutation
            tried = Nodes(nodes.label, accepts, nodes.after, nodes.low, nodes.high)
            full = box_images(on, tried)
            with monkeypatch.context() as patched:
                patched.setattr(boxes, "AT_ONCE", pairs * n.k * max(n.k, len(n.S)))
                parts = box_images(on, tried)
            if isinstance(full, str):
                assert parts == full
            else:
                np.testing.assert_allclose(parts, full, atol=1e-14)


def test_the_memory_of_images_does_not_grow_with_the_boxes(monkeypatch):
    n = numbers(3, 0.2)
    monkeypatch.setattr(boxes, "AT_ONCE", 1 << 12)

    def peak(number: int) -> float:
        low, high = np.zeros((number, n.k)), np.ones((number, n.k)) * 1e-3
        low[:, 0], high[:, 0] = 1 - 1e-3, 1.0
        label = np.full(number, Points(n).step(np.eye(n.k)[:1], 0).argmax())
        nodes = Nodes(label, np.zeros(number, dtype=bool), np.zeros((number, 2), dtype=int), low, high)
        return _peak(lambda: box_images(FloatArithmetic(n), nodes))

    few = peak(100)
    assert peak(4000) < 10 * few  # 40 times as many boxes; each stores only its corners


def test_the_memory_of_points_does_not_grow_with_units_times_centroids():
    n = numbers(3, 0.2, similarity="euclidean")
    wide = 40
    u = np.random.default_rng(0).normal(size=(2000, len(n.S)))
    points = Points(n)
    points.n = type(n)(**{**vars(n), "S": np.tile(n.S, (1, wide))})
    assert _peak(lambda: points.mix(u)) < 8 * u.shape[0] * n.k * wide * 6


def test_one_long_string_among_many_is_counted_quickly():
    """Each step reads only the strings that have a symbol there."""
    n = numbers(3, 0.2)
    words = [("0", "1")] * 20_000 + [("0",) * 3_000]
    counted = count(n, words, "hard")
    assert counted.counts.sum() == sum(map(len, words))


def test_the_net_covers_the_points_that_strings_reach():
    n = numbers(3, 0.5)
    points, run = Points(n), net(n, 1e-3)
    assert run is not None
    np.testing.assert_array_equal(run.alpha[:1], points.first())
    for symbol in range(2):
        away = np.abs(points.step(run.alpha, symbol) - run.alpha[run.after[:, symbol]]).max()
        assert away <= 1e-3
    distances = np.abs(run.alpha[:, None] - run.alpha[None]).max(axis=2) + np.eye(len(run.alpha))
    assert distances.min() > 1e-3


def test_it_reports_its_progress():
    """Progress is also reported before boxes are proved, because widening many boxes takes seconds."""
    stages: list[str] = []
    nodes: list[tuple[int, int]] = []
    answer = certify(
        random_network(3), 0.5, progress=lambda done, of: nodes.append((done, of)), stage=stages.append
    )
    assert answer.nodes is not None and nodes[-1] == (len(answer.nodes) - 1, len(answer.nodes))
    assert stages[0] == "the hard automaton"
    assert any("points" in s for s in stages)
    assert any("round 1 of" in s for s in stages)
