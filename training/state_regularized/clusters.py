"""The recurrent part trained alone, with noise on its states; and centroids put where its states cluster.

A recurrent part without its stochastic component learns an automaton from labelled strings within seconds,
where with the component it hardly climbs: a state that two strings share by mistake passes on next to no
gradient. Noise keeps the states that it must tell apart wide apart, and draws those that it need not into few
clusters. Centroids at the clusters' means then make the state-regularized network.
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
"""States that are looked at, at most."""
APART = 400
"""How many of them are clustered: those that lie farthest from each other, so that rare ones count as much as
frequent ones.
"""
FEWEST = 2
STEP = 1.2
"""How many times as many clusters are tried next."""


class Alone(NamedTuple):
    """What the recurrent part of a network makes of B strings with N symbols in all.

    Attributes:
        logits: positive means accept, shape ``(B,)``.
        states: u after the start token, for each string, and then after each symbol; shape ``(B + N, d)``.
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
    """The network without its stochastic component: h_t = u_t, and noise.

    Args:
        network: of one layer with a state h and no other, and with a start token.
        rows: the strings.
        chosen: places of rows, falling, so that the longest string comes first; shape ``(B,)``.
        noise: standard deviation of the noise on every unit of every state that something is read from.
        generator: where it comes from.
    """
    cell, symbols = network.cells[0], len(network.alphabet)
    read = cell.part.read(network.embedding.weight)
    strings = rows.packed(chosen)

    def heard(u: Tensor) -> Tensor:
        return u + noise * torch.randn(u.shape, generator=generator) if noise else u

    (u,) = cell.part.step(read[symbols : symbols + 1].expand(len(chosen), -1), cell.start(len(chosen)))
    states, at = [u], 0
    for size in strings.sizes:
        (u,) = cell.part.step(read[strings.tokens[at : at + size]], (heard(u[:size]),))
        states.append(u)
        at += size
    every = torch.cat(states)
    ends = strings.last(every[len(chosen) :], every[: len(chosen)])
    return Alone(network.classify([(heard(ends),)]), every)


def sizes(most: int) -> list[int]:
    """How many clusters to try, few first.

    >>> sizes(50)
    [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48, 50]
    """
    tried = [FEWEST]
    while tried[-1] < most:
        tried.append(min(most, math.ceil(tried[-1] * STEP)))
    return tried


def some_states(network: Acceptor, rows: BatchRows, generator: torch.Generator) -> Tensor:
    """States of the recurrent part alone on random strings of those, without noise; at most POINTS, shape
    ``(states, d)``.
    """
    with torch.no_grad():
        every = alone(network, rows, torch.arange(len(rows.lengths) - 1, -1, -1)).states
    return every[torch.randperm(len(every), generator=generator)[:POINTS]]


def means(states: Tensor, most: int) -> Iterator[Tensor]:
    """The means of few clusters of those states, and of more and more; each of shape ``(clusters, d)``.

    Args:
        states: shape ``(states, d)``.
        most: the most clusters.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # a slow import, for those who train only

    few = farthest(states, APART)
    tree = linkage(few.double().numpy(), "average")
    for many in sizes(min(most, len(few))):
        names = torch.as_tensor(fcluster(tree, many, "maxclust")).long() - 1
        yield _means(states, torch.cdist(states, _means(few, names)).argmin(dim=1))


def farthest(states: Tensor, most: int) -> Tensor:
    """Some of those states, each the farthest from all before it, shape ``(most, d)``; fewer where there are
    no more different ones.

    >>> farthest(torch.tensor([[0.0], [1.0], [5.0], [0.0]]), 3).flatten().tolist()
    [0.0, 5.0, 1.0]
    """
    chosen, away = [0], (states - states[0]).square().sum(dim=1)
    while len(chosen) < most and away.max() > 0:
        chosen.append(int(away.argmax()))
        away = torch.minimum(away, (states - states[chosen[-1]]).square().sum(dim=1))
    return states[chosen]


def _means(states: Tensor, names: Tensor) -> Tensor:
    """Of the states of each name, those that some state has; shape ``(names, d)``."""
    return torch.stack([states[names == name].mean(dim=0) for name in torch.unique(names)])


def put_centroids(network: Acceptor, centroids: Tensor, spare: float, generator: torch.Generator) -> None:
    """Give the first layer those centroids; the others that it has are small and random, so that no state
    comes near them.

    Args:
        network: whose.
        centroids: at most k, shape ``(centroids, d)``.
        spare: the others' norm, about.
        generator: of the others.
    """
    own = network.cells[0].component.centroids
    with torch.no_grad():
        own.normal_(0, spare / len(own) ** 0.5, generator=generator)
        own[:, : len(centroids)] = centroids.T
