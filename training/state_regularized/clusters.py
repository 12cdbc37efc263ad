"""Training of the recurrent part without centroids, and placement of centroids at clusters of its states.

Without its stochastic component, the recurrent part of a network learns an automaton from labelled strings
within seconds. With the component, it learns slowly, because almost no gradient passes through a centroid
that two different states share. Noise in training separates states that must be distinguished, and contracts
other states to a few clusters. The state-regularized network then has a centroid at the mean of each cluster.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from neural.state_regularized.acceptor import Acceptor
from training.state_regularized.batches import BatchRows

POINTS = 5000
"""The maximum number of states from which clusters are computed."""
APART = 400
"""The maximum number of states in the hierarchical clustering.

These are states that are far from each other, so that rare states count as much as frequent states.
"""
FEWEST = 2
STEP = 1.2
"""The factor between successive numbers of clusters that are tried."""


class Alone(NamedTuple):
    """The output of the recurrent part of a network on B strings with N symbols in total.

    Attributes:
        logits: positive means accept, shape ``(B,)``.
        states: u after each token, shape ``(B + N, d)``. The first B rows are the states after the start
            token, one per string; the other rows are the states after each symbol.
    """

    logits: Tensor
    states: Tensor


def alone(
    network: Acceptor,
    rows: BatchRows,
    chosen: Tensor,
    noise: float = 0.0,
    generator: torch.Generator | None = None,
) -> Alone:
    """Run the network without its stochastic component: h_t = u_t plus noise.

    Args:
        network: a network of one layer whose only state is h, with a start token.
        rows: the strings.
        chosen: indices of rows in decreasing order, so that the longest string comes first; shape ``(B,)``.
        noise: the standard deviation of the noise on every unit of every state that is read.
        generator: the generator of the noise.
    """
    cell, symbols = network.cells[0], len(network.alphabet)
    read = cell.part.read(network.embedding.weight)
    strings = rows.packed(chosen)

    def noisy(u: Tensor) -> Tensor:
        return u + noise * torch.randn(u.shape, generator=generator) if noise else u

    (u,) = cell.part.step(read[symbols : symbols + 1].expand(len(chosen), -1), cell.start(len(chosen)))
    states, at = [u], 0
    for size in strings.sizes:
        (u,) = cell.part.step(read[strings.tokens[at : at + size]], (noisy(u[:size]),))
        states.append(u)
        at += size
    every = torch.cat(states)
    ends = strings.last(every[len(chosen) :], every[: len(chosen)])
    return Alone(network.classify([(noisy(ends),)]), every)


def sizes(most: int) -> list[int]:
    """Return the numbers of clusters to try, in increasing order.

    >>> sizes(50)
    [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48, 50]
    """
    tried = [FEWEST]
    while tried[-1] < most:
        tried.append(min(most, math.ceil(tried[-1] * STEP)))
    return tried


def some_states(network: Acceptor, rows: BatchRows, generator: torch.Generator) -> Tensor:
    """Return up to POINTS random states of the recurrent part without noise, shape ``(states, d)``."""
    with torch.no_grad():
        every = alone(network, rows, torch.arange(len(rows.lengths) - 1, -1, -1)).states
    return every[torch.randperm(len(every), generator=generator)[:POINTS]]


def means(states: Tensor, most: int) -> Iterator[Tensor]:
    """Cluster the states into more and more clusters; yield the means each time, shape ``(clusters, d)``.

    Args:
        states: shape ``(states, d)``.
        most: the maximum number of clusters.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # a slow import, needed only in training

    few = farthest(states, APART)
    tree = linkage(few.double().numpy(), "average")
    for many in sizes(min(most, len(few))):
        names = torch.as_tensor(fcluster(tree, many, "maxclust")).long() - 1
        yield _means(states, torch.cdist(states, _means(few, names)).argmin(dim=1))


def farthest(states: Tensor, most: int) -> Tensor:
    """Select states one by one, each the farthest from all selected states; return them, shape ``(most, d)``.

    The result has fewer rows if there are fewer distinct states.

    >>> farthest(torch.tensor([[0.0], [1.0], [5.0], [0.0]]), 3).flatten().tolist()
    [0.0, 5.0, 1.0]
    """
    chosen, away = [0], (states - states[0]).square().sum(dim=1)
    while len(chosen) < most and away.max() > 0:
        chosen.append(int(away.argmax()))
        away = torch.minimum(away, (states - states[chosen[-1]]).square().sum(dim=1))
    return states[chosen]


def _means(states: Tensor, names: Tensor) -> Tensor:
    """Return the mean of each cluster, shape ``(clusters, d)``; ``names`` is the cluster of each state."""
    return torch.stack([states[names == name].mean(dim=0) for name in torch.unique(names)])


def put_centroids(network: Acceptor, centroids: Tensor, spare: float, generator: torch.Generator) -> None:
    """Set the first centroids of the first layer.

    The layer's other centroids become small and random, so that no state is close to them.

    Args:
        network: the network.
        centroids: at most k, shape ``(centroids, d)``.
        spare: the approximate norm of the other centroids.
        generator: the generator of the other centroids.
    """
    own = network.cells[0].component.centroids
    with torch.no_grad():
        own.normal_(0, spare / len(own) ** 0.5, generator=generator)
        own[:, : len(centroids)] = centroids.T
