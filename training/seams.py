"""What training asks of the rest of the house about a trained network: its hard and soft automata, and a certificate.

These three functions are the only places where training meets extraction and certification.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from automata.deterministic import DFA
from neural.state_regularized.acceptor import Acceptor
from training.boxes import Weights, boxes_close

ALIKE = 1e-3
"""Two points of the soft run are one node when their alphas differ by less, their labels agree, and they are accepted alike."""
MOST_NODES = 2000


def hard_automaton(network: Acceptor) -> DFA:
    """The automaton for temperature -> 0: the cell asked at every centroid for every symbol (no data, so no pair is unseen)."""
    weights = Weights(network)
    after, accepts = weights.asked()
    first = weights.step(weights.start_token, np.zeros(len(weights.centroids))) @ weights.centroids
    return DFA(network.alphabet, int(first.argmax()), after.tolist(), frozenset(np.flatnonzero(accepts).tolist())).minimal()


def soft_automaton(network: Acceptor) -> DFA | None:
    """The automaton of the soft run at the network's temperature, on its nodes: points that lie together are one.

    ``None`` where there are too many nodes. It is what the run looks like, and no proof.
    """
    weights = Weights(network)

    def alpha(u: Any) -> Any:
        logits = u @ weights.centroids / weights.temperature
        shares = np.exp(logits - logits.max())
        return shares / shares.sum()

    nodes: list[tuple[Any, int, bool]] = []

    def node(point: Any) -> int:
        h = weights.centroids @ point
        accepts = bool(weights.step(weights.end_token, h) @ weights.classifier + weights.threshold > 0)
        label = int(point.argmax())
        for place, (other, *same) in enumerate(nodes):
            if same == [label, accepts] and np.abs(other - point).max() < ALIKE:
                return place
        nodes.append((point, label, accepts))
        return len(nodes) - 1

    node(alpha(weights.step(weights.start_token, np.zeros(len(weights.centroids)))))
    table: list[tuple[int, ...]] = []
    while len(table) < len(nodes):
        if len(nodes) > MOST_NODES:
            return None
        h = weights.centroids @ nodes[len(table)][0]
        table.append(tuple(node(alpha(weights.step(read, h))) for read in weights.symbols))
    return DFA(
        network.alphabet, 0, tuple(table), frozenset(place for place, (_, _, accepts) in enumerate(nodes) if accepts)
    ).minimal()


def certified(network: Acceptor) -> bool:
    """Does the soft network accept, on all strings, what its automaton accepts? In floats, until it is asked of the certifier."""
    return boxes_close(network) is not None
