"""Tests that the checker's images of regions contain torch's float32 states, and agree with those of the
search.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.moore import Moore
from proofs_tests.papers.certification.ordinary import CELLS, random_layers
from ratproof.certification.ordinary_networks.arithmetic import Duals, Forms, Points
from ratproof.certification.ordinary_networks.certificate import network_json
from ratproof.certification.ordinary_networks.groups import grouped
from ratproof.certification.ordinary_networks.metrics import jacobians, loewner_join
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.certification.ordinary_networks.regions import Regions, grow, inverse
from ratproof.checkers import check_regions
from ratproof.checkers.check_regions import ONE, Box, Ellipsoid, fixed

seeds = st.integers(0, 10**6)
cells = pytest.mark.parametrize("cell", CELLS)
SYMBOLS = ("a", "b")


def drawn(cell, seed, layers=1, classes=1, scale=2.0):
    """Return random layers of torch, with their network and the checker's network."""
    rnn, linear = random_layers(cell, 3, 2, classes, seed, num_layers=layers)
    with torch.no_grad():
        for parameter in rnn.parameters():
            parameter.mul_(scale)
    vectors = np.random.default_rng(seed).normal(size=(2, 3)).astype(np.float32).astype(float)
    network = network_of_parts(rnn, linear, vectors, 0.25 if classes == 1 else 0.0, SYMBOLS)
    return rnn, linear, network, check_regions.Network(network_json(network))


def region_of(rng, size, box, radius):
    """Return a random region for the checker, and its forms for the search."""
    center = rng.normal(size=size).astype(np.float32).astype(float)
    if box:
        width = (radius * rng.random(size)).astype(np.float32).astype(float)
        forms = Forms.region(center[None], np.diag(width)[None], True)
        return Box(*(fixed([x.hex() for x in v.tolist()], 1) for v in (center, width))), forms
    factor = np.triu(0.3 * rng.normal(size=(size, size))) / radius
    factor[np.diag_indices(size)] = np.exp(rng.normal(size=size)) / radius
    factor = factor.astype(np.float32).astype(float)
    rows = [[x.hex() for x in row[i:]] for i, row in enumerate(factor.tolist())]
    forms = Forms.region(center[None], inverse(factor[None]), False)
    return Ellipsoid(fixed([x.hex() for x in center.tolist()], 1), fixed(rows, 2)), forms


def torch_step(rnn, states, vector):
    """Return torch's next states, of shape (N, D), after one symbol."""
    layers, lstm = rnn.num_layers, isinstance(rnn, torch.nn.LSTM)
    parts = torch.tensor(states, dtype=torch.float32).reshape(len(states), layers, -1, rnn.hidden_size)
    start = [parts[:, :, k].transpose(0, 1).contiguous() for k in range(1 + lstm)]
    inputs = torch.tensor(vector, dtype=torch.float32).expand(1, len(states), -1)
    with torch.no_grad():
        outputs, after = rnn(inputs, tuple(start) if lstm else start[0])
    stacked = torch.stack(after if lstm else [after], 2)  # (layers, N, h or c, units)
    return outputs[0], stacked.transpose(0, 1).reshape(len(states), -1).double().numpy()


