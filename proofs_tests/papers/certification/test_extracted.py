"""Tests of the results of ``extract`` and ``figures`` against the torch network: tables of probabilities,
counts and pictures.
"""

from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
import torch

from proofs_tests.papers.certification.some_networks import KINDS, SIMILARITIES, random_network
from ratproof.certification.extraction import figures
from ratproof.certification.extraction.counts import TransitionCounts, count
from ratproof.certification.extraction.probabilities import along, over_temperatures, probabilistic, table
from ratproof.certification.soft_networks.certify import certify
from ratproof.certification.soft_networks.hard import hard_automaton
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.certification.soft_networks.soft_run import _linked

TAUS = (0.2, 1.0, 5.0)


def _torch_alpha(network, centroid: int, token: int) -> np.ndarray:
    """Return alpha of the torch cell at a centroid, for a symbol."""
    (cell,) = network.cells
    with torch.no_grad():
        u, *_ = cell.part.step(
            cell.part.read(network.embedding.weight[token : token + 1]), cell.at_centroid(centroid)
        )
        return np.asarray(cell.component(u)[1][0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_tables_agree_with_torch_at_each_centroid_and_temperature(kind, similarity):
    network = random_network(7, kind, similarity)
    n = numbers_of(network)
    tables = over_temperatures(n, TAUS)
    for tau, rows in zip(TAUS, tables, strict=True):
        network.set_temperature(tau)
        expected = np.array([[_torch_alpha(network, i, a) for a in range(2)] for i in range(n.k)])
        np.testing.assert_allclose(rows, expected, atol=1e-12)
        np.testing.assert_allclose(table(numbers_of(network)), expected, atol=1e-12)


@pytest.mark.parametrize("start_token", [True, False])
def test_the_run_over_temperatures_agrees_with_torch(start_token):
    network = random_network(6, start_token=start_token)
    by_temperature = along(numbers_of(network), "100", TAUS)
    for tau, rows in zip(TAUS, by_temperature, strict=True):
        network.set_temperature(tau)
        with torch.no_grad():
            np.testing.assert_allclose(rows, network.probabilities(["100"])[:, 0], atol=1e-12)
            np.testing.assert_allclose(
                np.asarray(probabilistic(numbers_of(network)).initial, dtype=float),
                network.probabilities([""])[0, 0],
                atol=1e-12,
            )


def test_counts_start_in_the_initial_state_of_the_network():
    starts = set()
    for seed in range(12):
        n = numbers_of(random_network(seed), 0.01)
        starts.add(start := count(n, [("0",)], "hard").start)
        assert start == hard_automaton(n).start
    assert len(starts) > 2


def test_an_ambiguous_pair_is_undecided_and_ties_take_the_first():
    counts = np.zeros((3, 1, 3), dtype=np.int64)
    counts[0, 0] = [0, 1, 1]
    counts[1, 0] = [0, 0, 7]
    counted = TransitionCounts("soft", 0, counts)
    assert counted.undecided == [(0, 0)]
    assert counted.table == ((1,), (2,), (None,))
    assert counted.unseen == [(2, 0)]


def _texts(picture: str) -> list[str]:
    return ["".join(part.itertext()) for part in fromstring(picture).iter() if part.tag.endswith("text")]


def test_states_in_pictures_are_numbered_and_accepting_ones_have_two_circles():
    network = random_network(3)
    answer = certify(network, 0.5)
    machine = answer.hard.machine()
    assert machine is not None
    labels = [label for label, _ in machine.outputs]
    assert labels != list(range(len(labels)))
    accepting = sum(accepts for _, accepts in machine.outputs)
    for picture in (figures.hard_automaton(answer.hard), figures.soft_automaton(answer)):
        assert picture is not None and {str(label) for label in labels} <= set(_texts(picture))
        assert str(next(i for i in range(5) if i not in labels)) not in _texts(picture)
        assert picture.count("<ellipse") - picture.count('stroke="transparent"') >= len(labels) + accepting
    picture_of_all = figures.probabilistic_automaton(answer.numbers, answer.hard)
    one = figures.probabilistic_automaton(answer.numbers, hard_automaton(numbers_of(_never(network), 0.5)))
    assert picture_of_all.count("<ellipse") == one.count("<ellipse") + sum(map(bool, answer.hard.accepts))


def _never(network):
    """Return the network with a classifier that rejects every string."""
    with torch.no_grad():
        network.classifier.weight.zero_()
        network.classifier.bias.fill_(-1.0)
    return network


def test_points_are_connected_through_others():
    """A chain is one component, although its ends are far apart."""
    chain = np.array([[0.0], [0.5], [1.0], [3.0]])
    assert _linked(chain, 0.6).tolist() == [0, 0, 0, 3]
