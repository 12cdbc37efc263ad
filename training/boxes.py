"""Do the boxes close? One box a state, in floats: a stopping rule and no proof (that is ``ratproof certify``'s).

A box is {alpha : alpha_j >= 1 - eps}. All maps of h = S alpha are linear in alpha, so their range over the box is exact; the gates follow
by monotonicity, and the logits' differences by a mean-value form. The box of state j closes when every symbol maps it inside the box of
the state that the cell names at centroid j, and the classifier decides alike all over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neural.state_regularized.acceptor import Acceptor

SIZES = (0.003, 0.006, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1)
"""Values of eps that are tried."""

Range = tuple[Any, Any]


def boxes_close(network: Acceptor) -> float | None:
    """The first eps with which the boxes of all states that the hard network reaches close, or ``None``."""
    weights = Weights(network)
    start = weights.step(weights.start_token, np.zeros(len(weights.centroids))) @ weights.centroids / weights.temperature
    first = int(start.argmax())
    open_at_start = 1 - 1 / np.exp(np.minimum(start - start[first], 0)).sum()
    sizes = [eps for eps in SIZES if eps >= open_at_start]
    if not sizes:
        return None
    after, accepts = weights.asked()
    states = [first]
    for j in states:
        states += [int(q) for q in dict.fromkeys(after[j].tolist()) if q not in states]
    return next((eps for eps in sizes if all(_closes(weights, j, after[j], bool(accepts[j]), eps) for j in states)), None)


class Weights:
    """The network's weights in float64: an SR-GRU of one layer."""

    def __init__(self, network: Acceptor) -> None:
        cell = network.cells[0]

        def array(tensor: Any) -> Any:
            return tensor.detach().double().cpu().numpy()

        part = cell.part
        self.centroids = array(cell.component.centroids)
        self.temperature = cell.component.temperature
        self.hidden, self.bias = array(part.hidden.weight), array(part.hidden.bias)
        read = array(network.embedding.weight) @ array(part.input.weight).T + array(part.input.bias)
        self.symbols, self.start_token, self.end_token = read[:-2], read[-2], read[-1]
        self.classifier, self.threshold = array(network.classifier.weight)[0], array(network.classifier.bias)[0]

    def step(self, read: Any, h: Any) -> Any:
        """The GRU's u from what was read and h."""
        inside = h @ self.hidden.T + self.bias
        (x_r, x_z, x_n), (h_r, h_z, h_n) = np.split(read, 3, axis=-1), np.split(inside, 3, axis=-1)
        z = _sigmoid(x_z + h_z)
        return (1 - z) * np.tanh(x_n + _sigmoid(x_r + h_r) * h_n) + z * h

    def asked(self) -> tuple[Any, Any]:
        """For each centroid: the centroid after each symbol, shape ``(k, symbols)``; and is it accepted there, shape ``(k,)``?"""
        after = [(self.step(read, self.centroids.T) @ self.centroids).argmax(axis=1) for read in self.symbols]
        return np.stack(after, axis=1), self.step(self.end_token, self.centroids.T) @ self.classifier + self.threshold > 0


def _closes(weights: Weights, j: int, after: Any, accepts: bool, eps: float) -> bool:
    centroids, d = weights.centroids, len(weights.centroids)
    corner = centroids[:, j]
    moved = centroids - corner[:, None]  # how h changes towards each other centroid: (d, k)
    maps = (weights.hidden @ moved).reshape(3, d, -1)
    middle = (weights.hidden @ corner + weights.bias).reshape(3, d)
    inside = middle + eps * np.minimum(maps.min(axis=2), 0), middle + eps * np.maximum(maps.max(axis=2), 0)
    h = corner + eps * np.minimum(moved.min(axis=1), 0), corner + eps * np.maximum(moved.max(axis=1), 0)

    for read, target in zip(weights.symbols, after.tolist(), strict=True):
        centre, radius = _slopes(read.reshape(3, d), inside, h, maps, moved)
        towards = (centroids[:, [target]] - centroids).T / weights.temperature  # (k, d)
        least = towards @ weights.step(read, corner) + eps * np.minimum(
            (towards @ centre - np.abs(towards) @ radius).min(axis=1), 0
        )
        others = np.delete(least, target)
        if np.exp(np.minimum(-others, 700)).sum() > eps / (1 - eps):
            return False
    centre, radius = _slopes(weights.end_token.reshape(3, d), inside, h, maps, moved)
    side = weights.classifier if accepts else -weights.classifier
    at_corner = side @ weights.step(weights.end_token, corner) + (weights.threshold if accepts else -weights.threshold)
    return bool(at_corner + eps * min(0.0, (side @ centre - np.abs(side) @ radius).min()) > 0)


def _slopes(read: Any, inside: Range, h: Range, maps: Any, moved: Any) -> tuple[Any, Any]:
    """How u changes towards each other centroid, all over the box: centre and radius, each of shape ``(d, k)``."""
    (low, high) = inside
    r, z = ((_sigmoid(read[g] + low[g]), _sigmoid(read[g] + high[g])) for g in (0, 1))
    gated = _times(r, (low[2], high[2]))
    n = np.tanh(read[2] + gated[0]), np.tanh(read[2] + gated[1])
    squares = n[0] * n[0], n[1] * n[1]
    flat = 1 - np.maximum(*squares), 1 - np.where((n[0] <= 0) & (n[1] >= 0), 0, np.minimum(*squares))
    through = _times((1 - z[1], 1 - z[0]), flat)  # du/dn times tanh'
    factors = (
        (_times(_times(through, (low[2], high[2])), _steepness(r)), maps[0]),
        (_times((h[0] - n[1], h[1] - n[0]), _steepness(z)), maps[1]),
        (_times(through, r), maps[2]),
        (z, moved),
    )
    centre = sum(((a + b) / 2)[:, None] * along for (a, b), along in factors)
    radius = sum(((b - a) / 2)[:, None] * np.abs(along) for (a, b), along in factors)
    return centre, radius


def _sigmoid(x: Any) -> Any:
    return 0.5 * (1 + np.tanh(0.5 * x))


def _steepness(values: Range) -> Range:
    """The range of s (1 - s)."""
    low, high = (s * (1 - s) for s in values)
    return np.minimum(low, high), np.where((values[0] <= 0.5) & (values[1] >= 0.5), 0.25, np.maximum(low, high))


def _times(a: Range, b: Range) -> Range:
    products = np.stack([x * y for x in a for y in b])
    return products.min(axis=0), products.max(axis=0)
