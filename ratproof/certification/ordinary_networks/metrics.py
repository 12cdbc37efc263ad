"""Metrics for the nodes of a net: every symbol contracts differences of states, measured in these metrics."""

from __future__ import annotations

import time

import numpy as np

from automata.errors import LimitReached
from ratproof.certification.ordinary_networks.arithmetic import Array, Duals, Points
from ratproof.certification.ordinary_networks.net import Net
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork

LEAVING_RATE = 4.0
"""Factor by which differences may grow on an edge to a later component; no path returns from it."""
SETTLED = 1e-3


def jacobians(network: OrdinaryNetwork, centers: Array, symbol: int) -> Array:
    """Return the Jacobian of the network's step with ``symbol`` at each state, of shape ``(N, D, D)``."""
    size = centers.shape[1]
    identity = np.broadcast_to(np.eye(size), (len(centers), size, size))
    return network.step(Duals(centers, identity), np.full(len(centers), symbol)).generators


def contracting_metrics(
    network: OrdinaryNetwork,
    net: Net,
    nodes: np.ndarray,
    rate: float,
    rounds: int,
    metrics: Array,
    until: float,
    most: float,
) -> Array | None:
    """Return metrics M with ``M[n] >= I`` and ``M[n] >= J.T @ M[edges[n, a]] @ J / rate**2`` approximately.

    They exist if the products of Jacobians along the network's own paths contract; single steps may expand.
    They are path-complete Lyapunov functions (Ahmadi, Jungers, Parrilo and Roozbehani, 2014).

    Args:
        network: The network.
        net: The nodes. Edges to keyed nodes (see :class:`Net`) are left out.
        nodes: The nodes whose metrics are computed.
        rate: The factor by which each symbol must contract.
        rounds: Maximum number of updates of all metrics.
        metrics: The metrics of the other nodes, and the initial metrics of ``nodes``, of shape ``(N, D, D)``.
        until: The value of ``time.monotonic()`` at which to stop.
        most: The trace of a metric above which the search for metrics is stopped as divergent.

    Returns:
        Symmetric matrices of shape ``(N, D, D)``, or None if they diverge.

    Raises:
        LimitReached: If the time is up.
    """
    identity = np.eye(network.size)
    edges = [nodes[~net.keyed[net.edges[nodes, a]]] for a in range(net.edges.shape[1])]
    steps = []
    for a, rows in enumerate(edges):
        _require_time(until)
        rates = np.where(np.isin(net.edges[rows, a], nodes), rate, LEAVING_RATE)
        steps.append(jacobians(network, net.centers[rows], a) / rates[:, None, None])
    metrics = np.array(metrics)
    for _ in range(rounds):
        updated = np.array(metrics)
        updated[nodes] = identity
        for a, rows in enumerate(edges):
            _require_time(until)
            pulled = steps[a].swapaxes(1, 2) @ metrics[net.edges[rows, a]] @ steps[a]
            updated[rows] = loewner_join(updated[rows], pulled)
        traces, before = (np.trace(part[nodes], axis1=1, axis2=2) for part in (updated, metrics))
        metrics = updated
        if not traces.max() < most:
            return None
        if np.abs(traces - before).max() < SETTLED * traces.max():
            break
    return metrics


def upper_factors(metrics: Array) -> Array:
    """Return the upper triangular T with ``T.T @ T`` equal to each metric, of shape ``(N, D, D)``."""
    return np.asarray(np.linalg.cholesky(metrics).swapaxes(1, 2), dtype=np.float64)


def loewner_join(first: Array, second: Array) -> Array:
    """Return symmetric upper bounds of pairs of matrices, of shape ``(N, D, D)``.

    The matrices of ``first`` must be positive definite. There is a basis in which the sum of the two matrices
    is the identity and both are diagonal. In this basis, the bound is the elementwise maximum of the two
    diagonals.
    """
    if not len(first):
        return first
    lower = np.linalg.cholesky(first + second)
    inverse = np.linalg.inv(lower)
    whitened = inverse @ first @ inverse.swapaxes(1, 2)
    values, vectors = np.linalg.eigh((whitened + whitened.swapaxes(1, 2)) / 2)
    basis = lower @ vectors
    joined: Array = (basis * np.maximum(values, 1 - values)[:, None, :]) @ basis.swapaxes(1, 2)
    return joined


def recenter(network: OrdinaryNetwork, net: Net, factors: Array, until: float, rounds: int = 12) -> None:
    """Move each node except the start towards the middle of the images that its region must contain.

    Raises:
        LimitReached: If the time is up.
    """
    symbols = net.edges.shape[1]
    targets = net.edges.ravel()
    hit = np.zeros(len(net), bool)
    hit[targets] = True
    hit[0] = False
    for _ in range(rounds):
        _require_time(until)
        images = np.stack(
            [network.step(Points(net.centers), np.full(len(net), a)).center for a in range(symbols)], 1
        ).reshape(len(targets), -1)
        middles = _middles(images, targets, factors, net)
        net.centers[hit] = (net.centers[hit] + middles[hit]) / 2


def _require_time(until: float) -> None:
    if time.monotonic() > until:
        raise LimitReached("the time limit was reached")


def _middles(images: Array, targets: np.ndarray, factors: Array, net: Net) -> Array:
    """Return the center of the smallest ball (for keyed nodes, box) around the images that lead to each node.

    The balls are approximate (Badoiu and Clarkson, 2003).
    """
    middles, counts = np.zeros_like(net.centers), np.zeros(len(net))
    np.add.at(middles, targets, images)
    np.add.at(counts, targets, 1)
    middles /= np.maximum(counts, 1)[:, None]
    for step in range(30):
        moved = np.matmul(factors[targets], (images - middles[targets])[:, :, None])[..., 0]
        order = np.argsort(np.einsum("nd,nd->n", moved, moved))
        farthest = np.full(len(net), -1)
        farthest[targets[order]] = order
        rows = np.flatnonzero(farthest >= 0)
        middles[rows] += (images[farthest[rows]] - middles[rows]) / (step + 2)
    low, high = np.full_like(middles, np.inf), np.full_like(middles, -np.inf)
    np.minimum.at(low, targets, images)
    np.maximum.at(high, targets, images)
    boxes = net.keyed & (counts > 0)
    middles[boxes] = (low[boxes] + high[boxes]) / 2
    return middles
