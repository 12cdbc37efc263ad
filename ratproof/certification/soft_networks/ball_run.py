"""Evaluation of the network in ball arithmetic, one mixture at a time, on strings and at centroids."""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np
from flint import arb, arb_mat

from automata.aliases import String
from ratproof.certification.soft_networks.balls import BallArithmetic, Balls, exact
from ratproof.certification.soft_networks.numbers import Numbers

PRECISIONS = (64, 128, 256, 1024)
"""Precisions in bits, tried in turn until a comparison is certain."""


class BallRun:
    """The network at the precision ``flint.ctx.prec``.

    See :class:`~ratproof.certification.soft_networks.numbers.Numbers`.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.n = numbers
        self.on = BallArithmetic(numbers)
        gates = len(self.on.c)
        self.U = [arb_mat(*part.shape, exact(part).ravel().tolist()) for part in np.split(numbers.U, gates)]

    def u(self, h: Balls, token: int) -> Balls:
        """Return the recurrent component's output u for h of shape ``(d,)`` and a token."""
        on = self.on
        column = arb_mat(len(h), 1, h.tolist())
        inside = [
            np.array((U * column).entries(), dtype=object) + c for U, c in zip(self.U, on.c, strict=True)
        ]
        read = [on.read(token, gate) for gate in range(len(on.c))]
        if self.n.kind == "sr-elman":
            return on.tanh(read[0] + inside[0])
        r, z = (on.sigmoid(read[gate] + inside[gate]) for gate in (0, 1))
        new = on.tanh(read[2] + r * inside[2])
        return np.asarray(new + z * (h - new))

    def similarities(self, u: Balls) -> Balls:
        """Return the similarities b of u to the centroids, not divided by the temperature, shape ``(k,)``."""
        return np.asarray(u @ self.on.S) if self.n.similarity == "dot" else -self.on.distances(u)

    def alpha(self, similarities: Balls) -> Balls:
        """Return the mixture alpha: the softmax of the similarities divided by the temperature."""
        best = _largest(similarities)
        gaps = self.on.divide_by_temperature(similarities - similarities[best])
        gaps[best] = arb(0)  # exactly: at a low temperature, exp of the ball's upper end would overflow
        return self.on.softmax(gaps)

    def h(self, alpha: Balls) -> Balls:
        """Return the hidden state h = S alpha of a mixture alpha."""
        return np.asarray(self.on.S @ alpha)

    def centroid(self, index: int) -> Balls:
        """Return the centroid with this index."""
        return np.asarray(self.on.S[:, index])

    def from_start(self) -> Balls:
        """Return the similarities after the start token, from h = 0."""
        zero = np.array([arb(0)] * len(self.n.S), dtype=object)
        return self.similarities(self.u(zero, self.n.start))

    def logit(self, h: Balls) -> arb:
        """Return the classifier's logit after the end token."""
        return self.on.classify(self.u(h, self.n.end))[0]


def winner(similarities: Balls) -> int | None:
    """Return the index of the ball that is certainly the largest, or ``None`` if another overlaps it."""
    best = _largest(similarities)
    clear = all(i == best or bool(similarities[best] > b) for i, b in enumerate(similarities))
    return best if clear else None


def _largest(values: Balls) -> int:
    """Return the index of the largest midpoint, compared exactly.

    Floats would round close values to the same float and large values to infinity.
    """
    middles: list[arb] = [value.mid() for value in values.tolist()]
    return max(range(len(middles)), key=middles.__getitem__)


def sign(value: arb) -> bool | None:
    """Return whether the value is positive, or ``None`` if the ball contains 0."""
    return True if value > 0 else False if value < 0 else None


def soft_outputs(numbers: Numbers, string: String) -> tuple[int, bool] | None:
    """Return the soft network's label and decision after a string.

    Return ``None`` if one of them is not certain at the highest precision.
    """
    tokens = [numbers.alphabet.index(symbol) for symbol in string]
    for bits in PRECISIONS:
        with flint.ctx.workprec(bits):
            label, accepts = _read(BallRun(numbers), tokens)
        if label is not None and accepts is not None:
            return label, accepts
    return None


def _read(run: BallRun, tokens: Sequence[int]) -> tuple[int | None, bool | None]:
    label: int | None = 0
    h = run.centroid(0)
    if run.n.start_token:
        b = run.from_start()
        label, h = winner(b), run.h(run.alpha(b))
    for token in tokens:
        b = run.similarities(run.u(h, token))
        label, h = winner(b), run.h(run.alpha(b))
    return label, sign(run.logit(h))