@cells
@settings(max_examples=25)
@given(seeds, st.integers(1, 2), st.booleans(), st.sampled_from([0.01, 0.3, 2.0]))
def test_steps_of_torch_stay_in_the_images(cell, seed, layers, box, radius):
    rnn, linear, network, checker = drawn(cell, seed, layers)
    rng = np.random.default_rng(seed)
    region, forms = region_of(rng, network.size, box, radius)
    xi = rng.normal(size=(300, network.size))
    xi /= np.abs(xi).max(1, keepdims=True) if box else np.linalg.norm(xi, axis=1, keepdims=True)
    states = (forms.center + 0.999 * xi @ forms.generators[0].T).astype(np.float32).astype(float)
    start = region.forms()
    images = list(checker.images(start))
    for vector, image in zip(network.embeddings, images, strict=True):
        _, after = torch_step(rnn, states, vector)
        low, high = (np.array([getattr(x, end) / ONE for x in image]) for end in ("low", "high"))
        assert (low <= after).all() and (after <= high).all()
        # the directions are those of the rounded states
        moved = np.linalg.solve(np.array([x.g for x in start], float) / ONE, (states - forms.center).T).T
        center, error = (np.array([getattr(x, part) / ONE for x in image]) for part in "ce")
        line = center + moved @ (np.array([x.g for x in image], float) / ONE).T
        assert (np.abs(after - line) <= error + 1e-9).all()
    outputs = linear(
        torch.tensor(states[:, -network.units * (2 if cell == "lstm" else 1) :][:, : network.units]).float()
    )
    decisions = (outputs[:, 0] > 0.25).long()
    assert not any(checker.decides(start, label) and (decisions != label).any() for label in (0, 1))


@cells
@settings(max_examples=25)
@given(
    seeds, st.integers(1, 2), st.booleans(), st.sampled_from([0.01, 0.3]), st.sampled_from([0.0, 0.01, 1.0])
)
def test_steps_of_torch_stay_in_the_images_of_groups(cell, seed, layers, box, radius, distance):
    """The image of a group contains those of its symbols, also in the search."""
    rnn, _, network, _ = drawn(cell, seed, layers)
    rng = np.random.default_rng(seed)
    vectors = network.embeddings[0] + distance * rng.normal(size=(3, 3))
    network = replace(network, embeddings=np.float32(vectors).astype(float), alphabet=("a", "b", "c"))
    groups = [[0, 2], [1]]
    checker = check_regions.Network(network_json(network), groups)
    machine = Moore(("a", "b", "c"), 0, ((0,) * 3,), (0,))
    region, forms = region_of(rng, network.size, box, radius)
    xi = rng.normal(size=(100, network.size))
    xi /= np.abs(xi).max(1, keepdims=True) if box else np.linalg.norm(xi, axis=1, keepdims=True)
    states = (forms.center + 0.999 * xi @ forms.generators[0].T).astype(np.float32).astype(float)
    joined, _ = grouped(network, machine, groups)
    for number, (group, image) in enumerate(zip(groups, checker.images(region.forms()), strict=True)):
        ends = [np.array([getattr(x, end) / ONE for x in image]) for end in ("low", "high")]
        enclosure = joined.step(forms, np.array([number]))
        for low, high in (ends, (enclosure.low[0], enclosure.high[0])):
            for symbol in group:
                _, after = torch_step(rnn, states, network.embeddings[symbol])
                assert (low <= after).all() and (after <= high).all()


@cells
@settings(max_examples=25)
@given(seeds, st.integers(1, 2), st.booleans(), st.sampled_from([0.001, 0.3, 2.0]))
def test_the_search_and_the_checker_have_the_same_images(cell, seed, layers, box, radius):
    _, _, network, checker = drawn(cell, seed, layers)
    region, forms = region_of(np.random.default_rng(seed), network.size, box, radius)
    for symbol, image in enumerate(checker.images(region.forms())):
        expected = network.step(forms, np.array([symbol]))
        for name, part in (("c", "center"), ("e", "error"), ("low", "low"), ("high", "high")):
            ours = np.array([getattr(x, name) / ONE for x in image])
            np.testing.assert_allclose(ours, getattr(expected, part)[0], rtol=1e-6, atol=1e-8)
        ours = np.array([x.g for x in image], float) / ONE
        np.testing.assert_allclose(ours, expected.generators[0], rtol=1e-6, atol=1e-7)


@cells
@settings(max_examples=15)
@given(seeds, st.integers(1, 3), st.booleans(), st.sampled_from([0.01, 0.3]))
def test_the_search_and_the_checker_decide_alike(cell, seed, classes, box, radius):
    _, _, network, checker = drawn(cell, seed, 2, classes)
    region, forms = region_of(np.random.default_rng(seed), network.size, box, radius)
    for label in range(network.decisions):
        margins = network.margins(forms, np.array([label])).low
        if abs(margins.min()) > 1e-5:
            assert checker.decides(region.forms(), label) == bool((margins > 0).all())


