"""Evaluation of a network with a cell state on points in float64, with soft or saturated gates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.counters.numbers import CounterNumbers

EDGE = 0.5
"""Absolute preactivation above which a gate is saturated."""


class CounterPoints:
    """The network evaluated on B states at once, with h and c of shape ``(B, d)``.

    Args:
        numbers: The network.
        saturated: Whether gates are 0 or 1 (-1 or 1 for the candidate) if their absolute preactivation is
            more than 1/2.
    """

    def __init__(self, numbers: CounterNumbers, saturated: bool = False) -> None:
        self.n, self.saturated = numbers, saturated
        self.reads = numbers.embedding @ numbers.W.T + numbers.b + numbers.c

    def first(self) -> tuple[Floats, Floats]:
        """Return the state before the first symbol, shapes ``(1, d)``."""
        h, c = self.n.first_h[None], np.zeros((1, self.n.d))
        return self.step(h, c, np.array([self.n.start])) if self.n.start_token else (h, c)

    def step(self, h: Floats, c: Floats, tokens: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the states after one token per row."""
        u, c = self._recur(h, c, tokens)
        return self._mix(u), c

    def logits(self, h: Floats, c: Floats) -> Floats:
        """Return the classifier's logits after the end token, shape ``(B,)``."""
        u, _ = self._recur(h, c, np.full(len(h), self.n.end))
        return np.asarray(u @ self.n.w + self.n.v)

    def _recur(self, h: Floats, c: Floats, tokens: NDArray[np.int64]) -> tuple[Floats, Floats]:
        n = self.n
        i, f, g, o = np.split(self.reads[tokens] + h @ n.U.T, 4, axis=1)
        c = self._sigmoid(f + n.P[1] * c) * c + self._sigmoid(i + n.P[0] * c) * self._tanh(g)
        return self._sigmoid(o + n.P[2] * c) * np.tanh(c), c

    def _mix(self, u: Floats) -> Floats:
        if self.n.S is None or self.n.temperature is None:
            return u
        b = u @ self.n.S
        weights = np.exp((b - b.max(axis=1, keepdims=True)) / self.n.tau)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ self.n.S.T)

    def _sigmoid(self, x: Floats) -> Floats:
        soft = 0.5 * (1 + np.tanh(0.5 * x))
        return np.where(np.abs(x) > EDGE, x > 0, soft) if self.saturated else soft

    def _tanh(self, x: Floats) -> Floats:
        soft = np.tanh(x)
        return np.where(np.abs(x) > EDGE, np.sign(x), soft) if self.saturated else soft
