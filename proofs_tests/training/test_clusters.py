"""Tests of a recurrent component that is trained alone, and of centroids at the clusters of its states."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neural.state_regularized.acceptor import Acceptor
from training.state_regularized.batches import BatchRows
from training.state_regularized.clusters import alone, farthest, means, put_centroids, sizes
from training.state_regularized.strings import LabelledStrings

WORDS = ((), (0,), (1, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1, 1))


def network(seed: int = 0) -> Acceptor:
    torch.manual_seed(seed)
    return Acceptor(("0", "1"), "sr-gru", 7, 5).double()


def rows() -> BatchRows:
    return BatchRows(LabelledStrings(WORDS, tuple(len(word) % 2 == 0 for word in WORDS)))


def test_the_recurrent_part_alone_is_torchs_gru():
    """Compare with :class:`torch.nn.GRU` with the same weights on start token, symbols and end token."""
    acceptor, order = network(), torch.arange(len(WORDS) - 1, -1, -1)
    run = alone(acceptor, rows(), order)
    gru = torch.nn.GRU(acceptor.embedding.embedding_dim, 7).double()
    part = acceptor.cells[0].part
    with torch.no_grad():
        for name, linear in (("ih", part.input), ("hh", part.hidden)):
            getattr(gru, f"weight_{name}_l0").copy_(linear.weight)
            getattr(gru, f"bias_{name}_l0").copy_(linear.bias)
    for row, index in enumerate(order.tolist()):
        after, _ = gru(acceptor.embedding(torch.tensor([2, *WORDS[index], 3])))
        torch.testing.assert_close(run.logits[row], acceptor.classifier(after[-1])[0])
        torch.testing.assert_close(run.states[row], after[0])
    assert len(run.states) == len(WORDS) + sum(map(len, WORDS))


def test_noise_is_added_to_every_state_that_is_read():
    acceptor, order = network(), torch.arange(len(WORDS) - 1, -1, -1)
    quiet, loud = (
        alone(acceptor, rows(), order, noise, torch.Generator().manual_seed(3)) for noise in (0.0, 0.5)
    )
    first = slice(0, len(WORDS))
    torch.testing.assert_close(quiet.states[first], loud.states[first])  # before any noise
    assert ((quiet.states - loud.states).norm(dim=1)[len(WORDS) :] > 1e-3).all()
    assert (quiet.logits != loud.logits).all()  # including the states of the empty string


@given(st.integers(2, 5), st.integers(0, 10))
def test_separated_clusters_are_found(many, seed):
    """This holds even for rare clusters: one has a single state."""
    generator = torch.Generator().manual_seed(seed)
    centres = 10 * torch.eye(6)[:many]
    names = torch.cat([torch.randint(1, many, (500,), generator=generator), torch.tensor([0])])
    names[:many] = torch.arange(many)
    states = centres[names] + 0.1 * torch.randn(len(names), 6, generator=generator)
    clusters = {len(some): some for some in means(states, 8)}
    assert set(clusters) >= {many}
    assert torch.cdist(centres, clusters[many]).min(dim=1).values.max() < 0.5


def test_fewer_distinct_states_than_clusters():
    states = torch.tensor([[0.0, 1.0]] * 4 + [[1.0, 0.0]] * 3 + [[2.0, 2.0]])
    assert len(farthest(states, 400)) == 3
    assert [len(some) for some in means(states, 50)] == [2, 3]


@pytest.mark.parametrize("most", [2, 3, 6, 50, 200])
def test_numbers_of_clusters_rise_to_all_of_them(most):
    assert sizes(most) == sorted(set(sizes(most))) and sizes(most)[0] == 2 and sizes(most)[-1] == most


def test_unused_centroids_are_never_the_nearest():
    acceptor, states = network(), torch.eye(7)[:2].double() * 3
    put_centroids(acceptor, states, 0.1, torch.Generator().manual_seed(0))
    similar = acceptor.cells[0].component.similarities(states)
    assert similar.argmax(dim=1).tolist() == [0, 1] and (similar.topk(2, dim=1).values[:, 1] < 1).all()