@cells
@settings(max_examples=15)
@given(seeds, st.booleans(), st.sampled_from([0.05, 0.5]))
def test_the_forms_of_the_search_contain_the_images_of_points(cell, seed, box, radius):
    _, _, network, _ = drawn(cell, seed)
    rng = np.random.default_rng(seed)
    _, forms = region_of(rng, network.size, box, radius)
    xi = rng.normal(size=(100, network.size))
    xi /= np.abs(xi).max(1, keepdims=True) if box else np.linalg.norm(xi, axis=1, keepdims=True)
    image = network.step(forms, np.array([1]))
    points = network.step(Points(forms.center + xi @ forms.generators[0].T), np.ones(100, int)).center
    assert (image.low <= points).all() and (points <= image.high).all()
    assert (np.abs(points - image.center - xi @ image.generators[0].T) <= image.error).all()


@cells
@given(seeds, st.integers(1, 2))
def test_jacobians_are_the_limits_of_differences(cell, seed, layers):
    _, _, network, _ = drawn(cell, seed, layers, scale=1.0)
    state = 0.5 * np.random.default_rng(seed).normal(size=(1, network.size))
    step, symbol = 1e-6, np.array([0])
    (jacobian,) = jacobians(network, state, 0)
    for index, direction in enumerate(np.eye(network.size)):
        ends = [network.step(Points(state + s * step * direction), symbol).center for s in (1, -1)]
        near_kink = cell == "rnn_relu" and (np.minimum(*ends) == 0).any()
        difference = (ends[0] - ends[1])[0] / (2 * step)
        assert near_kink or np.allclose(jacobian[:, index], difference, atol=1e-6)
    assert network.step(Duals(state, np.eye(network.size)[None]), symbol).center.shape == state.shape


@given(seeds, st.integers(1, 5))
def test_the_join_of_two_matrices_is_at_least_both(seed, size):
    rng = np.random.default_rng(seed)
    first, second = (m @ m.swapaxes(1, 2) + 0.01 * np.eye(size) for m in rng.normal(size=(2, 3, size, size)))
    join = loewner_join(first, second)
    for matrix in (first, second):
        assert np.linalg.eigvalsh(join - matrix).min() >= -1e-9 * np.abs(join).max()
    np.testing.assert_allclose(loewner_join(first, 0.5 * first), first, rtol=1e-6, atol=1e-9)


def test_grown_regions_contain_their_images():
    """A contracting network has one region, which the checker accepts for its own image."""
    rnn, linear = random_layers("rnn_tanh", 2, 2, 1, 3)
    with torch.no_grad():
        rnn.weight_hh_l0.mul_(0.3)
    network = network_of_parts(rnn, linear, np.eye(2), -100.0, SYMBOLS)
    states, edges, is_box = np.zeros(1, int), np.zeros((1, 2), int), np.zeros(1, bool)
    center, radii, widths = np.zeros((1, 2)), np.full(1, 1e-4), np.full((1, 2), 1e-4)
    regions = Regions(states, np.ones(1, int), edges, center, is_box, np.eye(2)[None], radii, widths)
    assert grow(network, regions, np.array([0]), 1.01, np.inf) is None
    checker = check_regions.Network(network_json(network))
    scale = float(np.float32(1 / regions.radii[0]))
    region = Ellipsoid([0, 0], fixed([[scale.hex(), (0.0).hex()], [scale.hex()]], 2))
    assert all(region.contains(image) for image in checker.images(region.forms()))
    larger = float(np.float32(1.25 * scale)).hex()
    smaller = Ellipsoid([0, 0], fixed([[larger, (0.0).hex()], [larger]], 2))
    assert not all(smaller.contains(image) for image in checker.images(smaller.forms()))
